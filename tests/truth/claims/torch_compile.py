"""The claims about torch.compile, recomputed from both ways' rows, steps and kernels."""
import re
import statistics

from checks import PRECISIONS, always, near, number, true
from timing import LAUNCH_BOUND_BELOW

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


def attention(run, precision, length, narrow, wide, forward, backward, reason):
    """Checks the speedups with the narrowest and the widest heads at the largest length that ran both ways, and keeps
    the rows of d = 64 for the next sentence. With a `reason`, compiling spares both the same time of each pass."""
    if getattr(attention, "run", None) is not run:
        attention.run, attention.pairs = run, []
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
    attention.precision = precision
    attention.pairs.append(pairs[described_d])
    for text, phase in ((forward, "forward"), (backward, "backward")):
        first, last = text.split(" to ") if " to " in text else (text, text)
        near(first, speedup(*ends[0], phase), 2)
        near(last, speedup(*ends[1], phase), 2)
        spared_ns = [eager[f"{phase}_mean_ns"] - compiled[f"{phase}_mean_ns"] for eager, compiled in ends]
        true(not reason or abs(spared_ns[1] / spared_ns[0] - 1) <= 0.0501, "the time that compiling spares changes")
        true(not reason or 1 < speedup(*ends[1], phase) < speedup(*ends[0], phase), "the speedup does not fall")


def dims_of(run, precision):
    return {cell["head_dim"] for cell in run.of("attention", precision=PRECISIONS[precision])
            if cell["implementation"] in WAYS}


def saved_scores(_run):
    for row in (row for pair in attention.pairs for row in pair):
        true(abs((row["before_backward_bytes"] - row["input_bytes"]) / row["score_bytes"] - 2) <= 0.101)


def is_launch_bound(rows):
    """Checks the shortest forward pass: twice the length has at least twice the work, so its kernels take at most a longer
    pass's time over the ratio of lengths."""
    shortest = min(rows)
    times_ns = {length: row["forward_median_ns"] for length, row in rows.items() if row["forward_median_ns"]}
    return min(ns * shortest / length for length, ns in times_ns.items()) < LAUNCH_BOUND_BELOW * times_ns[shortest]


def launches(run, length, reason, lowest, highest=None):
    """Checks that the CPU sets the shortest forward pass both ways, and the range of its speedups. With a `reason`,
    compiled code is slower at each head dimension, or at some."""
    speedups = []
    for d in dims_of(run, attention.precision):
        both = rows_by_length(run, attention.precision, d)
        if not all(both):
            continue
        true(all(number(length) == min(rows) and is_launch_bound(rows) for rows in both))
        speedups.append(speedup(*(rows[number(length)] for rows in both), "forward"))
    near(lowest, min(speedups), 2)
    near(highest or lowest, max(speedups), 2)
    known = "longer" if max(speedups) < 1 else "fusion" if min(speedups) <= 1 else None
    true(known in reason if known and reason else known is None and reason is None, "another reason")


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
    """Returns number and milliseconds of the kernels of forward, loss and backward, except GEMMs."""
    rows = [row for row in cell.ok_launch().table("kernels")
            if row["phase"] in ("forward", "loss", "backward") and not row["class"].startswith("gemm")]
    return sum(row["instances"] for row in rows), sum(row["total_ns"] for row in rows) / 1e6


def network(run, size, precision, step, forward):
    if getattr(network, "run", None) is not run:
        network.run, network.pairs = run, {}
    pair = eager_and_compiled(run, size, precision)
    network.size, network.pairs[precision] = size, pair
    near(step, median_speedup(*pair, "step", "total"))
    near(forward, median_speedup(*pair, "event", "forward"))


def gemm_share(cell):
    """Returns the share of GEMMs in the time of forward's, loss's and backward's kernels, memsets included."""
    rows = [row for row in cell.ok_launch().table("kernels") if row["phase"] in ("forward", "loss", "backward")]
    return sum(row["total_ns"] for row in rows if row["class"].startswith("gemm")) / sum(row["total_ns"] for row in rows)


def fusion(_run, gemms, precision, before, after, share):
    """Checks the time of non-GEMM kernels and the optimizer's share of the compiled step."""
    claimed = re.findall(r"(\S+) % \((\w+)\)", gemms)
    true([name for _, name in claimed] == list(network.pairs))
    for text, name in claimed:
        near(text, 100 * gemm_share(network.pairs[name][0]))
    _, compiled = network.pairs[precision]
    fused(_run, precision, before, after)
    near(share, 100 * median_ms(compiled, "event", "optimizer") / median_ms(compiled, "step", "total"))


def launch_bound(run, size, precision, forward):
    """Checks that the CPU's launches set the forward pass both ways, and that compiled code has fewer of them."""
    pair = eager_and_compiled(run, size, precision)
    near(forward, median_speedup(*pair, "event", "forward"), 2)
    launches = []
    for cell in pair:
        true(cell.ok_launch().metric("busy", "forward") / 1e6 < LAUNCH_BOUND_BELOW * median_ms(cell, "event", "forward"))
        launches.append(sum(row["instances"] for row in cell.ok_launch().table("kernels") if row["phase"] == "forward"))
    true(launches[1] < launches[0], "compiled code launches as many kernels")


HANDOUT_SIZES = {  # d_model, d_ff, layers and heads by edition and size
    "2025": {"small": (768, 3072, 12, 12), "medium": (1024, 4096, 24, 16), "large": (1280, 5120, 36, 20),
             "xl": (1600, 6400, 48, 25), "2.7B": (2560, 10240, 32, 32)},
    "2026": {"small": (768, 3072, 12, 12), "medium": (1024, 4096, 24, 16), "large": (1280, 5120, 36, 20),
             "xl": (2560, 10240, 32, 32), "10B": (4608, 12288, 50, 36)}}


def left_out(run, sizes):
    """Checks that the handout has these sizes, too, and that no network of the run has their shape."""
    shapes = {tuple(cell[name] for name in ("d_model", "d_ff", "layers", "heads")) for cell in run.of("kernels")
              if cell["implementation"] == "pytorch-eager"}
    missing = [size for size, shape in HANDOUT_SIZES[run.edition].items() if shape not in shapes]
    true(sizes.split(", ") == missing, f"{missing} are missing")


def largest(run, size, precision, step, forward):
    """Checks the speedups of the network that the next sentence describes, too."""
    pair, network.size = eager_and_compiled(run, size, precision), size
    near(step, median_speedup(*pair, "step", "total"))
    near(forward, median_speedup(*pair, "event", "forward"))


def fused(run, precision, before, after):
    """Checks the time of kernels other than GEMMs, and that it is at least half of what the step saves."""
    pair = eager_and_compiled(run, network.size, precision)
    (_, eager_ms), (_, fused_ms) = map(non_gemm_kernels, pair)
    near(before, eager_ms)
    near(after, fused_ms)
    true(eager_ms - fused_ms > saved_step_ms(*pair) / 2 > 0, "fusion explains less than half of the gain")


CLAIMS = {
    "overview": [
        (r"- \*\*Compiled, (?P<size>[^*]+?)'s (?P<precision>\w+) training step runs (?P<step>\S+)× as fast and its forward pass "
         r"(?P<forward>\S+)×\.\*\*", largest),
        (r"In (?P<precision>\w+) kernels other than GEMMs fall from (?P<before>\S+) to (?P<after>\S+) ms, because Inductor fuses "
         r"them\.", fused)],
    "torch_compile.a": [
        (r"No configuration ran both ways: .+", always),
        (r"In (?P<precision>\w+) at (?P<length>[\d,]+) tokens \(d = (?P<narrow>\d+)(?: to (?P<wide>\d+))?\) compiled attention runs "
         r"\*\*(?P<forward>[^×]+)×\*\* as fast forward and \*\*(?P<backward>[^×]+)×\*\* backward(?P<reason>, because fusion "
         r"saves as much time at each d, while GEMMs grow)?\.", attention),
        (r"Both save two tensors of scores for backward\.", saved_scores),
        (r"At (?P<length>[\d,]+) tokens the CPU sets forward's time(?P<reason>, which fusion does not shorten|, and calling compiled code "
         r"takes longer)?: \*\*(?P<lowest>[\d.]+)(?: to (?P<highest>[\d.]+))?×\*\*\.", launches)],
    "torch_compile.b": [
        (r"No network ran both ways: .+", always),
        (r"Compiled, (?P<size>.+?)'s (?P<precision>\w+) training step runs \*\*(?P<step>\S+)×\*\* as fast, its forward pass "
         r"\*\*(?P<forward>\S+)×\*\*\.", network),
        (r"Inductor fuses elementwise operations and reductions, not GEMMs, which take (?P<gemms>.+?) of the passes' kernel time: in "
         r"(?P<precision>\w+) the rest falls from (?P<before>\S+) to (?P<after>\S+) ms\. The optimizer, (?P<share>\S+) % of the "
         r"compiled (?P=precision) step, is not compiled\.", fusion),
        (r"(?P<size>\S+)'s (?P<precision>\w+) forward pass runs \*\*(?P<forward>\S+)×\*\* as fast, because the CPU, which sets its time, "
         r"launches fewer kernels\.", launch_bound),
        (r"Not measured: (?P<sizes>.+?)\.$", left_out)]}
