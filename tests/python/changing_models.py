"""Models each of which changes one setting at one place. Environment variables name both, to keep one file for all."""

import os

import torch
from odd_models import Bigram

CHANGES = {
    "the default dtype": lambda: torch.set_default_dtype(torch.float64),
    "the default device": lambda: torch.set_default_device("meta"),
    "the number of threads": lambda: torch.set_num_threads(torch.get_num_threads() + 1),
    "TF32 in matrix products": lambda: setattr(torch.backends.cuda.matmul, "allow_tf32", True),
    "TF32 in cuDNN": lambda: setattr(torch.backends.cudnn, "allow_tf32", True),
    "deterministic algorithms": lambda: torch.use_deterministic_algorithms(True),
    "cudnn.deterministic": lambda: setattr(torch.backends.cudnn, "deterministic", True),
    "cudnn.benchmark": lambda: setattr(torch.backends.cudnn, "benchmark", True),
    "cudnn.enabled": lambda: setattr(torch.backends.cudnn, "enabled", False),
    "autocast on a CPU": lambda: torch.set_autocast_enabled("cpu", not torch.is_autocast_enabled("cpu")),
    "autocast's dtype on a CPU": lambda: torch.set_autocast_dtype("cpu", torch.float16),
    "autocast on a GPU": lambda: torch.set_autocast_enabled("cuda", True),
    "autocast's dtype on a GPU": lambda: torch.set_autocast_dtype("cuda", torch.bfloat16),
    "autocast's cache": lambda: torch.set_autocast_cache_enabled(False),
    "recording of gradients": lambda: torch.set_grad_enabled(False),
    "anomaly detection": lambda: torch.set_anomaly_enabled(True),
    "FP16 sums in split matrix products": lambda: setattr(
        torch.backends.cuda.matmul, "allow_fp16_reduced_precision_reduction", False),
    "BF16 sums in split matrix products": lambda: setattr(
        torch.backends.cuda.matmul, "allow_bf16_reduced_precision_reduction", False),
    "FP16 accumulation in matrix products": lambda: setattr(torch.backends.cuda.matmul, "allow_fp16_accumulation", True),
    "flash attention": lambda: torch.backends.cuda.enable_flash_sdp(False),
    "memory-efficient attention": lambda: torch.backends.cuda.enable_mem_efficient_sdp(False),
    "cuDNN's attention": lambda: torch.backends.cuda.enable_cudnn_sdp(False),
    "attention by matrix products": lambda: torch.backends.cuda.enable_math_sdp(False),
    "the variable PYTORCH_CUDA_ALLOC_CONF": lambda: os.environ.update(PYTORCH_CUDA_ALLOC_CONF="expandable_segments:True"),
    "the variable CUDA_LAUNCH_BLOCKING": lambda: os.environ.update(CUDA_LAUNCH_BLOCKING="1"),
}


def change_at(place):
    if os.environ.get("CHANGE_AT") == place:
        CHANGES[os.environ["CHANGE"]]()


change_at("import")


class Changing(Bigram):
    def __init__(self, vocab_size):
        super().__init__(vocab_size)
        change_at("__init__")

    def forward(self, ids):
        logits = super().forward(ids)
        change_at("forward")
        return logits


def attend(q, k, v, is_causal):
    change_at("forward")
    return torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=is_causal)
