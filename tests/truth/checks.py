"""Checks that the claims of several problems share: each fails by an assertion."""
import statistics


def number(text):
    return float(text.replace(",", "").replace("−", "-").replace("+", ""))


def near(text, value, digits=3):
    """Checks that `text` is `value`, rounded to the decimals of `text` or else to `digits` significant digits."""
    assert value is not None, f"{text} has nothing to rest on"
    plain = text.replace(",", "")
    decimals = len(plain.partition(".")[2])
    tolerance = 0.5001 * 10 ** -decimals
    if not decimals and len(plain.lstrip("-−")) > digits:
        tolerance = 0.5001 * 10 ** (len(plain.lstrip("-−")) - digits)
    assert abs(number(text) - value) <= tolerance, f"{text} is {value}"


def near_fit(text, value, tolerance=0.01):
    """Checks a number from a fit with a relative tolerance: two ways to find it differ by a hundredth at most."""
    true(abs(number(text) - value) <= tolerance * value + 0.5 * 10 ** -len(text.partition(".")[2]), f"{text} is {value}")


def true(condition, failure=""):
    assert condition, failure


def always(_run, **_groups):
    """Checks nothing, because the sentence holds for every run."""


# The worker's finding on a network of the user's whose steps do less than training steps.
LESS_WORK = r"\*\*(?P<finding>[^*]+'s steps do less than training steps: [^*]+)\*\*\."


def less_work(run, finding):
    true(any(finding in launch.data["warnings"] for cell in run.of("dtypes") for launch in cell.launches), "no launch found it")


# The sentence of an answer that a run does not bear out.
NO_ANSWER = r"This run does not answer this question\."
PRECISIONS = {"FP32": "fp32", "TF32": "tf32", "BF16": "bf16", "FP16": "fp16"}
PRECISION_WORDS = {value: name for name, value in PRECISIONS.items()}
MODES = ["inference", "forward", "forward_backward", "train_step"]
UNITS = {"GiB": 2 ** 30, "MiB": 2 ** 20, "KiB": 2 ** 10, "B": 1}


def median_limit(run, tag, name):
    """Returns the median of a measured rate in the first cell of limits that has it; None if no cell has it."""
    for cell in run.of("limits"):
        samples = cell.ok_launch() and cell.ok_launch().metric(tag, name)
        if samples:
            return statistics.median(samples)
    return None


def bytes_in(text):
    """Returns the bytes that "18.0 GiB" or "5.00 MiB" stand for."""
    digits, unit = text.split()
    return number(digits) * UNITS[unit]


def near_bytes(text, value):
    """Checks that `text`, like "18.0 GiB", is `value` bytes, to its last digit."""
    assert value is not None, f"{text} has nothing to rest on"
    digits, unit = text.split()
    near(digits, value / UNITS[unit])
