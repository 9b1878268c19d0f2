"""The claims about torch.compile, recomputed from both ways' rows, steps and kernels."""
import statistics

from checks import PRECISIONS, always, near, near_bytes, number, true

CELL_KINDS = {"attention", "kernels"}
WAYS = {"pytorch-eager": "eager", "pytorch-compiled": "compiled"}


def sweeps(run, precision, d):
    """Returns the rows by length, eager and compiled."""
    found = {"eager": {}, "compiled": {}}
    for cell in run.of("attention", precision=PRECISIONS[precision], head_dim=d):
        if cell["implementation"] in WAYS and cell.ok_launch():
            width = 2 if cell["precision"] in ("bf16", "fp16") else 4
            for row in cell.ok_launch().table("attention"):
                scores = width * cell["batch"] * cell["heads"] * (row["length"] or 0) ** 2
                found[WAYS[cell["implementation"]]][row["length"]] = {**row, "scores": scores}
    return found["eager"], found["compiled"]


def speedup(pair, phase):
    return pair[0][f"{phase}_mean_ns"] / pair[1][f"{phase}_mean_ns"]


def clearly_differ(pair, phase):
    """Tells whether the times differ by more than the sum of their deviations."""
    means = [row[f"{phase}_mean_ns"] for row in pair]
    spreads = [row[f"{phase}_stddev_ns"] for row in pair]
    return None not in spreads and abs(means[0] - means[1]) > sum(spreads)


def attention(run, precision, length, d, forward, backward):
    eager, compiled = sweeps(run, precision, int(d))
    attention.pairs = {key: (eager[key], compiled[key]) for key in eager if key in compiled and all(
        side[f"{phase}_mean_ns"] for side in (eager[key], compiled[key]) for phase in ("forward", "backward"))}
    true(number(length) == max(attention.pairs))
    pair = attention.pairs[number(length)]
    near(forward, speedup(pair, "forward"))
    near(backward, speedup(pair, "backward"))


def saved(_run, size, tensors):
    row = attention.pairs[max(attention.pairs)][1]
    kept = row["before_backward_bytes"] - row["input_bytes"]
    near_bytes(size, kept)
    near(tensors, kept / row["scores"])
    true(number(tensors) >= 0.5)


def shortest(_run, length, forward=None, backward=None):
    true(number(length) == min(attention.pairs))
    pair = attention.pairs[number(length)]
    clear = clearly_differ(pair, "forward") and clearly_differ(pair, "backward")
    true(clear == bool(forward))
    if forward:
        near(forward, speedup(pair, "forward"))
        near(backward, speedup(pair, "backward"))


def eager_and_compiled(run, size, precision):
    found = {}
    for cell in run.of("kernels", size=size, precision=PRECISIONS[precision]):
        if cell["implementation"] in WAYS and cell.ok_launch():
            found[WAYS[cell["implementation"]]] = cell
    return found["eager"], found["compiled"]


def median_ms(cell, tag, name):
    samples = cell.ok_launch().metric(tag, name)
    return statistics.median(samples[-cell["steps"]:]) / 1e6


def median_ratio(pair, tag, name):
    return median_ms(pair[0], tag, name) / median_ms(pair[1], tag, name)


def non_gemm_kernels(cell):
    """Returns number and milliseconds of the kernels of forward, loss and backward, except GEMMs and memsets."""
    rows = [row for row in cell.ok_launch().table("kernels")
            if row["phase"] in ("forward", "loss", "backward") and not row["class"].startswith(("gemm", "memset"))]
    return sum(row["instances"] for row in rows), sum(row["total_ns"] for row in rows) / 1e6


def network(run, size, precision, step, forward, compiled_calls=None, calls=None, before=None, after=None):
    network.pair = pair = eager_and_compiled(run, size, precision)
    network.size = size
    near(step, median_ratio(pair, "step", "total"))
    near(forward, median_ratio(pair, "event", "forward"))
    if calls:
        (eager_calls, eager_ms), (fused_calls, fused_ms) = map(non_gemm_kernels, pair)
        true((eager_calls, fused_calls) == (number(calls), number(compiled_calls)))
        near(before, eager_ms)
        near(after, fused_ms)
        saved_ms = median_ms(pair[0], "step", "total") - median_ms(pair[1], "step", "total")
        true(eager_ms - fused_ms > saved_ms / 2 > 0, "fusion explains less than half of the gain")


def optimizer(_run, share):
    eager, compiled = network.pair
    near(share, 100 * median_ms(compiled, "event", "optimizer") / median_ms(compiled, "step", "total"))
    true(median_ratio(network.pair, "step", "total") < median_ratio(network.pair, "event", "forward"))
    true(abs(median_ratio(network.pair, "event", "optimizer") - 1) < 0.1, "the optimizer is not the same")


def other_precision(run, precision, step):
    near(step, median_ratio(eager_and_compiled(run, network.size, precision), "step", "total"))


def payback(_run, steps):
    eager, compiled = network.pair
    saved_ms = median_ms(eager, "step", "total") - median_ms(compiled, "step", "total")
    true(abs(number(steps) - compiled.ok_launch().metric("start-up", "compile") / 1e6 / saved_ms) <= 0.51 and saved_ms > 0)


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
