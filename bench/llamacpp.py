"""llama.cpp as a peer: the shared libraries that @node-llama-cpp/linux-x64-vulkan brings from npm, through its C interface.

The package has all backends: those of the processor, of which the library takes the best, and Vulkan.
"""

import ctypes
import pathlib
import shutil
import subprocess
import sys
import tarfile

import numpy as np

from gpuvm import ROOT, Missing

WANTED = ROOT / "bench" / "llama" / "package-lock.json"
PACKAGE = "node_modules/@node-llama-cpp/linux-x64-vulkan/bins/linux-x64-vulkan"
# In a bundle the libraries are packed: shaders are 40 MB.
ARCHIVE = "llama.tar.xz"
LIBRARIES = ("libggml*.so", "libllama.*.so")

ALL_LAYERS = 1000


def install(cache):
    """The folder of the libraries, installed once."""
    folder = cache / "llama"
    stamp = folder / WANTED.name
    if not stamp.exists() or stamp.read_bytes() != WANTED.read_bytes():
        npm = shutil.which("npm")
        if not npm:
            raise Missing("llama.cpp cannot be installed here (there is no npm)")
        print("installing llama.cpp ...", file=sys.stderr, flush=True)
        folder.mkdir(parents=True, exist_ok=True)
        scratch = folder / "new"
        shutil.rmtree(scratch, ignore_errors=True)
        scratch.mkdir()
        for path in (WANTED, WANTED.with_name("package.json")):
            shutil.copy(path, scratch)
        done = subprocess.run([npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--prefix", str(scratch)],
                              capture_output=True, text=True, check=False)
        if done.returncode:
            reason = (done.stderr.strip().splitlines() or ["no message"])[-1]
            raise Missing(f"llama.cpp cannot be installed here ({reason})")
        shutil.rmtree(folder / "node_modules", ignore_errors=True)
        (scratch / "node_modules").rename(folder / "node_modules")
        shutil.copy(WANTED, stamp)
        shutil.rmtree(scratch)
    return folder / PACKAGE


def pack(cache, folder):
    """Puts the libraries into a bundle."""
    source = install(cache)
    with tarfile.open(folder / ARCHIVE, "w:xz") as archive:
        for pattern in LIBRARIES:
            for path in sorted(source.glob(pattern)):
                archive.add(path, path.name)


def unpack(bundle, folder):
    """The folder of a bundle's libraries."""
    archive = bundle / ARCHIVE
    if not archive.exists():
        raise Missing("the bundle has no llama.cpp")
    if not folder.exists():
        folder.mkdir(parents=True)
        with tarfile.open(archive) as packed:
            packed.extractall(folder, filter="data")
    return folder


def load(session):
    """The library for a session of bench/run."""
    vm = session.vm
    if vm.bundle:
        return Library(unpack(vm.bundle, pathlib.Path(vm.scratch.name) / "llama"))
    return Library(install(session.options.cache))


#===--- The C interface (llama.h of its release v0.5.0) ---===#

_P, _I32, _U32, _F32 = ctypes.c_void_p, ctypes.c_int32, ctypes.c_uint32, ctypes.c_float


class _ModelParams(ctypes.Structure):
    _fields_ = [("devices", _P), ("tensor_buft_overrides", _P), ("n_gpu_layers", _I32), ("split_mode", _I32), ("load_mode", _I32),
                ("lazy_mode", _I32), ("main_gpu", _I32), ("tensor_split", _P), ("progress_callback", _P), ("progress_data", _P),
                ("kv_overrides", _P), ("flags", ctypes.c_bool * 6)]


class _ContextParams(ctypes.Structure):
    _fields_ = [(name, _U32) for name in ("n_ctx", "n_batch", "n_ubatch", "n_seq_max", "n_rs_seq", "n_outputs_max",
                                          "n_outputs_max_per_seq")]
    _fields_ += [(name, _I32) for name in ("n_threads", "n_threads_batch", "ctx_type", "rope_scaling_type", "pooling_type",
                                           "attention_type", "flash_attn_type")]
    _fields_ += [(name, _F32) for name in ("rope_freq_base", "rope_freq_scale", "yarn_ext_factor", "yarn_attn_factor",
                                           "yarn_beta_fast", "yarn_beta_slow")]
    _fields_ += [("yarn_orig_ctx", _U32), ("defrag_thold", _F32), ("cb_eval", _P), ("cb_eval_data", _P), ("type_k", _I32),
                 ("type_v", _I32), ("abort", _P), ("abort_data", _P), ("flags", ctypes.c_bool * 6), ("samplers", _P),
                 ("n_samplers", ctypes.c_size_t), ("ctx_other", _P)]


class _Batch(ctypes.Structure):
    _fields_ = [("n_tokens", _I32), ("token", ctypes.POINTER(_I32)), ("embd", _P), ("pos", ctypes.POINTER(_I32)),
                ("n_seq_id", ctypes.POINTER(_I32)), ("seq_id", ctypes.POINTER(ctypes.POINTER(_I32))),
                ("logits", ctypes.POINTER(ctypes.c_int8))]


_LOG = ctypes.CFUNCTYPE(None, ctypes.c_int, ctypes.c_char_p, _P)


class Library:
    def __init__(self, folder):
        def found(pattern):
            return ctypes.CDLL(str(next(folder.glob(pattern))), mode=ctypes.RTLD_GLOBAL)
        found("libggml-base.so")
        ggml = found("libggml.*.so")
        self.c = c = found("libllama.*.so")
        self.said = []
        self.log = _LOG(lambda level, text, data: self.said.append(text))
        c.llama_log_set(self.log, None)
        ggml.ggml_backend_load_all_from_path(str(folder).encode())
        c.llama_backend_init()
        for name, result in {"llama_model_load_from_file": _P, "llama_init_from_model": _P, "llama_model_get_vocab": _P,
                             "llama_get_memory": _P, "llama_sampler_init_greedy": _P,
                             "llama_get_logits_ith": ctypes.POINTER(_F32), "llama_batch_init": _Batch,
                             "llama_model_default_params": _ModelParams, "llama_context_default_params": _ContextParams}.items():
            getattr(c, name).restype = result
        c.llama_decode.argtypes = [_P, _Batch]
        c.llama_model_load_from_file.argtypes = [ctypes.c_char_p, _ModelParams]
        c.llama_init_from_model.argtypes = [_P, _ContextParams]
        c.llama_memory_clear.argtypes = [_P, ctypes.c_bool]
        c.llama_memory_seq_rm.argtypes = [_P, _I32, _I32, _I32]
        c.llama_sampler_sample.argtypes = [_P, _P, _I32]
        c.llama_tokenize.argtypes = [_P, ctypes.c_char_p, _I32, ctypes.POINTER(_I32), _I32, ctypes.c_bool, ctypes.c_bool]
        for name in ("llama_free", "llama_model_free", "llama_model_get_vocab", "llama_vocab_n_tokens", "llama_get_memory",
                     "llama_synchronize", "llama_sampler_free"):
            getattr(c, name).argtypes = [_P]
        c.llama_get_logits_ith.argtypes = [_P, _I32]

    def failed(self, what):
        raise RuntimeError(f"llama.cpp: {what}: {b''.join(self.said)[-300:].decode(errors='replace')}")


class Model:
    """A GGUF file with a context, on the processor or, with `gpu`, on the device that it chooses."""

    def __init__(self, library, path, context, gpu=False, threads=2, flash=True):
        self.library, self.c = library, library.c
        params = self.c.llama_model_default_params()
        params.n_gpu_layers = ALL_LAYERS if gpu else 0
        devices = (ctypes.c_void_p * 1)(None)
        if not gpu:
            params.devices = ctypes.cast(devices, _P)  # none
        self.model = self.c.llama_model_load_from_file(str(path).encode(), params)
        if not self.model:
            library.failed(f"{path} is not loaded")
        own = self.c.llama_context_default_params()
        own.n_ctx, own.n_threads, own.n_threads_batch, own.flash_attn_type = context, threads, threads, int(flash)
        self.handle = self.c.llama_init_from_model(self.model, own)
        if not self.handle:
            library.failed(f"{path} gets no context")
        self.rows = own.n_batch
        self.vocabulary = self.c.llama_vocab_n_tokens(self.c.llama_model_get_vocab(self.model))
        self.batch = self.c.llama_batch_init(self.rows, 0, 1)
        self.sampler = self.c.llama_sampler_init_greedy()

    def tokenize(self, text):
        """With what the file says about BOS; control tokens in the text are text."""
        data = text.encode()
        tokens = (_I32 * (len(data) + 8))()
        count = self.c.llama_tokenize(self.c.llama_model_get_vocab(self.model), data, len(data), tokens, len(tokens), True, False)
        return list(tokens[:count])

    def forget(self, first=0):
        """The tokens from position `first` on."""
        memory = self.c.llama_get_memory(self.handle)
        if first == 0:
            self.c.llama_memory_clear(memory, True)
        else:
            self.c.llama_memory_seq_rm(memory, 0, first, -1)

    def decode(self, tokens, first, wanted="last"):
        """Reads tokens at position `first` and after it, at most `rows`; logits of all of them or of the last one are made."""
        batch = self.batch
        batch.n_tokens = len(tokens)
        for i, token in enumerate(tokens):
            batch.token[i], batch.pos[i], batch.n_seq_id[i], batch.seq_id[i][0] = token, first + i, 1, 0
            batch.logits[i] = wanted == "all" or (wanted == "last" and i == len(tokens) - 1)
        if self.c.llama_decode(self.handle, batch):
            self.library.failed("decode")

    def logits(self, row=-1):
        self.c.llama_synchronize(self.handle)
        return np.ctypeslib.as_array(self.c.llama_get_logits_ith(self.handle, row), (self.vocabulary,))

    def read(self, tokens):
        """A prompt from position 0 on."""
        for at in range(0, len(tokens), self.rows):
            self.decode(tokens[at:at + self.rows], at)
        self.c.llama_synchronize(self.handle)

    def generate(self, token, first, count):
        """`count` likeliest tokens after `token` at position `first`."""
        made = []
        for at in range(first, first + count):
            self.decode([token], at)
            token = self.c.llama_sampler_sample(self.sampler, self.handle, -1)
            made.append(token)
        return made

    def close(self):
        self.c.llama_sampler_free(self.sampler)
        self.c.llama_free(self.handle)
        self.c.llama_model_free(self.model)
