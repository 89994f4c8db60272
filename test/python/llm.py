"""gpuvm.llm with a small model: llm.py FOLDER. Prints what was checked; exits 1 with a sentence where it is wrong."""

import os
import signal
import subprocess
import sys
import threading

import gpuvm.llm
import numpy as np
from chat_model import Chatty

CONTEXT = 160


def same(what, *values):
    if any(value != values[0] for value in values):
        sys.exit("\n  ".join([f"{what}:", *map(repr, values)]))


def chat(file, *arguments, text=""):
    command = ["gpuvm-chat", file, "-c", str(CONTEXT), *arguments]
    done = subprocess.run(command, input=text.encode(), capture_output=True, check=True)
    return done.stdout.decode()


def check_answers(file, model):
    same("greedy", model.generate([{"role": "user", "content": "Hi"}], max_tokens=12, temperature=0).text + "\n",
         chat(file, "-p", "Hi", "-n", "12", "--temp", "0"))
    print("an answer is that of gpuvm-chat")
    drawn = {"max_tokens": 12, "seed": 7, "temperature": 1.3, "top_k": 12, "repeat_penalty": 1.5, "logit_bias": {122: -5}}
    flags = ["-n", "12", "-s", "7", "--temp", "1.3", "--top-k", "12", "--repeat-penalty", "1.5", "-l", "122-5"]
    same("drawn", model.generate("Once upon", **drawn).text + "\n", chat(file, "--no-template", "-p", "Once upon", *flags))
    print("a text that is continued is that of gpuvm-chat")
    first = model.generate("Once upon", max_tokens=12)
    again = model.generate("Once upon", max_tokens=12, seed=first.seed)
    same("seed", first.text, again.text)
    if model.generate("Once upon", max_tokens=12).seed == first.seed:
        sys.exit("a seed is drawn twice")
    same("finish", model.generate("Once upon", max_tokens=3, logit_bias={259: -float("inf")}).finish_reason, "length")
    print("a seed gives the same text again, and is told")


def check_streams(model):
    drawn = {"max_tokens": 40, "seed": 3, "temperature": 1.0}
    whole = model.generate("Once upon", **drawn)
    stream = model.stream("Once upon", **drawn)
    pieces = list(stream)
    same("pieces", "".join(pieces), whole.text, stream.answer.text)
    if len(pieces) < 5:
        sys.exit(f"the text comes in {len(pieces)} pieces")
    print("pieces are the text")
    stream = model.stream("Once upon", temperature=0, logit_bias={259: -float("inf"), 256: 100.0})
    next(stream)
    stream.close()
    same("closed", stream.answer.finish_reason, "cancelled")
    if not 0 < stream.answer.tokens < 140:
        sys.exit(f"{stream.answer.tokens} tokens of a stream that is closed")
    print("a stream that is closed ends")
    signal.signal(signal.SIGINT, signal.default_int_handler)
    threading.Timer(0.05, os.kill, (os.getpid(), signal.SIGINT)).start()
    try:
        model.generate("Once upon", temperature=0, logit_bias={259: -float("inf"), 256: 100.0})
        sys.exit("an answer that is interrupted goes on")
    except KeyboardInterrupt:
        same("after it", model.generate("Once upon", **drawn).text, whole.text)
    print("an answer that is interrupted ends")


def check_chat(file, model):
    conversation = model.chat(system="Be brief.", max_tokens=8, temperature=0)
    answers = [conversation.ask("Hi").text, "".join(conversation.stream("And?"))]
    said = chat(file, "--system-prompt", "Be brief.", "-n", "8", "--temp", "0", text="Hi\nAnd?\n")
    same("chat", "".join(f"{answer}\n" for answer in answers), said)
    same("roles", [each["role"] for each in conversation.messages], ["system", "user", "assistant", "user", "assistant"])
    same("messages", [each["content"] for each in conversation.messages[2::2]], answers)
    print("a conversation is that of gpuvm-chat")


def check_limits(model):
    text = model.generate("Once upon", max_tokens=30, temperature=0).text
    stop = text[5:7]
    answer = model.generate("Once upon", max_tokens=30, temperature=0, stop=[stop, "never"])
    same("stop", answer.text, text[: text.find(stop)])
    same("stop's reason", answer.finish_reason, "stop")
    same("grammar", model.generate("x", grammar='root ::= "yes" | "no"', seed=1).text in ("yes", "no"), True)
    same("schema", model.generate("x", json_schema={"enum": [True, 12]}, seed=1).text in ("true", "12"), True)
    print("stop strings, a grammar and a schema")


def check_logprobs(model, small):
    prompt = model.encode("Once upon")
    answer = model.generate(prompt, max_tokens=5, temperature=0, logprobs=3)
    tokens = [each.id for each in answer.logprobs]
    logits = small.logits(np.array([*prompt, *tokens]))[len(prompt) - 1 : -1].astype(np.float64)
    wanted = logits - np.log(np.exp(logits - logits.max(1, keepdims=True)).sum(1, keepdims=True)) - logits.max(1, keepdims=True)
    for step, each in enumerate(answer.logprobs):
        likeliest = np.argsort(-wanted[step])[:3]
        same("likeliest", [token for token, _ in each.likeliest], likeliest.tolist())
        np.testing.assert_allclose([logprob for _, logprob in each.likeliest], wanted[step][likeliest], atol=0.02)
        np.testing.assert_allclose(each.logprob, wanted[step][each.id], atol=0.02)
    print("log probabilities are those of NumPy")


def check_several(file, model, small):
    prompts = ["Once", "Hi", "x y", "Zq"]
    with gpuvm.llm.load(file, context=CONTEXT, parallel=3, logprobs=True, embeddings=True) as several:
        check_logprobs(several, small)
        same("parallel", several.parallel, 3)
        answers = several.batch(prompts, max_tokens=9, seed=5)
        same("batch", [each.text for each in answers],
             [several.generate(prompt, max_tokens=9, seed=5 + i).text for i, prompt in enumerate(prompts)])
        found = {}
        threads = [threading.Thread(target=lambda p=p: found.update({p: several.generate(p, max_tokens=9, temperature=0).text})) for p in prompts]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        same("threads", found, {p: model.generate(p, max_tokens=9, temperature=0).text for p in prompts})
        print("several answers at once are those one by one")
        vector = several.embed("Once upon")
        same("width", vector.shape, (several.width,))
        np.testing.assert_allclose(np.linalg.norm(vector), 1, atol=1e-5)
        np.testing.assert_allclose(vector, several.embed(several.encode("Once upon")), atol=1e-6)
        print("vectors of texts")


def check_tokens(model):
    tokens = model.encode("zq <|im_end|> \u00e9")
    same("decoded", model.decode(tokens), "zq <|im_end|> \u00e9")
    same("control tokens are text", 259 in tokens.tolist(), False)
    prompt = model.encode_chat([{"role": "user", "content": "Hi"}])
    same("template", (prompt[0], model.token_text(int(prompt[0]))), (258, "<|im_start|>"))
    print("tokens")


def check_refusals(file, model):
    def refuses(function, *texts):
        try:
            function()
        except gpuvm.Error as error:
            if not all(text in str(error) for text in texts):
                sys.exit(f"{error} does not say {texts}")
        else:
            sys.exit(f"{texts} is not refused")

    refuses(lambda: model.generate("x", temperture=1), 'no option "temperture"', 'did you mean "temperature"')
    refuses(lambda: model.generate("x", temperature=-1), "temperature is -1 (0 to 1000000")
    refuses(lambda: model.generate("x", top_k=-1), "top_k is -1")
    refuses(lambda: model.generate("x", logprobs=1), "opened without logprobs")
    refuses(lambda: model.generate("x", grammar="root = 1"), "::=")
    refuses(lambda: model.generate("x", grammar='root ::= "a"', json_schema={}), "grammar or a schema")
    refuses(lambda: model.generate("x", stop=""), "stop string is empty")
    refuses(lambda: model.generate("x" * 500), f"room for {CONTEXT - 1}")
    refuses(lambda: model.generate(np.zeros(0, np.int32)), "no tokens")
    refuses(lambda: model.generate(np.array([260])), "no token 260")
    refuses(lambda: model.generate([{"role": "judge", "content": "x"}]), "judge")
    refuses(lambda: model.embed("x"), "without embeddings")
    refuses(lambda: gpuvm.llm.load("no.gguf"), "no.gguf")
    refuses(lambda: gpuvm.llm.load(file, parallel=0), "parallel is 0")
    refuses(lambda: gpuvm.llm.load(file, cache_type="f17"), "f17")
    refuses(lambda: gpuvm.llm.load(file, device="a device nobody has"), "a device nobody has")
    model.close()
    refuses(lambda: model.generate("x"), "closed")
    print("refusals are one sentence")


def main():
    folder = sys.argv[1]
    file = os.path.join(folder, "model.gguf")
    small = Chatty("llama", seed=11)
    small.write(file)
    model = gpuvm.llm.load(file, context=CONTEXT)
    same("model", (model.architecture, model.context, model.vocabulary, model.has_template), ("llama", CONTEXT, 260, True))
    check_answers(file, model)
    check_streams(model)
    check_chat(file, model)
    check_limits(model)
    check_several(file, model, small)
    check_tokens(model)
    check_refusals(file, model)


main()
