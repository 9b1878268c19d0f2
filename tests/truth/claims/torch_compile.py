"""The claims about torch.compile, recomputed from both ways' rows, steps and kernels."""
import statistics

from checks import PRECISIONS, always, near, near_bytes, number, true

CELL_KINDS = {"attention", "kernels"}
WAYS = {"pytorch-eager": "eager", "pytorch-compiled": "compiled"}


def rows_by_length(run, precision, head_dim):
    """Returns {length: row} of eager and of compiled attention. `score_bytes` of a row is one tensor of scores."""
    rows = {"eager": {}, "compiled": {}}
    for cell in run.of("attention", precision=PRECISIONS[precision], head_dim=head_dim):
        if cell["implementation"] in WAYS and cell.ok_launch():
            width = 2 if cell["precision"] in ("bf16", "fp16") else 4
            for row in cell.ok_launch().table("attention"):
                score_bytes = width * cell["batch"] * cell["heads"] * (row["length"] or 0) ** 2
                rows[WAYS[cell["implementation"]]][row["length"]] = {**row, "score_bytes": score_bytes}
    return rows["eager"], rows["compiled"]


def speedup(eager, compiled, phase):
    return eager[f"{phase}_mean_ns"] / compiled[f"{phase}_mean_ns"]


def clearly_differ(eager, compiled, phase):
    """Tells whether the times differ by more than the sum of their deviations."""
    deviations = [row[f"{phase}_stddev_ns"] for row in (eager, compiled)]
    difference = abs(eager[f"{phase}_mean_ns"] - compiled[f"{phase}_mean_ns"])
    return None not in deviations and difference > sum(deviations)


def attention(run, precision, length, d, forward, backward):
    """Checks the speedups at the largest length that ran both ways, and keeps the rows for the next sentences."""
    eager, compiled = rows_by_length(run, precision, int(d))
    attention.pairs = {key: (eager[key], compiled[key]) for key in eager if key in compiled and all(
        row[f"{phase}_mean_ns"] for row in (eager[key], compiled[key]) for phase in ("forward", "backward"))}
    true(number(length) == max(attention.pairs))
    pair = attention.pairs[number(length)]
    near(forward, speedup(*pair, "forward"))
    near(backward, speedup(*pair, "backward"))


def saved(_run, size, tensors):
    """Checks the bytes that compiled attention keeps for backward. `tensors` is their number of score tensors."""
    _, compiled = attention.pairs[max(attention.pairs)]
    saved_bytes = compiled["before_backward_bytes"] - compiled["input_bytes"]
    near_bytes(size, saved_bytes)
    near(tensors, saved_bytes / compiled["score_bytes"])
    true(number(tensors) >= 0.5)


def shortest(_run, length, forward=None, backward=None):
    """Checks the speedups at the smallest length; an answer has them only if both exceed the deviations."""
    true(number(length) == min(attention.pairs))
    pair = attention.pairs[number(length)]
    clear = clearly_differ(*pair, "forward") and clearly_differ(*pair, "backward")
    true(clear == bool(forward))
    if forward:
        near(forward, speedup(*pair, "forward"))
        near(backward, speedup(*pair, "backward"))


def eager_and_compiled(run, size, precision):
    cells = {}
    for cell in run.of("kernels", size=size, precision=PRECISIONS[precision]):
        if cell["implementation"] in WAYS and cell.ok_launch():
            cells[WAYS[cell["implementation"]]] = cell
    return cells["eager"], cells["compiled"]


def median_ms(cell, tag, name):
    samples = cell.ok_launch().metric(tag, name)
    return statistics.median(samples[-cell["steps"]:]) / 1e6


def median_speedup(eager, compiled, tag, name):
    return median_ms(eager, tag, name) / median_ms(compiled, tag, name)


def saved_step_ms(eager, compiled):
    return median_ms(eager, "step", "total") - median_ms(compiled, "step", "total")


def non_gemm_kernels(cell):
    """Returns number and milliseconds of the kernels of forward, loss and backward, except GEMMs and memsets."""
    rows = [row for row in cell.ok_launch().table("kernels")
            if row["phase"] in ("forward", "loss", "backward") and not row["class"].startswith(("gemm", "memset"))]
    return sum(row["instances"] for row in rows), sum(row["total_ns"] for row in rows) / 1e6


def network(run, size, precision, step, forward, compiled_calls=None, calls=None, before=None, after=None):
    """Checks the speedups, and the number and ms of non-GEMM kernels. Keeps the cells for the next sentences."""
    network.pair = pair = eager_and_compiled(run, size, precision)
    network.size = size
    near(step, median_speedup(*pair, "step", "total"))
    near(forward, median_speedup(*pair, "event", "forward"))
    if calls:
        (eager_calls, eager_ms), (fused_calls, fused_ms) = map(non_gemm_kernels, pair)
        true((eager_calls, fused_calls) == (number(calls), number(compiled_calls)))
        near(before, eager_ms)
        near(after, fused_ms)
        true(eager_ms - fused_ms > saved_step_ms(*pair) / 2 > 0, "fusion explains less than half of the gain")


def optimizer(_run, share):
    """Checks the optimizer's share of the compiled step in %, which explains why the step gains less than forward."""
    _, compiled = network.pair
    near(share, 100 * median_ms(compiled, "event", "optimizer") / median_ms(compiled, "step", "total"))
    true(median_speedup(*network.pair, "step", "total") < median_speedup(*network.pair, "event", "forward"))
    true(abs(median_speedup(*network.pair, "event", "optimizer") - 1) < 0.1, "the optimizer is not the same")


def other_precision(run, precision, step):
    near(step, median_speedup(*eager_and_compiled(run, network.size, precision), "step", "total"))


def payback(_run, steps):
    """Checks the number of steps that together save the time of compiling."""
    _, compiled = network.pair
    saved_ms = saved_step_ms(*network.pair)
    compile_ms = compiled.ok_launch().metric("start-up", "compile") / 1e6
    true(abs(number(steps) - compile_ms / saved_ms) <= 0.51 and saved_ms > 0)


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
