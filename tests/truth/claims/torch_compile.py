"""The claims about torch.compile, recomputed from both ways' rows, steps and kernels."""
import statistics

from checks import PRECISIONS, always, near, near_bytes, number, true

KINDS = {"attention", "kernels"}
WAYS = {"pytorch-eager": "eager", "pytorch-compiled": "compiled"}


def sweeps(run, precision, d):
    """Rows by way and length."""
    found = {"eager": {}, "compiled": {}}
    for cell in run.of("attention", precision=PRECISIONS[precision], head_dim=d):
        if cell["implementation"] in WAYS and cell.ok():
            width = 2 if cell["precision"] in ("bf16", "fp16") else 4
            for row in cell.ok().table("attention"):
                scores = width * cell["batch"] * cell["heads"] * (row["length"] or 0) ** 2
                found[WAYS[cell["implementation"]]][row["length"]] = {**row, "scores": scores}
    return found["eager"], found["compiled"]


def gain(pair, phase):
    return pair[0][f"{phase}_mean_ns"] / pair[1][f"{phase}_mean_ns"]


def exceeds(pair, phase):
    """The difference exceeds both deviations together."""
    means = [row[f"{phase}_mean_ns"] for row in pair]
    spreads = [row[f"{phase}_stddev_ns"] for row in pair]
    return None not in spreads and abs(means[0] - means[1]) > sum(spreads)


def attention(run, precision, length, d, forward, backward):
    eager, compiled = sweeps(run, precision, int(d))
    attention.pairs = {key: (eager[key], compiled[key]) for key in eager if key in compiled and all(
        side[f"{phase}_mean_ns"] for side in (eager[key], compiled[key]) for phase in ("forward", "backward"))}
    true(number(length) == max(attention.pairs))
    pair = attention.pairs[number(length)]
    near(forward, gain(pair, "forward"))
    near(backward, gain(pair, "backward"))


def saved(_run, size, tensors):
    row = attention.pairs[max(attention.pairs)][1]
    kept = row["before_backward_bytes"] - row["input_bytes"]
    near_bytes(size, kept)
    near(tensors, kept / row["scores"])
    true(number(tensors) >= 0.5)


def shortest(_run, length, forward=None, backward=None):
    true(number(length) == min(attention.pairs))
    pair = attention.pairs[number(length)]
    clear = exceeds(pair, "forward") and exceeds(pair, "backward")
    true(clear == bool(forward))
    if forward:
        near(forward, gain(pair, "forward"))
        near(backward, gain(pair, "backward"))


def ways(run, size, precision):
    found = {}
    for cell in run.of("kernels", size=size, precision=PRECISIONS[precision]):
        if cell["implementation"] in WAYS and cell.ok():
            found[WAYS[cell["implementation"]]] = cell
    return found["eager"], found["compiled"]


def middle(cell, tag, name):
    samples = cell.ok().metric(tag, name)
    return statistics.median(samples[-cell["steps"]:]) / 1e6


def ratio(pair, tag, name):
    return middle(pair[0], tag, name) / middle(pair[1], tag, name)


def others(cell):
    rows = [row for row in cell.ok().table("kernels")
            if row["phase"] in ("forward", "loss", "backward") and not row["class"].startswith(("gemm", "memset"))]
    return sum(row["instances"] for row in rows), sum(row["total_ns"] for row in rows) / 1e6


def network(run, size, precision, step, forward, compiled_calls=None, calls=None, before=None, after=None):
    network.pair = pair = ways(run, size, precision)
    network.size = size
    near(step, ratio(pair, "step", "total"))
    near(forward, ratio(pair, "event", "forward"))
    if calls:
        (eager_calls, eager_ms), (fused_calls, fused_ms) = map(others, pair)
        true((eager_calls, fused_calls) == (number(calls), number(compiled_calls)))
        near(before, eager_ms)
        near(after, fused_ms)
        saved_ms = middle(pair[0], "step", "total") - middle(pair[1], "step", "total")
        true(eager_ms - fused_ms > saved_ms / 2 > 0, "fusion explains less than half of the gain")


def optimizer(_run, share):
    eager, compiled = network.pair
    near(share, 100 * middle(compiled, "event", "optimizer") / middle(compiled, "step", "total"))
    true(ratio(network.pair, "step", "total") < ratio(network.pair, "event", "forward"))
    true(abs(ratio(network.pair, "event", "optimizer") - 1) < 0.1, "the optimizer is not the same")


def other_precision(run, precision, step):
    near(step, ratio(ways(run, network.size, precision), "step", "total"))


def payback(_run, steps):
    eager, compiled = network.pair
    saved_ms = middle(eager, "step", "total") - middle(compiled, "step", "total")
    true(abs(number(steps) - compiled.ok().metric("start-up", "compile") / 1e6 / saved_ms) <= 0.51 and saved_ms > 0)


CLAIMS = {
    "torch_compile.a": [
        (r"No configuration ran both ways: .+", always),
        (r"In (?P<precision>\w+) at (?P<length>[\d,]+) tokens and d = (?P<d>\d+) compiled attention runs \*\*(?P<forward>\S+)×\*\* as fast "
         r"forward and \*\*(?P<backward>\S+)×\*\* as fast backward\.", attention),
        (r"It still saves (?P<size>\S+ \w+) for backward, (?P<tensors>\S+) tensors of scores: compiling does not remove what grows with "
         r"the square of the length\.", saved),
        (r"At (?P<length>[\d,]+) tokens it runs (?P<forward>\S+)× and (?P<backward>\S+)× as fast\.", shortest),
        (r"At (?P<length>[\d,]+) tokens the speedups do not exceed the deviations\.", shortest)],
    "torch_compile.b": [
        (r"No network ran both ways: .+", always),
        (r"Compiled, (?P<size>.+?)'s (?P<precision>\w+) training step runs \*\*(?P<step>\S+)×\*\* as fast and its forward pass "
         r"\*\*(?P<forward>\S+)×\*\*(?:, because Inductor fuses elementwise operations and reductions: (?P<compiled_calls>\S+) non-GEMM "
         r"kernels replace (?P<calls>\S+) in forward and backward, and their time falls from (?P<before>\S+) to (?P<after>\S+) ms)?\.",
         network),
        (r"The step gains less: the optimizer, which is not compiled, takes (?P<share>\S+) % of it\.", optimizer),
        (r"In (?P<precision>\w+) the step runs (?P<step>\S+)× as fast\.", other_precision),
        (r"Compiling pays off after (?P<steps>\S+) steps\.", payback)]}
