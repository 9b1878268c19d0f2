"""What claims of several problems have in common."""


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
