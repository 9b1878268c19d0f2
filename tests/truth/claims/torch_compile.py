"""The claims about torch.compile, recomputed from both ways' rows, steps and kernels."""
import statistics

from checks import PRECISIONS, always, median_limit, near, number, true
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


def attention(run, precision, length, d, forward, backward, copies):
    """Checks the speedups at the largest length that ran both ways, and keeps the rows for the next sentences. `copies`
    of the scores take as long as the forward pass saves."""
    eager, compiled = rows_by_length(run, precision, int(d))
    attention.pairs = {key: (eager[key], compiled[key]) for key in eager if key in compiled and all(
        row[f"{phase}_mean_ns"] for row in (eager[key], compiled[key]) for phase in ("forward", "backward"))}
    true(number(length) == max(attention.pairs))
    pair = attention.pairs[number(length)]
    near(forward, speedup(*pair, "forward"))
    near(backward, speedup(*pair, "backward"))
    if copies:
        true(precision in ("FP32", "TF32"))
        saved_s = (pair[0]["forward_mean_ns"] - pair[1]["forward_mean_ns"]) / 1e9
        near(copies, saved_s / (2 * pair[0]["score_bytes"] / median_limit(run, "copy", "bandwidth")), 2)


def launches(_run, up_to, short_ms, short, long_ms, long):
    """Checks that eager's forward takes about as long at both lengths, though the longer has four times the scores."""
    true(up_to == long and number(short) == min(attention.pairs) and number(long) >= 2 * number(short))
    times_ms = {length: eager["forward_mean_ns"] / 1e6 for length, (eager, _) in attention.pairs.items()}
    near(short_ms, times_ms[number(short)])
    near(long_ms, times_ms[number(long)])
    true(all(abs(ms / times_ms[number(short)] - 1) <= 0.201 for length, ms in times_ms.items() if length <= number(long)))


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


def network(run, size, precision, step, forward):
    if getattr(network, "run", None) is not run:
        network.run, network.pairs = run, {}
    pair = eager_and_compiled(run, size, precision)
    network.pairs[precision] = pair
    near(step, median_speedup(*pair, "step", "total"))
    near(forward, median_speedup(*pair, "event", "forward"))


def fusion(_run, precision, before, after, share):
    """Checks the time of non-GEMM kernels and the optimizer's share of the compiled step."""
    eager, compiled = network.pairs[precision]
    (_, eager_ms), (_, fused_ms) = map(non_gemm_kernels, (eager, compiled))
    near(before, eager_ms)
    near(after, fused_ms)
    true(eager_ms - fused_ms > saved_step_ms(eager, compiled) / 2 > 0, "fusion explains less than half of the gain")
    near(share, 100 * median_ms(compiled, "event", "optimizer") / median_ms(compiled, "step", "total"))


def launch_bound(run, size, precision, forward, eager_share, compiled_share):
    """Checks that the CPU's launches set the forward pass both ways, and that compiled code has fewer of them."""
    pair = eager_and_compiled(run, size, precision)
    near(forward, median_speedup(*pair, "event", "forward"))
    launches = []
    for cell, text in zip(pair, (eager_share, compiled_share)):
        busy_share = min(1, cell.ok_launch().metric("busy", "forward") / 1e6 / median_ms(cell, "event", "forward"))
        near(text, 100 * busy_share)
        true(busy_share < LAUNCH_BOUND_BELOW)
        launches.append(sum(row["instances"] for row in cell.ok_launch().table("kernels") if row["phase"] == "forward"))
    true(launches[1] < launches[0], "compiled code launches as many kernels")


CLAIMS = {
    "torch_compile.a": [
        (r"No configuration ran both ways: .+", always),
        (r"In (?P<precision>\w+) at (?P<length>[\d,]+) tokens and d = (?P<d>\d+) compiled attention runs \*\*(?P<forward>\S+)×\*\* as fast "
         r"forward and \*\*(?P<backward>\S+)×\*\* as fast backward(?:: fusing spares forward the time of (?P<copies>\S+) copies of the "
         r"scores)?\.", attention),
        (r"Up to (?P<up_to>[\d,]+) tokens the CPU's launches set the time: eager's forward pass takes "
         r"(?P<short_ms>\S+) ms at (?P<short>[\d,]+) and (?P<long_ms>\S+) ms at (?P<long>[\d,]+) tokens\.", launches)],
    "torch_compile.b": [
        (r"No network ran both ways: .+", always),
        (r"Compiled, (?P<size>.+?)'s (?P<precision>\w+) training step runs \*\*(?P<step>\S+)×\*\* as fast and its forward pass "
         r"\*\*(?P<forward>\S+)×\*\*\.", network),
        (r"Inductor fuses elementwise operations and reductions: in (?P<precision>\w+) the time of non-GEMM kernels falls from "
         r"(?P<before>\S+) to (?P<after>\S+) ms\. The optimizer, (?P<share>\S+) % of the compiled step, is not compiled\.", fusion),
        (r"(?P<size>\S+)'s (?P<precision>\w+) forward pass runs \*\*(?P<forward>\S+)×\*\* as fast with fewer launches, and is "
         r"launch-bound both ways: kernels fill (?P<eager_share>\S+) % of it eager and (?P<compiled_share>\S+) % compiled\.",
         launch_bound)]}
