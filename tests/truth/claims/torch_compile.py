"""The claims about torch.compile, recomputed from both ways' rows, steps and kernels."""
import math
import re
import statistics

from checks import PRECISIONS, always, near, number, true
from timing import LAUNCH_BOUND_BELOW, is_clear, near_ratio, ratio_of, typical

CELL_KINDS = {"attention", "kernels", "limits"}
WAYS = {"pytorch-eager": "eager", "pytorch-compiled": "compiled"}


def belongs(cell):
    return cell["params"].get("implementation") in WAYS


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


def speedup_with_deviation(eager, compiled, phase):
    ratio = speedup(eager, compiled, phase)
    return ratio, ratio * math.hypot(*((row[f"{phase}_stddev_ns"] or 0) / row[f"{phase}_mean_ns"] for row in (eager, compiled)))


def attention(run, precision, length, narrow, wide, forward, backward):
    """Checks the speedups with the narrowest and the widest heads at the largest length that ran both ways, and keeps
    the rows of both for the next sentence."""
    timed = {}  # (eager, compiled) by length and head dimension
    for d in dims_of(run, precision):
        eager, compiled = rows_by_length(run, precision, d)
        for key in eager.keys() & compiled.keys():
            if all(row[f"{phase}_mean_ns"] for row in (eager[key], compiled[key]) for phase in ("forward", "backward")):
                timed.setdefault(key, {})[d] = eager[key], compiled[key]
    dims = {d for pairs in timed.values() for d in pairs}
    described_d = 64 if 64 in dims else min(dims)
    true(number(length) == max(key for key, pairs in timed.items() if described_d in pairs))
    pairs = timed[number(length)]
    true((int(narrow), int(wide or narrow)) == (min(pairs), max(pairs)), "other head dimensions")
    ends = pairs[min(pairs)], pairs[max(pairs)]
    attention.precision, attention.ends = precision, ends
    for text, phase in ((forward, "forward"), (backward, "backward")):
        first, last = text.split(" to ") if " to " in text else (text, text)
        near_ratio(first, *speedup_with_deviation(*ends[0], phase), 2)
        near_ratio(last, *speedup_with_deviation(*ends[1], phase), 2)


def dims_of(run, precision):
    return {cell["head_dim"] for cell in run.of("attention", precision=PRECISIONS[precision])
            if cell["implementation"] in WAYS}


def is_launch_bound(rows):
    """Checks the shortest forward pass: twice the length has at least twice the work, so its kernels take at most a longer
    pass's time over the ratio of lengths."""
    shortest = min(rows)
    times_ns = {length: row["forward_median_ns"] for length, row in rows.items() if row["forward_median_ns"]}
    return min(ns * shortest / length for length, ns in times_ns.items()) < LAUNCH_BOUND_BELOW * times_ns[shortest]


def saved_passes(_run, least, most):
    """Checks that compiling saves each pass the same time with the narrowest and the widest heads, and forward's in ms."""
    ends = attention.ends
    for phase in ("forward", "backward"):
        spared_ns = [eager[f"{phase}_mean_ns"] - compiled[f"{phase}_mean_ns"] for eager, compiled in ends]
        true(abs(spared_ns[1] / spared_ns[0] - 1) <= 0.0501, "the time that compiling spares changes")
        true(1 < speedup(*ends[1], phase) < speedup(*ends[0], phase), "the speedup does not fall")
    saved_ms = [(eager["forward_mean_ns"] - compiled["forward_mean_ns"]) / 1e6 for eager, compiled in ends]
    near(least, saved_ms[0])
    near(most or least, saved_ms[1])


def launches(run, length, most):
    """Checks that the CPU sets the shortest forward pass both ways, and its largest speedup."""
    speedups = []
    for d in dims_of(run, attention.precision):
        both = rows_by_length(run, attention.precision, d)
        if not all(both):
            continue
        true(all(number(length) == min(rows) and is_launch_bound(rows) for rows in both))
        speedups.append(speedup_with_deviation(*(rows[number(length)] for rows in both), "forward"))
    ratio, deviation = max(speedups)
    near_ratio(most, ratio, deviation, 2)


def eager_and_compiled(run, size, precision):
    cells = {}
    for cell in run.of("kernels", size=size, precision=PRECISIONS[precision]):
        if cell["implementation"] in WAYS and cell.ok_launch():
            cells[WAYS[cell["implementation"]]] = cell
    return cells["eager"], cells["compiled"]


def median_ms(cell, tag, name):
    samples = cell.ok_launch().metric(tag, name)
    return statistics.median(samples[-cell["steps"]:]) / 1e6


def times_ms(cell, tag, name):
    return [ns / 1e6 for ns in cell.ok_launch().metric(tag, name)[-cell["steps"]:]]


def steps_and_forwards(pair):
    """Returns the times of steps and of forward passes, each eager and compiled."""
    return [[times_ms(cell, tag, name) for cell in pair] for tag, name in (("step", "total"), ("event", "forward"))]


def saved_step_ms(eager, compiled):
    steps, _ = steps_and_forwards((eager, compiled))
    true(is_clear(*steps), "the step is not clearly shorter")
    return typical(steps[0]) - typical(steps[1])


def non_gemm_kernels(cell):
    """Returns number and milliseconds of the kernels of forward, loss and backward, except GEMMs."""
    rows = [row for row in cell.ok_launch().table("kernels")
            if row["phase"] in ("forward", "loss", "backward") and not row["class"].startswith("gemm")]
    return sum(row["instances"] for row in rows), sum(row["total_ns"] for row in rows) / 1e6


def network(run, size, precision, step, forward, gemms):
    pair = eager_and_compiled(run, size, precision)
    network.size = size
    for text, times in zip((step, forward), steps_and_forwards(pair)):
        near_ratio(text, *ratio_of(*times))
    near(gemms, 100 * gemm_ms(pair[0]) / (gemm_ms(pair[0]) + non_gemm_kernels(pair[0])[1]))


def gemm_ms(cell):
    """Returns the time of GEMMs in forward, loss and backward."""
    return sum(row["total_ns"] for row in cell.ok_launch().table("kernels")
               if row["phase"] in ("forward", "loss", "backward") and row["class"].startswith("gemm")) / 1e6


def fusion(run, before, after, precision, share):
    """Checks that GEMMs take as long both ways, that fusion saves most of the step's gain, and the optimizer's share of the
    compiled step."""
    fused(run, precision, before, after)
    eager, compiled = eager_and_compiled(run, network.size, precision)
    true(abs(gemm_ms(compiled) / gemm_ms(eager) - 1) <= 0.0501, "GEMMs change")
    near(share, 100 * typical(times_ms(compiled, "event", "optimizer")) / typical(times_ms(compiled, "step", "total")))


def launch_bound(run, size, precision, forward):
    """Checks that the CPU's launches set the forward pass both ways, and that compiled code has fewer of them."""
    pair = eager_and_compiled(run, size, precision)
    _, forwards = steps_and_forwards(pair)
    near_ratio(forward, *ratio_of(*forwards), 2)
    launches = []
    for cell in pair:
        true(cell.ok_launch().metric("busy", "forward") / 1e6 < LAUNCH_BOUND_BELOW * median_ms(cell, "event", "forward"))
        launches.append(sum(row["instances"] for row in cell.ok_launch().table("kernels") if row["phase"] == "forward"))
    true(launches[1] < launches[0], "compiled code launches as many kernels")


def largest(run, size, precision, step, forward):
    """Checks that the speedups of the network, which the next sentence describes, too, are clear."""
    pair, network.size = eager_and_compiled(run, size, precision), size
    for text, times in zip((step, forward), steps_and_forwards(pair)):
        near_ratio(text, *ratio_of(*times))
        true(is_clear(*times), "the speedup is not clear")


def fused(run, precision, before, after):
    """Checks the time of kernels other than GEMMs, and that it is at least half of what the step saves."""
    pair = eager_and_compiled(run, network.size, precision)
    (_, eager_ms), (_, fused_ms) = map(non_gemm_kernels, pair)
    near(before, eager_ms)
    near(after, fused_ms)
    saves_by_fusion(*pair)


def saves_by_fusion(eager, compiled):
    (_, eager_ms), (_, fused_ms) = map(non_gemm_kernels, (eager, compiled))
    true(eager_ms - fused_ms > saved_step_ms(eager, compiled) / 2 > 0, "fusion explains less than half of the gain")


CLAIMS = {
    "overview": [
        (r"- \*\*Compiled, (?P<size>[^*]+?)'s (?P<precision>\w+) training step runs (?P<step>[^×*]+)× as fast and its forward pass "
         r"(?P<forward>[^×*]+)×\.\*\*", largest),
        (r"In (?P<precision>\w+) kernels other than GEMMs fall from (?P<before>\S+) to (?P<after>\S+) ms, because Inductor fuses "
         r"them\.", fused)],
    "torch_compile.a": [
        (r"No configuration ran both ways: .+", always),
        (r"In (?P<precision>\w+) at (?P<length>[\d,]+) tokens \(d = (?P<narrow>\d+)(?: to (?P<wide>\d+))?\) compiled attention runs "
         r"\*\*(?P<forward>[^×*]+)×\*\* as fast forward and \*\*(?P<backward>[^×*]+)×\*\* backward\.", attention),
        (r"Fusion spares reads and writes of scores, which saves forward \*\*(?P<least>\S+)(?: to (?P<most>\S+))? ms\*\* at each d, "
         r"while GEMMs grow with d\.", saved_passes),
        (r"At (?P<length>[\d,]+) tokens forward, whose time the CPU sets, runs at most \*\*(?P<most>\S+)×\*\* as fast\.", launches)],
    "torch_compile.b": [
        (r"No network ran both ways: .+", always),
        (r"Compiled, (?P<size>.+?)'s (?P<precision>\w+) training step runs \*\*(?P<step>[^×*]+)×\*\* as fast, its forward pass "
         r"\*\*(?P<forward>[^×*]+)×\*\*; GEMMs take (?P<gemms>\S+) % of eager passes' kernel time\.", network),
        (r"Inductor leaves GEMMs as they are and fuses the other kernels, from (?P<before>\S+) to (?P<after>\S+) ms in "
         r"(?P<precision>\w+); the optimizer, \*\*(?P<share>\S+) %\*\* of that compiled step, is not compiled\.", fusion),
        (r"(?P<size>\S+)'s (?P<precision>\w+) forward pass runs \*\*(?P<forward>\S+)×\*\* as fast: the CPU sets its time, and has "
         r"fewer kernels to launch\.", launch_bound)]}
