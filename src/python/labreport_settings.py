"""Settings of torch and of the process, which labreport chooses and a model can change.

A row of a model that changes one would be called by settings that it does not have, so the row is refused. A training step
of the user's chooses its settings, so its row names them.
"""

import os

import torch
from torch.backends import cuda, cudnn


class SettingChanged(Exception):
    """Raised if a setting is not what labreport set. The message is one line for the reader."""


def blas_setting(name):
    return lambda: getattr(cuda.matmul, name)


def allocator_settings():
    values = torch.cuda.memory._snapshot()["allocator_settings"]
    return ", ".join(f"{name} {value}" for name, value in sorted(values.items()) if value not in ("", None, {}))


# These tables have all settings that are compared, with a function that reads each. What this torch lacks is left out.
SET_FOR_FORWARD = {
    "autocast on a CPU": lambda: torch.is_autocast_enabled("cpu"),
    "autocast's dtype on a CPU": lambda: torch.get_autocast_dtype("cpu"),
    "autocast on a GPU": lambda: torch.is_autocast_enabled("cuda"),
    "autocast's dtype on a GPU": lambda: torch.get_autocast_dtype("cuda"),
    "autocast's cache": torch.is_autocast_cache_enabled,
    "recording of gradients": torch.is_grad_enabled,
}
SETTINGS = SET_FOR_FORWARD | {
    "the default dtype": torch.get_default_dtype,
    "the default device": torch.get_default_device,
    "the number of threads": torch.get_num_threads,
    "the number of threads between operators": torch.get_num_interop_threads,
    "deterministic algorithms": torch.are_deterministic_algorithms_enabled,
    "cudnn.deterministic": lambda: cudnn.deterministic,
    "cudnn.benchmark": lambda: cudnn.benchmark,
    "cudnn.enabled": lambda: cudnn.enabled,
    "anomaly detection": torch.is_anomaly_enabled,
    "FP16 sums in split matrix products": blas_setting("allow_fp16_reduced_precision_reduction"),
    "BF16 sums in split matrix products": blas_setting("allow_bf16_reduced_precision_reduction"),
    "FP16 accumulation in matrix products": blas_setting("allow_fp16_accumulation"),
    "the BLAS library": lambda: torch._C._get_blas_preferred_backend(),
    "flash attention": cuda.flash_sdp_enabled,
    "memory-efficient attention": cuda.mem_efficient_sdp_enabled,
    "cuDNN's attention": cuda.cudnn_sdp_enabled,
    "attention by matrix products": cuda.math_sdp_enabled,
}
# labreport sets these by the cell's precision, after the user's code is imported.
SET_BY_PRECISION = {
    "TF32 in matrix products": lambda: torch._C._get_cublas_allow_tf32(),
    "TF32 in cuDNN": lambda: torch._C._get_cudnn_allow_tf32(),
    "torch.get_float32_matmul_precision()": torch.get_float32_matmul_precision,
}
# These can be read once CUDA has started, which it has not when the user's code is imported.
OF_A_STARTED_GPU = {
    "the GPU's memory limit": lambda: torch.cuda.get_per_process_memory_fraction(),
    "the allocator's settings": allocator_settings,
}
SET_BY_TORCH = ("CUDA_MODULE_LOADING", "TORCHINDUCTOR_", "TORCHDYNAMO_")  # torch sets such variables to its defaults


def read(table):
    values = {}
    for name, read_setting in table.items():
        try:
            values[name] = str(read_setting())
        except (AttributeError, KeyError):
            continue
        except RuntimeError:  # torch does not tell a precision that both its interfaces have set
            values[name] = "unreadable"
    return values


first_changes = []  # the line of the change that was seen first, which later checks repeat


def differences(expected, found):
    """Returns the name of each setting that differs, with the value that was set and the one that was found."""
    pairs = [(name, expected.get(name, "nothing"), found.get(name, "nothing")) for name in expected | found]
    return [(name, was_set, is_now) for name, was_set, is_now in pairs if was_set != is_now]


def compare(expected, found, place):
    """Raises SettingChanged for the first setting that differs."""
    for name, was_set, is_now in differences(expected, found):
        first_changes.append(f"{place} changes {name}: labreport set {was_set}, found {is_now}; leave it unchanged")
        raise SettingChanged(first_changes[0])


class Settings:
    """Remembers what labreport set, beginning before the user's code is imported."""

    def __init__(self, changes_results):
        """`changes_results` tells whether an environment variable of that name changes results."""
        self.changes_results, self.table = changes_results, dict(SETTINGS)
        self.expected = self.read_all()

    def read_all(self):
        variables = {f"the variable {name}": value for name, value in os.environ.items()
                     if self.changes_results(name) and not name.startswith(SET_BY_TORCH)}
        return read(self.table) | variables

    def add_late(self, device):
        """Adds what is known only after the import, just before the user's network or attention is made."""
        late = SET_BY_PRECISION | (OF_A_STARTED_GPU if device.type == "cuda" else {})
        if device.type == "cuda":
            torch.cuda.init()  # the first tensor on the GPU would call it, too
        self.table |= late
        self.expected |= read(late)

    def changes(self, place):
        """Returns a line on each setting that the code of a place has changed."""
        return [f"{place} sets {name} to {is_now}" for name, _, is_now in differences(self.expected, self.read_all())]

    def check(self, place):
        compare(self.expected, self.read_all(), place)
