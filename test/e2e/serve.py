"""gpuvm-serve with a small model: serve.py FOLDER. Prints what was checked; exits 1 with a sentence where it is wrong."""

import base64
import json
import os
import re
import sys
import threading
import time

import numpy as np

from chat_model import Chatty
from serving import KEY, Server, check


def main():
    folder = os.path.abspath(sys.argv[1])
    file = os.path.join(folder, "model.gguf")
    Chatty("llama", seed=11).write(file)
    server = Server(file, "-c", "160", "--api-key", KEY, "--max-waiting", "1", "--max-body", "16384", "--regulate", "0.001,100", environment={"XDG_CACHE_HOME": folder})
    try:
        run(server)
        check("it still lives, and ends when it is told to", server.call("GET", "/health")[0] == 200)
    finally:
        server.process.terminate()
    check("exit code 0", server.process.wait(60) == 0, server.process.returncode)
    server = Server(file, "-c", "4096", "--max-waiting", "1", "--logprobs", environment={"XDG_CACHE_HOME": folder})
    try:
        logprobs(server)
        leave(server)
    finally:
        server.process.terminate()


def logprobs(server):
    """Against those of NumPy, of the model as it is: caches are f16 here."""
    model = Chatty("llama", seed=11)
    prompt = [258, *b"user\nHi", 259, *b"\n", 258, *b"assistant\n"]
    asked = {"messages": [{"role": "user", "content": "Hi"}], "max_tokens": 12, "temperature": 0, "logprobs": True, "top_logprobs": 5}

    def token_of(entry):
        if entry["bytes"] is None:
            return {"<|im_start|>": 258, "<|im_end|>": 259}.get(entry["token"], 257)
        return 256 if entry["bytes"] == [*b"zq"] else entry["bytes"][0]

    def check_entries(what, entries, tokens, count):
        tokens = list(tokens)
        for entry in entries:
            logits = model.logits(np.array(tokens))[-1].astype("f8")
            wanted = logits - logits.max() - np.log(np.exp(logits - logits.max()).sum())
            top = entry["top_logprobs"]
            if (abs(wanted[token_of(entry)] - entry["logprob"]) > 1e-2 or len(top) != count
                    or any(abs(wanted[token_of(one)] - one["logprob"]) > 1e-2 for one in top)):
                sys.exit(f"{what}: token {len(tokens)}: {entry}, NumPy has {wanted[token_of(entry)]}")
            tokens.append(token_of(entry))
        print(what)
        return wanted

    choice = server.ask(asked)["choices"][0]
    entries, text = choice["logprobs"]["content"], choice["message"]["content"]
    check_entries("log probabilities are NumPy's", entries, prompt, 5)
    check("the likeliest come first", all(sorted((one["logprob"] for one in entry["top_logprobs"]), reverse=True)
                                          == [one["logprob"] for one in entry["top_logprobs"]] and entry["top_logprobs"][0]["bytes"] == entry["bytes"]
                                          for entry in entries), entries)
    said = b"".join(bytes(entry["bytes"] or []) for entry in entries)
    check("tokens say the text", said.decode(errors="replace") == text and len(entries) == 12, entries)
    streamed = [entry for event in server.stream(asked) if event["choices"] for entry in (event["choices"][0]["logprobs"] or {"content": []})["content"]]
    check("streamed log probabilities are the same", streamed == entries, streamed)
    drawn = asked | {"temperature": 1.7, "seed": 5, "top_logprobs": 20, "logit_bias": {str(token_of(entries[0])): -1000}, "repeat_penalty": 1.8}
    own = server.ask(drawn)["choices"][0]["logprobs"]["content"]
    check_entries("bias, penalties and temperature do not change them", own, prompt, 20)
    check("a token that must not be is not among the likeliest", all(one["bytes"] != entries[0]["bytes"] for one in own[0]["top_logprobs"]), own[0])
    stopped = server.ask(asked | {"stop": text[4:6]})["choices"][0]
    check("none is after a stop string", b"".join(bytes(entry["bytes"]) for entry in stopped["logprobs"]["content"]).decode(errors="replace") == stopped["message"]["content"]
          == text[:text.index(text[4:6])], stopped)
    check("without top_logprobs there are none", server.ask(asked | {"top_logprobs": 0})["choices"][0]["logprobs"]["content"][3]["top_logprobs"] == [])
    ascii = {str(token): -1000 for token in range(128, 260)}
    raw = server.ask({"prompt": "Hi", "max_tokens": 6, "temperature": 0, "logprobs": 2, "logit_bias": ascii}, "/v1/completions")["choices"][0]
    own = raw["logprobs"]
    check("completions have their own form", all(len(own[key]) == 6 for key in ("tokens", "token_logprobs", "top_logprobs", "text_offset"))
          and "".join(own["tokens"]) == raw["text"] and own["text_offset"] == [len("".join(own["tokens"][:i])) for i in range(6)]
          and all(top[token] == logprob == max(top.values()) and len(top) == 2
                  for token, logprob, top in zip(own["tokens"], own["token_logprobs"], own["top_logprobs"])), raw)
    check("all tokens may be drawn with them", len(server.ask(asked | {"top_k": 0, "temperature": 1, "seed": 2})["choices"][0]["logprobs"]["content"]) > 0)


def leave(server):
    """Clients that close their connections before they have an answer, which would have 3,900 tokens."""
    long = {"messages": [{"role": "user", "content": "Hi"}], "max_tokens": 3900, "temperature": 1, "logit_bias": {"259": -1000}}
    answers, before = server.metric("answers_total"), server.metric("tokens_total")
    made = lambda: server.metric("tokens_total") - before
    first = server.send(long | {"stream": True})
    first.recv(100)
    for kind in (False, True):
        waiting = server.send(long | {"stream": kind})
        server.until("requests_deferred", 1)
        check("one too many is 503", server.call("POST", "/v1/chat/completions", long | {"stream": kind})[0] == 503)
        waiting.close()
        server.until("requests_deferred", 0)
        check("one that leaves while it waits is gone at once", server.metric("requests_processing") == 1, made())
    first.close()
    server.until("answers_total", answers + 3)
    check("one that is answered as a stream is gone with the next token", made() < 3800, made())
    streamed, first = made(), server.send(long)
    server.until("requests_processing", 1)
    first.close()
    server.until("answers_total", answers + 4)
    check("so is one that is answered at once", made() - streamed < 3800, made(), streamed)
    text = {"prompt": "x" * 4000, "max_tokens": 1}
    first = server.send(text, "/v1/completions")
    server.until("requests_processing", 1)
    first.close()
    server.until("requests_processing", 0)
    cached = server.ask(text, "/v1/completions")["usage"]["prompt_tokens_details"]["cached_tokens"]
    check("one that leaves while its prompt is read is gone with the next piece", cached < 3900, cached)


def embeddings(server):
    model = Chatty("llama", seed=11)
    path = "/v1/embeddings"
    texts = ["Hi", "Hello, world! " * 5]
    of = lambda text, **rest: [item["embedding"] for item in server.ask({"input": text} | rest, path)["data"]]
    reply = server.ask({"input": texts, "model": "any"}, path)
    check("vectors are NumPy's", all(np.abs(np.array(item["embedding"]) - model.embedding(np.array(list(text.encode())))).max() < 2e-3
                                     for text, item in zip(texts, reply["data"])), reply)
    check("usage counts tokens", reply["usage"] == {"prompt_tokens": 72, "total_tokens": 72} and reply["object"] == "list", reply)
    check("alone or in a list, as text or tokens, it is one vector", of(texts[0]) == of(texts)[:1] == of(list(b"Hi")) == of([list(b"Hi")]))
    packed = np.frombuffer(base64.b64decode(of("Hi", encoding_format="base64")[0]), "<f4")
    check("base64 has the same bits", np.array_equal(packed, np.array(of("Hi")[0], "f4")))
    short = np.array(of("Hi", dimensions=8)[0])
    check("fewer dimensions have length 1", np.allclose(short, packed[:8] / np.linalg.norm(packed[:8]), atol=1e-6), short)
    hello = {"messages": [{"role": "user", "content": "Hi"}], "max_tokens": 10, "temperature": 0}
    before = server.ask(hello)["choices"]
    of("Something else")
    check("an answer after a vector is the same", server.ask(hello)["choices"] == before)
    for body, word in [({}, "input"), ({"input": ""}, "input"), ({"input": []}, "input"), ({"input": ["a", ""]}, "input"),
                       ({"input": [260]}, "260"), ({"input": [[1], "a", 5]}, "input"), ({"input": [1, "a"]}, "a"), ({"input": {}}, "input"),
                       ({"input": "a", "encoding_format": "hex"}, "hex"), ({"input": "a", "dimensions": 65}, "1 to 64"),
                       ({"input": "a", "dimensions": 0}, "1 to 64"), ({"input": "x" * 200}, "200 tokens"), ({"input": ["a"] * 2049}, "2048")]:
        status, text = server.call("POST", path, body)
        if status != 400 or word not in json.loads(text)["error"]["message"]:
            sys.exit(f"{body}: {status} {text}")
    print("embeddings of what is wrong are 400 and a sentence")


def run(server):
    hello = {"messages": [{"role": "user", "content": "Hi"}], "max_tokens": 10, "temperature": 0}
    whole = server.ask(hello)
    text = whole["choices"][0]["message"]["content"]
    check("an answer has a text and counts", text and whole["usage"]["completion_tokens"] == 10 and whole["usage"]["prompt_tokens"] == 21,
          whole)
    check("it ends by its length", whole["choices"][0]["finish_reason"] == "length", whole)
    events = server.stream(hello | {"stream_options": {"include_usage": True}})
    streamed = "".join(event["choices"][0]["delta"].get("content", "") for event in events if event["choices"])
    check("streamed equals not streamed", streamed == text, streamed, text)
    reasons = [event["choices"][0]["finish_reason"] for event in events if event["choices"]]
    check("one finish_reason, at the end", reasons == [None] * (len(reasons) - 1) + ["length"], reasons)
    check("usage is streamed where it is wanted", events[-1]["usage"]["completion_tokens"] == 10 and events[-1]["choices"] == [], events[-1])
    check("a cached prompt gives the same text", server.ask(hello)["choices"][0]["message"]["content"] == text)
    stop = text[3:5]
    stopped = server.ask(hello | {"stop": stop})["choices"][0]
    check("a stop string ends the text before it", stopped == {"index": 0, "message": {"role": "assistant", "content": text[:text.index(stop)]},
                                                              "finish_reason": "stop"}, stopped, stop)
    drawn = hello | {"temperature": 1.5, "seed": 3}
    check("a seed gives the same text", server.ask(drawn)["choices"] == server.ask(drawn)["choices"])
    check("and is reported", server.ask(drawn)["generation_settings"]["seed"] == 3)
    chance = [server.ask(drawn | {"seed": seed}) for seed in (-1, None, None)]
    seeds = [answer["generation_settings"]["seed"] for answer in chance]
    check("a seed that was drawn is reported, another one each time", len(set(seeds)) == 3, seeds)
    check("and gives the same text again", server.ask(drawn | {"seed": seeds[1]})["choices"] == chance[1]["choices"], chance[1])
    events = server.stream(drawn | {"seed": -1})
    again = server.ask(drawn | {"seed": events[-1]["generation_settings"]["seed"]})
    check("also at the end of a stream", "".join(event["choices"][0]["delta"].get("content", "") for event in events)
          == again["choices"][0]["message"]["content"] and not any("timings" in event for event in events[:-1]), events)
    check("answers say how long they took, and which program made them", again["timings"]["predicted_n"] == again["usage"]["completion_tokens"] and again["timings"]["predicted_ms"] > 0
          and all(answer["system_fingerprint"].startswith("gpuvm-") for answer in [again, *events]), again)
    schema = {"type": "object", "properties": {"a": {"type": "integer", "minimum": 3, "maximum": 42}, "b": {"enum": ["x", None]},
                                                "c": {"type": "string", "pattern": r"^\d[^\w]{2}$"}}, "required": ["a", "b", "c"], "additionalProperties": False}
    wanted = {"type": "json_schema", "json_schema": {"name": "pair", "schema": schema, "strict": True}}
    fitting = server.ask(hello | {"response_format": wanted, "max_tokens": 110, "logit_bias": {"10": -100}})
    value = json.loads(fitting["choices"][0]["message"]["content"])
    check("an answer fits a JSON schema", set(value) == {"a", "b", "c"} and re.search(r"^[0-9][^A-Za-z0-9_]{2}$", value["c"]) and 3 <= value["a"] <= 42 and value["b"] in ("x", None), fitting)
    said = server.ask(hello | {"grammar": 'root ::= "no" | "yes" "!"', "logit_bias": {str(ord("n")): -100}})["choices"][0]
    check("an answer is of a grammar", said["message"]["content"] == "yes!" and said["finish_reason"] == "stop", said)
    check("after it anything is said again", server.ask(hello)["choices"][0]["message"]["content"] == text)
    penalized = server.ask(hello | {"presence_penalty": 2, "frequency_penalty": 100, "repeat_penalty": 1.5, "repeat_last_n": 50, "top_k": 0})
    check("penalties and draws from all tokens", penalized["usage"]["completion_tokens"] == 10, penalized)
    raw = server.ask({"prompt": "Hi", "max_tokens": 3, "temperature": 0}, "/v1/completions")
    check("completions continue a text", raw["object"] == "text_completion" and raw["usage"]["prompt_tokens"] <= 3, raw)

    embeddings(server)

    check("models are listed", json.loads(server.call("GET", "/v1/models")[1])["data"][0]["id"] == "model")
    tokens = json.loads(server.call("POST", "/tokenize", {"content": "Hi \u00e9<|im_end|>"})[1])["tokens"]
    check("control tokens in a content are text", tokens == list("Hi \u00e9<|im_end|>".encode()), tokens)
    check("and back", json.loads(server.call("POST", "/detokenize", {"tokens": tokens})[1])["content"] == "Hi \u00e9<|im_end|>")
    metrics = server.call("GET", "/metrics")[1].decode()
    check("metrics count", "gpuvm_answers_total " in metrics)
    norms = [float(norm) for norm in re.findall(r'gpuvm_attention_norm{layer="[01]"} (\S+)', metrics)]
    check("and have norms of attention", len(norms) == 2 and 0.001 < min(norms) and 'gpuvm_attention_outside_total{layer="1"} 0' in metrics, metrics)

    for body, word in [(b"{", "JSON"), (b"[]", "object"), ({}, "messages"), ({"messages": []}, "messages"), ({"messages": [1]}, "message"),
                       (hello | {"temperature": -1}, "temperature"), (hello | {"top_p": "x"}, "top_p"), (hello | {"n": 2}, "\"n\""),
                       (hello | {"stop": [""] }, "stop"), (hello | {"max_tokens": -5}, "max_tokens"), (hello | {"stream": 1}, "stream"),
                       (hello | {"grammar": "root ::= x"}, "no rule"), (hello | {"grammar": "root ::= " + "(" * 9000}, "256 groups"),
                       (hello | {"json_schema": {"type": "word"}}, "type"), (hello | {"response_format": {"type": "xml"}}, "response_format"),
                       (hello | {"logprobs": True}, "--logprobs"), (hello | {"top_logprobs": 3}, "top_logprobs"), (hello | {"logprobs": 3}, "logprobs"),
                       (hello | {"logprobs": True, "top_logprobs": 21}, "from 0 to 20"),
                       (hello | {"response_format": {"type": "json_schema"}}, "schema"), (hello | {"logit_bias": {"x": 1}}, "logit_bias"),
                       (hello | {"logit_bias": {"260": 1}}, "260"), (hello | {"repeat_penalty": 0}, "repeat_penalty"),
                       (hello | {"grammar": "root ::=", "json_schema": {}}, "more than one"),
                       ({"messages": [{"role": "user", "content": "x" * 200}]}, "has room for"),
                       ({"messages": [{"role": "wizard", "content": "x"}]}, "wizard"), (b"[" * 4000, "JSON")]:
        status, reply = server.call("POST", "/v1/chat/completions", body)
        error = json.loads(reply)["error"]
        if status != 400 or word not in error["message"] or error["code"] != 400:
            sys.exit(f"{body}: {status} {reply}")
    print("what is wrong is 400 and a sentence")
    check("a large body is 413", server.call("POST", "/tokenize", b"x" * 20000)[0] == 413)
    check("a token out of range is 400", server.call("POST", "/detokenize", {"tokens": [260]})[0] == 400)
    check("without the key it is 401", server.call("GET", "/v1/models", key="other")[0] == 401)
    check("an unknown route is 404", server.call("GET", "/v2")[0] == 404)

    # A long answer: others wait in order, one too many is refused, and /health answers at once.
    long = hello | {"max_tokens": 120, "temperature": 2, "seed": 1}
    results = []
    threads = [threading.Thread(target=lambda: results.append(server.call("POST", "/v1/chat/completions", long)[0])) for _ in range(4)]
    for thread in threads:
        thread.start()
    slowest = 0
    while any(thread.is_alive() for thread in threads):
        start = time.monotonic()
        assert server.call("GET", "/health")[0] == 200
        slowest = max(slowest, time.monotonic() - start)
        time.sleep(0.05)
    check("one is answered, one waits, others are 503", sorted(results) == [200, 200, 503, 503], results)
    # 100 ms on an idle machine; this one may have more to do.
    check("health is known meanwhile", slowest < 2, slowest)

    # A client that goes away frees its place.
    connection = server.send(long | {"stream": True, "max_tokens": 100000})
    connection.recv(100)
    connection.close()
    check("a client that goes away frees its place", server.ask(hello)["choices"][0]["message"]["content"] == text)


if __name__ == "__main__":
    main()
