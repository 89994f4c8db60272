"""gpuvm-serve that answers several requests at once: serve_parallel.py FOLDER. Prints what was checked; exits 1 with a
sentence where it is wrong."""

import json
import os
import sys
import threading
import time

import numpy as np

from chat_model import Chatty
from serving import KEY, Server, check

PARALLEL = 3
MODEL = Chatty("llama", seed=11)


def main():
    folder = os.path.abspath(sys.argv[1])
    file = os.path.join(folder, "model.gguf")
    MODEL.write(file)

    def serve(test, *arguments):
        server = Server(file, "-c", "160", "--api-key", KEY, "--parallel", str(PARALLEL), *arguments, environment={"XDG_CACHE_HOME": folder})
        try:
            result = test(server)
            check("it still lives", server.call("GET", "/health")[0] == 200)
        finally:
            server.process.terminate()
        check("exit code 0", server.process.wait(60) == 0, server.process.returncode)
        return result

    texts = serve(run, "--max-waiting", "2", "--logprobs")
    serve(lambda server: run_small(server, texts), "--positions", "208")


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


def request(text, tokens, **controls):
    return {"messages": [{"role": "user", "content": text}], "max_tokens": tokens} | controls


def text(reply):
    return reply["choices"][0]["message"]["content"]


REQUESTS = [request("Hi", 40, temperature=0), request("A longer text, with many more letters in it", 25, temperature=1.2, seed=3),
            request("x", 60, temperature=2, seed=4), request("Something else", 5, temperature=0),
            request("Who is there?", 33, temperature=0.7, seed=8)]


def run_small(server, texts):
    """With room for one and a bit."""
    together = at_once([lambda body=body: text(server.ask(body)) for body in REQUESTS[:3]])
    check("with little room others wait", together == texts[:3], together, texts)


def run(server):
    alone = [text(server.ask(body)) for body in REQUESTS]
    together = at_once([lambda body=body: text(server.ask(body)) for body in REQUESTS])
    check("five at once, two of which wait, equal one at a time", together == alone, together, alone)

    known = [body | {"logprobs": True, "top_logprobs": 20} for body in REQUESTS[:PARALLEL]]
    choices = lambda body: server.ask(body)["choices"]
    check("log probabilities have the same bits at once", at_once([lambda body=body: choices(body) for body in known]) == [choices(body) for body in known])

    # A grammar with so many ways that the host takes many steps of the device for what may be next: waiting for it, the
    # others, which are longer, would end later.
    slow = request("Hi", 20, temperature=1, seed=9, grammar="root ::= ( [a-z]? [a-y]? ){0,1000}", logit_bias={"259": -1000})
    order = []

    def last(body):
        answer = text(server.ask(body))
        order.append(body["max_tokens"])
        return answer

    some = [slow, REQUESTS[1], REQUESTS[4]]
    both = at_once([lambda body=body: last(body) for body in some])
    check("others do not wait for a slow grammar", both == [text(server.ask(slow)), alone[1], alone[4]] and order[-1] == 20 and len(both[0]) >= 12, both, order)

    # Each has its own stop strings, one of them none.
    stopped = [REQUESTS[0], REQUESTS[1] | {"stop": alone[1][4:7]}, REQUESTS[2] | {"stop": [alone[2][9:11], alone[2][30:33]]}]
    ends = [alone[0], alone[1][:alone[1].index(alone[1][4:7])], alone[2][:alone[2].index(alone[2][9:11])]]
    check("each stops at its own strings", at_once([lambda body=body: text(server.ask(body)) for body in stopped]) == ends, ends)

    def streamed(body):
        return "".join(event["choices"][0]["delta"].get("content", "") for event in server.stream(body))

    check("streamed at once, too", at_once([lambda body=body: streamed(body) for body in REQUESTS[:PARALLEL]]) == alone[:PARALLEL])

    def vector(words):
        return server.ask({"input": words}, "/v1/embeddings")["data"][0]["embedding"]

    vectors = [vector(words) for words in ("Hi", "Hello, world! " * 5)]
    mixed = at_once([lambda: text(server.ask(REQUESTS[1])), lambda: vector("Hi"), lambda: vector("Hello, world! " * 5),
                     lambda: text(server.ask(REQUESTS[2]))])
    check("vectors of texts meanwhile", mixed == [alone[1], *vectors, alone[2]], mixed)

    # A prefix of 100 letters and a few tokens of the template, which a request still has that is answered.
    common = "x" * 100
    first = server.send(request(common, 30, temperature=0, stream=True))
    read = b""
    while read.count(b"data:") < 3: # The first ones may come before the prompt is read.
        read += first.recv(100)
    answer = server.ask(request(common[:98], 3, temperature=0))
    first.close()
    check("a common prefix is kept once", answer["usage"]["prompt_tokens_details"]["cached_tokens"] == 96, answer)
    start, end = 258, 259
    tokens = [start, *b"user\n", *common[:98].encode(), end, *b"\n", start, *b"assistant\n"]
    for _ in range(3):
        tokens.append(int(MODEL.logits(np.array(tokens))[-1].argmax()))
    said = json.loads(server.call("POST", "/detokenize", {"tokens": tokens[-3:]})[1])["content"]
    check("with it the text is NumPy's", text(answer) == said, answer, said)

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
    for _ in range(PARALLEL):
        connection = server.send(long | {"stream": True, "max_tokens": 100000})
        connection.recv(100)
        connection.close()
    check("clients that go away free their places", text(server.ask(REQUESTS[0])) == alone[0])
    return alone


main()
