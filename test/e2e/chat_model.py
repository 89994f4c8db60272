"""A model with random weights and a token for each byte: what it says makes no sense, but is the same each time."""

import sys

import gguf_models


class Chatty(gguf_models.Model):
    vocabulary = 260
    template = gguf_models.CHATML

    def keys(self):
        return super().keys() | self.byte_tokenizer(self.template) | {"llama.context_length": 4096}


if __name__ == "__main__":
    Chatty("llama", seed=11).write(sys.argv[1])
