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


def attention(run, precision, forward, length, narrow, wide, backward, pays):
    """Checks the speedups with the narrowest and the widest heads at the largest length that ran both ways, and from which
    length on all times are shorter. Keeps the rows for the next sentences."""
    timed = {}  # (eager, compiled) by length and head dimension
    for d in dims_of(run, precision):
        eager, compiled = rows_by_length(run, precision, d)
        for key in eager.keys() & compiled.keys():
            if all(row[f"{phase}_mean_ns"] for row in (eager[key], compiled[key]) for phase in PASSES):
                timed.setdefault(key, {})[d] = eager[key], compiled[key]
    dims = {d for pairs in timed.values() for d in pairs}
    described_d = 64 if 64 in dims else min(dims)
    true(number(length) == max(key for key, pairs in timed.items() if described_d in pairs))
    pairs = timed[number(length)]
    true((int(narrow), int(wide or narrow)) == (min(pairs), max(pairs)), "other head dimensions")
    attention.timed, attention.ends = timed, (pairs[min(pairs)], pairs[max(pairs)])
    for text, phase in ((forward, "forward"), (backward, "backward")):
        first, last = text.split(" to ") if " to " in text else (text, text)
        near_ratio(first, *speedup_with_deviation(*attention.ends[0], phase), 2)
        near_ratio(last, *speedup_with_deviation(*attention.ends[1], phase), 2)
    paying = [key for key in timed if all(set(verdicts(timed[later])) == {"shorter"} for later in timed if later >= key)]
    true((number(pays) if pays else None) == min(paying, default=None), f"compiling pays from {paying}")
    attention.below = [key for key in timed if key not in paying]


PASSES = ("forward", "backward")


def verdicts(pairs):
    """Tells of each time at one length whether compiling makes it shorter or longer by more than both deviations together."""
    for eager, compiled in pairs.values():
        for phase in PASSES:
            change, spread = (compiled[f"{phase}_mean_ns"] - eager[f"{phase}_mean_ns"],
                              sum(row[f"{phase}_stddev_ns"] or math.inf for row in (eager, compiled)))
            yield "shorter" if -change > spread else "longer" if change > spread else "alike"


COUNTS = ["none", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"]


def lengths(_run, shorter, which, longer):
    """Checks how many times compiling shortens and lengthens at the lengths below those at which it pays."""
    found = [verdict for key in attention.below for verdict in verdicts(attention.timed[key])]
    every = len(attention.below) == len(attention.timed)
    true(which == (f"all {len(found)} times" if every else f"the {len(found)} times below"), f"{which}: {len(found)}")
    for text, verdict in ((shorter, "shorter"), (longer, "longer")):
        true((COUNTS.index(text) if text in COUNTS else number(text)) == found.count(verdict), f"{found.count(verdict)} {verdict}")


def dims_of(run, precision):
    return {cell["head_dim"] for cell in run.of("attention", precision=PRECISIONS[precision])
            if cell["implementation"] in WAYS}


def saved_passes(_run, saved):
    """Checks that compiling saves each pass the same time with the narrowest and the widest heads, and forward's in ms."""
    ends = attention.ends
    for phase in PASSES:
        spared_ns = [eager[f"{phase}_mean_ns"] - compiled[f"{phase}_mean_ns"] for eager, compiled in ends]
        true(abs(spared_ns[1] / spared_ns[0] - 1) <= 0.0501, "the time that compiling spares changes")
        true(1 < speedup(*ends[1], phase) < speedup(*ends[0], phase), "the speedup does not fall")
    near(saved, sum(eager["forward_mean_ns"] - compiled["forward_mean_ns"] for eager, compiled in ends) / 2e6)


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


def near_brief(text, ratio, deviation):
    """Checks a ratio that has its deviation beside it only if it is not clear, and else no digit beyond the deviation's first."""
    value, _, spread = text.partition(" ± ")
    near(value, ratio)
    decimals = len(value.partition(".")[2])
    true(spread or decimals == 0 or deviation < 1.0001 * 10 ** (1 - decimals), f"{text} ± {deviation}")
    true(bool(spread) == (abs(ratio - 1) <= deviation), f"the deviation of {text} is {deviation}")


def networks(run, precision, smallest, largest_size, step, forward, gemms, size):
    """Checks the speedups of the smallest and the largest network that ran both ways, and the latter's share of GEMMs."""
    cells = [cell for cell in run.of("kernels", precision=PRECISIONS[precision])
             if cell["implementation"] in WAYS and cell.ok_launch() and times_ms(cell, "step", "total")
             and times_ms(cell, "event", "forward") and (gemm_ms(cell) or WAYS[cell["implementation"]] == "compiled")]
    both = [cell["size"] for cell in sorted(cells, key=lambda cell: cell.parameters())]
    both = [name for name in dict.fromkeys(both) if both.count(name) == 2]
    true((smallest, largest_size or smallest, size) == (both[0], both[-1], both[-1]), f"ran: {both}")
    ends = [eager_and_compiled(run, name, precision) for name in (both[0], both[-1])]
    for text, kind in ((step, 0), (forward, 1)):
        parts = text.split(" to ")
        for part, pair in zip((parts[0], parts[-1]), ends):
            near_brief(part, *ratio_of(*steps_and_forwards(pair)[kind]))
    networks.size = size
    eager = ends[1][0]
    near(gemms, 100 * gemm_ms(eager) / (gemm_ms(eager) + non_gemm_kernels(eager)[1]))
    networks.precision = precision


def gemm_ms(cell):
    """Returns the time of GEMMs in forward, loss and backward."""
    return sum(row["total_ns"] for row in cell.ok_launch().table("kernels")
               if row["phase"] in ("forward", "loss", "backward") and row["class"].startswith("gemm")) / 1e6


def fusion(run, size):
    """Checks that GEMMs take as long both ways, and that fusion saves most of the step's gain."""
    true(size == networks.size)
    eager, compiled = eager_and_compiled(run, size, networks.precision)
    saves_by_fusion(eager, compiled)
    true(abs(gemm_ms(compiled) / gemm_ms(eager) - 1) <= 0.0501, "GEMMs change")


def launch_bound(run, size, precision):
    """Checks that the CPU's launches set the forward pass both ways, and that compiled code has fewer of them."""
    pair = eager_and_compiled(run, size, precision)
    _, forwards = steps_and_forwards(pair)
    true(is_clear(*forwards) and typical(forwards[0]) > typical(forwards[1]), "the pass is not clearly faster")
    launches = []
    for cell in pair:
        true(cell.ok_launch().metric("busy", "forward") / 1e6 < LAUNCH_BOUND_BELOW * median_ms(cell, "event", "forward"))
        launches.append(sum(row["instances"] for row in cell.ok_launch().table("kernels") if row["phase"] == "forward"))
    true(launches[1] < launches[0], "compiled code launches as many kernels")


def largest(run, size, precision, step, forward):
    """Checks that the speedups of the network, which the next sentence describes, too, are clear."""
    pair, networks.size = eager_and_compiled(run, size, precision), size
    for text, times in zip((step, forward), steps_and_forwards(pair)):
        near_ratio(text, *ratio_of(*times))
        true(is_clear(*times), "the speedup is not clear")


def fused(run, precision, before, after):
    """Checks the time of kernels other than GEMMs, and that it is at least half of what the step saves."""
    pair = eager_and_compiled(run, networks.size, precision)
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
        (r"Compiled (?P<precision>\w+) attention runs \*\*(?P<forward>[^×*]+)×\*\* as fast forward at (?P<length>[\d,]+) tokens "
         r"\(d = (?P<narrow>\d+)(?: to (?P<wide>\d+))?\), \*\*(?P<backward>[^×*]+)×\*\* backward"
         r"(?:, and pays at each d from (?P<pays>[\d,]+) tokens)?\.", attention),
        (r"Beyond scatter it shortens (?P<shorter>\w+) of (?P<which>[\w ]+?) and lengthens (?P<longer>\w+)\.", lengths),
        (r"Fusion saves forward about \*\*(?P<saved>\S+) ms\*\* of reading and writing scores at each d; GEMMs grow with d\.",
         saved_passes)],
    "torch_compile.b": [
        (r"No network ran both ways: .+", always),
        (r"Compiled, (?P<precision>\w+) training steps of (?P<smallest>\S+)(?: to (?P<largest_size>\S+))? run \*\*(?P<step>[^×*]+)×\*\* as "
         r"fast, forward passes \*\*(?P<forward>[^×*]+)×\*\*; GEMMs take (?P<gemms>\S+) % of (?P<size>\S+)'s eager kernel time\.",
         networks),
        (r"Inductor leaves GEMMs as they are and fuses (?P<size>\S+)'s other kernels; the optimizer is not compiled\.", fusion),
        (r"In (?P<size>\S+)'s (?P<precision>\w+) forward pass the CPU sets the time, and has fewer kernels to launch\.",
         launch_bound)]}
