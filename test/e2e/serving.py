"""A gpuvm-serve that tests talk with."""

import http.client
import json
import os
import re
import socket
import subprocess
import sys
import threading
import time

KEY = "k3y"


class Server:
    def __init__(self, *arguments, environment):
        self.process = subprocess.Popen(["gpuvm-serve", *arguments, "--port", "0"], stderr=subprocess.PIPE, env=os.environ | environment)
        for line in self.process.stderr:
            if found := re.search(rb"http://127.0.0.1:(\d+)", line):
                self.port = int(found.group(1))
                threading.Thread(target=self.process.stderr.read, daemon=True).start()
                return
        sys.exit(f"gpuvm-serve ends: {self.process.wait()}")

    def call(self, method, path, body=None, key=KEY, timeout=3600):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)
        data = body if isinstance(body, (bytes, type(None))) else json.dumps(body).encode()
        connection.request(method, path, data, {"Authorization": f"Bearer {key}", "Content-Type": "application/json"})
        reply = connection.getresponse()
        return reply.status, reply.read()

    def send(self, body, path="/v1/chat/completions"):
        """The connection of a client that has asked and does not read."""
        connection = socket.create_connection(("127.0.0.1", self.port))
        data = json.dumps(body).encode()
        connection.sendall(b"POST %s HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\nContent-Length: %d\r\n\r\n" %
                           (path.encode(), KEY.encode(), len(data)) + data)
        return connection

    def metric(self, name):
        return int(re.search(rf"^gpuvm_{name} (\d+)$", self.call("GET", "/metrics")[1].decode(), re.MULTILINE)[1])

    def until(self, name, value):
        """Waits until a metric has a value."""
        start = time.monotonic()
        while (now := self.metric(name)) != value:
            if time.monotonic() - start > 300:
                sys.exit(f"{name} stays {now}, not {value}")
            time.sleep(0.005)

    def ask(self, body, path="/v1/chat/completions"):
        status, text = self.call("POST", path, body)
        if status != 200:
            sys.exit(f"{path} {body}: {status} {text}")
        return json.loads(text)

    def stream(self, body, path="/v1/chat/completions"):
        status, text = self.call("POST", path, body | {"stream": True})
        events = [line[6:] for line in text.decode().split("\n\n") if line]
        if status != 200 or events[-1] != "[DONE]":
            sys.exit(f"stream: {status} {events}")
        return [json.loads(event) for event in events[:-1]]


def check(what, is_right, *details):
    if not is_right:
        sys.exit(f"{what}: {details}")
    print(what)
