"""gpuvm-serve that answers several requests at once: serve_parallel.py FOLDER. Prints what was checked; exits 1 with a
sentence where it is wrong."""

import json
import os
import socket
import sys
import threading
import time

from chat_model import Chatty
from serving import KEY, Server, check

PARALLEL = 3


def main():
    folder = os.path.abspath(sys.argv[1])
    file = os.path.join(folder, "model.gguf")
    Chatty("llama", seed=11).write(file)
    server = Server(file, "-c", "160", "--api-key", KEY, "--parallel", str(PARALLEL), "--max-waiting", "2",
                    environment={"XDG_CACHE_HOME": folder})
    try:
        run(server)
        check("it still lives", server.call("GET", "/health")[0] == 200)
    finally:
        server.process.terminate()
    check("exit code 0", server.process.wait(60) == 0, server.process.returncode)


def at_once(calls):
    """What each of the calls returns, from a thread of its own."""
    results = [None] * len(calls)

    def work(i):
        results[i] = calls[i]()

    threads = [threading.Thread(target=work, args=(i,)) for i in range(len(calls))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results


def run(server):
    def request(text, tokens, **controls):
        return {"messages": [{"role": "user", "content": text}], "max_tokens": tokens} | controls

    requests = [request("Hi", 40, temperature=0), request("A longer text, with many more letters in it", 25, temperature=1.2, seed=3),
                request("x", 60, temperature=2, seed=4), request("Something else", 5, temperature=0),
                request("Who is there?", 33, temperature=0.7, seed=8)]
    text = lambda reply: reply["choices"][0]["message"]["content"]
    alone = [text(server.ask(body)) for body in requests]
    together = at_once([lambda body=body: text(server.ask(body)) for body in requests])
    check("five at once, two of which wait, equal one at a time", together == alone, together, alone)

    def streamed(body):
        return "".join(event["choices"][0]["delta"].get("content", "") for event in server.stream(body))

    check("streamed at once, too", at_once([lambda body=body: streamed(body) for body in requests[:PARALLEL]]) == alone[:PARALLEL])

    long = request("Hi", 120, temperature=2, seed=1)
    threads = [threading.Thread(target=server.call, args=("POST", "/v1/chat/completions", long)) for _ in range(PARALLEL)]
    for thread in threads:
        thread.start()
    most = 0
    while any(thread.is_alive() for thread in threads):
        slots = json.loads(server.call("GET", "/slots")[1])
        most = max(most, sum(slot["is_processing"] for slot in slots))
        time.sleep(0.02)
    check("slots are busy at once", most == len(slots) == PARALLEL and [slot["id"] for slot in slots] == list(range(PARALLEL)), most, slots)

    statuses = at_once([lambda: server.call("POST", "/v1/chat/completions", long)[0]] * (PARALLEL + 4))
    check("two clients too many are 503", sorted(statuses) == [200] * (PARALLEL + 2) + [503] * 2, statuses)

    # Clients that go away leave their places to others.
    body = json.dumps(long | {"stream": True, "max_tokens": 100000}).encode()
    for _ in range(PARALLEL):
        connection = socket.create_connection(("127.0.0.1", server.port))
        connection.sendall(b"POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\nContent-Length: %d\r\n\r\n" %
                           (KEY.encode(), len(body)) + body)
        connection.recv(100)
        connection.close()
    check("clients that go away free their places", text(server.ask(requests[0])) == alone[0])


main()
