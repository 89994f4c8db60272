"""gpuvm-serve with the package `openai`, as programs that know only OpenAI's service use it: openai_client.py FOLDER.

Prints what was checked; exits 1 with a sentence where it is wrong.
"""

import os
import sys

import openai

from chat_model import Chatty
from serving import KEY, Server, check

CONTEXT = 160
HELLO = [{"role": "user", "content": "Hi"}]


def raised(call, **arguments):
    """What a call raises; nothing if it returns."""
    try:
        call(**arguments)
    except openai.OpenAIError as error:
        return error
    return None


def main():
    folder = os.path.abspath(sys.argv[1])
    file = os.path.join(folder, "model.gguf")
    Chatty("llama", seed=11).write(file)
    server = Server(file, "-c", str(CONTEXT), "--api-key", KEY, "--max-waiting", "0", "--max-body", "8192", "--logprobs", environment={"XDG_CACHE_HOME": folder})
    try:
        run(f"http://127.0.0.1:{server.port}/v1")
    finally:
        server.process.terminate()
        server.process.wait(60)


def run(url):
    client = openai.OpenAI(base_url=url, api_key=KEY, max_retries=0, timeout=600)
    chat = client.chat.completions
    asked = {"model": "model", "messages": HELLO, "max_tokens": 10, "temperature": 0}
    models = client.models.list().data
    check("models are listed", [model.id for model in models] == ["model"] and models[0].object == "model" and models[0].created > 0, models)
    check("a model is found by its name", client.models.retrieve("model").id == "model")

    whole = chat.create(**asked)
    text = whole.choices[0].message.content
    check("a chat is answered", text and whole.choices[0].message.role == "assistant" and whole.choices[0].finish_reason == "length"
          and whole.usage.completion_tokens == 10 and whole.model == "model" and whole.id.startswith("chatcmpl-") and whole.created > 0, whole)

    pieces, reasons, usage = [], [], None
    for event in chat.create(**asked, stream=True, stream_options={"include_usage": True}):
        if event.choices:
            pieces.append(event.choices[0].delta.content or "")
            reasons.append(event.choices[0].finish_reason)
        usage = event.usage
    check("a stream says the same", "".join(pieces) == text and reasons[-1] == "length" and not any(reasons[:-1]), pieces, reasons)
    check("and what it used", usage.total_tokens == whole.usage.total_tokens, usage)
    with chat.stream(**asked) as events:
        deltas = [event.delta for event in events if event.type == "content.delta"]
    check("the client's own stream helper understands it", "".join(deltas) == text, deltas)

    known = chat.create(**asked, logprobs=True, top_logprobs=3).choices[0].logprobs.content
    check("it has log probabilities", len(known) == 10 and all(len(one.top_logprobs) == 3 and one.logprob == one.top_logprobs[0].logprob < 0
          and one.top_logprobs[0].logprob >= one.top_logprobs[1].logprob for one in known), known)

    stopped = chat.create(**asked, stop=[text[3:5]]).choices[0]
    check("it stops at a string", stopped.finish_reason == "stop" and stopped.message.content == text[:text.index(text[3:5])], stopped)
    check("max_completion_tokens counts, too",
          chat.create(model="model", messages=HELLO, temperature=0, max_completion_tokens=4).usage.completion_tokens == 4)
    drawn = asked | {"temperature": 1.5, "seed": 3, "top_p": 0.9}
    check("a seed says the same twice", chat.create(**drawn).choices == chat.create(**drawn).choices)
    parts = [{"role": "user", "content": [{"type": "text", "text": "Hi"}]}]
    check("contents may be lists of parts", chat.create(**asked | {"messages": parts}).choices[0].message.content == text)

    continued = client.completions.create(model="model", prompt="Hi", max_tokens=5, temperature=0)
    check("a text is continued", continued.choices[0].text and continued.object == "text_completion"
          and continued.usage.completion_tokens == 5, continued)
    known = client.completions.create(model="model", prompt="Hi", max_tokens=5, temperature=0, logprobs=2).choices[0].logprobs
    check("also with log probabilities", len(known.tokens) == len(known.token_logprobs) == len(known.top_logprobs) == len(known.text_offset) == 5, known)
    streamed = [event.choices[0].text for event in client.completions.create(model="model", prompt="Hi", max_tokens=5, temperature=0, stream=True)]
    check("also as a stream", "".join(streamed) == continued.choices[0].text, streamed)

    def embed(**arguments):
        return client.embeddings.create(model="model", input=["Hi", "Hello"], **arguments)

    floats = embed(encoding_format="float").data
    check("texts become vectors", [one.index for one in floats] == [0, 1] and len(floats[0].embedding) == Chatty.width
          and abs(sum(x * x for x in floats[0].embedding) - 1) < 1e-5 and floats[0].embedding != floats[1].embedding, floats)
    # The client asks for base64 unless it is told otherwise, and decodes it.
    check("also in base64", all(abs(a - b) < 1e-6 for one, other in zip(floats, embed().data) for a, b in zip(one.embedding, other.embedding)))

    for what, call, arguments, kind, word in [
            ("a temperature below 0", chat.create, asked | {"temperature": -1}, openai.BadRequestError, "temperature"),
            ("no messages", chat.create, asked | {"messages": []}, openai.BadRequestError, "messages"),
            ("two answers", chat.create, asked | {"n": 2}, openai.BadRequestError, '"n"'),
            ("a prompt longer than the context", client.completions.create, {"model": "model", "prompt": "x" * (2 * CONTEXT)},
             openai.BadRequestError, "has room for"),
            ("a body that is too large", client.completions.create, {"model": "model", "prompt": "x" * 10000}, openai.APIStatusError, ""),
            ("another model's name", client.models.retrieve, {"model": "other"}, openai.NotFoundError, "other"),
            ("another key", openai.OpenAI(base_url=url, api_key="other", max_retries=0).models.list, {}, openai.AuthenticationError, "key")]:
        error = raised(call, **arguments)
        check(f"{what}: {kind.__name__}", isinstance(error, kind) and word in str(error), error)
    error = raised(chat.create, **asked | {"temperature": -1})
    check("errors say their kind", error.type == "invalid_request_error" and error.status_code == 400, error.type)

    # One is answered and nothing may wait.
    with chat.create(**asked | {"max_tokens": 120}, stream=True) as long:
        next(iter(long))
        error = raised(chat.create, **asked)
        check("one too many: InternalServerError", isinstance(error, openai.InternalServerError) and error.status_code == 503, error)
    # The place is free with the next token.
    patient = client.with_options(max_retries=8)
    check("a client that goes away frees its place", patient.chat.completions.create(**asked).choices[0].message.content == text)
    print("the client understands all of it")


main()
