"""Checks and limits that the claims of several problems share."""
import statistics


def number(text):
    return float(text.replace(",", "").replace("−", "-").replace("+", ""))


def near(text, value, digits=3):
    """`text` is `value` rounded to as many decimals as it has, or to that many significant digits."""
    assert value is not None, f"{text} has nothing to rest on"
    plain = text.replace(",", "")
    decimals = len(plain.partition(".")[2])
    tolerance = 0.5001 * 10 ** -decimals
    if not decimals and len(plain.lstrip("-−")) > digits:
        tolerance = 0.5001 * 10 ** (len(plain.lstrip("-−")) - digits)
    assert abs(number(text) - value) <= tolerance, f"{text} is {value}"


def true(condition, words=""):
    assert condition, words


def always(_run, **_groups):
    """A sentence that every run bears out."""


PRECISIONS = {"FP32": "fp32", "TF32": "tf32", "BF16": "bf16", "FP16": "fp16"}
SPOKEN = {value: name for name, value in PRECISIONS.items()}
MODES = ["inference", "forward", "forward_backward", "train_step"]
GIBIBYTE = 2 ** 30


def median_limit(run, tag, name):
    """The first limits cell's median of a measured rate; None where there is none."""
    for cell in run.of("limits"):
        samples = cell.ok() and cell.ok().metric(tag, name)
        if samples:
            return statistics.median(samples)
    return None


def bytes_in(text):
    """The bytes that "18.0 GiB" or "5.00 MiB" stand for."""
    value, unit = text.split()
    return number(value) * {"GiB": GIBIBYTE, "MiB": 2 ** 20, "KiB": 2 ** 10, "B": 1}[unit]


def near_bytes(text, value):
    """`text` with its unit is that many bytes, to its last digit."""
    near(text.split()[0], value / (bytes_in(text) / number(text.split()[0])))
