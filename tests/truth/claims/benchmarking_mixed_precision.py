"""The claims about the mixed-precision problem, recomputed from dtypes, errors, steps and kernels."""
import math
import re
import statistics

from checks import MODES, PRECISION_WORDS, near, number, true
from timing import SETTING, ms_after_warmup, networks, setting, users_cells, variation

CELL_KINDS = {"dtypes", "layer_norm", "timing", "kernels"}
DTYPE_WORDS = {"float32": "FP32", "float16": "FP16", "bfloat16": "BF16"}


def dtypes(run, precision="fp16"):
    """Returns lists of the dtypes of the toy model's tensors, by group and by (group, name)."""
    launch = next(cell for cell in run.of("dtypes") if not cell["implementation"]).ok_launch()
    dtypes_by_key = {}
    for row in launch.table("dtypes"):
        if row["precision"] == precision:
            for key in (row["group"], (row["group"], row["name"])):
                dtypes_by_key.setdefault(key, []).append(DTYPE_WORDS.get(row["dtype"], row["dtype"]))
    return dtypes_by_key


def traced(run, mean, **claimed):
    dtypes_by_key = dtypes(run)
    keys = {"parameters": "parameter", "fc1": ("output", "fc1"), "ln": ("output", "ln"), "fc2": ("output", "fc2"),
            "loss": ("loss", "cross-entropy"), "gradients": "gradient"}
    for name, key in keys.items():
        measured = set(dtypes_by_key.get(key, ["–"]))
        true(set(claimed[name].split(" and ")) == measured, f"{name}: {claimed[name]} is {measured}")
    true((mean or claimed["loss"]) == dtypes_by_key.get(("loss", "mean"), ["–"])[0])


def same_tensors(run):
    fp16, bf16 = dtypes(run), dtypes(run, "bf16")
    bf16_instead_of = {"FP16": "BF16", "FP32": "FP32"}
    for group in ("parameter", "output", "loss", "gradient", "optimizer state"):
        true([bf16_instead_of.get(dtype) for dtype in fp16.get(group, [])] == bf16.get(group, []), group)
    true(bool(fp16))


def norm_gives_fp16_on_cpu(run):
    true(dtypes(run)[("output", "ln")] == ["FP16"] and run.cells[0]["device_kind"] == "cpu")


def untraced(run):
    true(all(cell.ok_launch() is None for cell in run.of("dtypes") if not cell["implementation"]))


def model_untraced(run, model):
    true(all(cell.ok_launch() is None for cell in run.of("dtypes") if cell["implementation"] == model))


def error_rows(run, number_format, method=None):
    """Returns the rows of layer normalization of the widest vectors in this format, by ascending scale."""
    launch = run.of("layer_norm")[0].ok_launch()
    numeric = ("width", "scale_log2", "sum_overflow", "square_overflow")
    rows = [row for row in (launch.table("layer_norm") if launch else [])
            if row["format"] in ("fp16", "bf16") and all(isinstance(row[name], (int, float)) for name in numeric)]
    width = max((row["width"] for row in rows), default=0)
    return sorted((row for row in rows if row["width"] == width and row["format"] == number_format
                   and method in (None, row["method"])), key=lambda row: row["scale_log2"])


def error_at_scale_1(run, method):
    """Returns the relative error of BF16's output at input scale 1; None if it was not measured."""
    return next((row["output_error"] for row in error_rows(run, "bf16", method) if row["scale_log2"] == 0), None)


def first_overflow(run, scale):
    scales = [row["scale_log2"] for row in error_rows(run, "fp16", "rounded") if row["sum_overflow"] > 0]
    true(scales[:1] == [int(scale.translate(str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")))], f"{scale} is {scales}")


def statistics_matter(run, nothing, reductions, fp32):
    overflowing_rows = [row for row in error_rows(run, "bf16") if row["sum_overflow"] > 0 or row["square_overflow"] > 0]
    true(bool(nothing) == (not overflowing_rows), "BF16 overflows")
    check_errors(run, reductions, fp32)
    true(error_at_scale_1(run, "reductions") > 1.4 * error_at_scale_1(run, "fp32_statistics"))


def check_errors(run, reductions, fp32):
    near(reductions, 100 * error_at_scale_1(run, "reductions"), 2)
    near(fp32, 100 * error_at_scale_1(run, "fp32_statistics"), 2)


def statistics_do_not_matter(run, reductions, fp32):
    check_errors(run, reductions, fp32)
    true(error_at_scale_1(run, "reductions") < 1.6 * error_at_scale_1(run, "fp32_statistics"))


def no_norm_result(run):
    true(None in (error_at_scale_1(run, "reductions"), error_at_scale_1(run, "fp32_statistics")))


class PrecisionPair:
    """The timings of one network in FP32 and in a reduced precision. A speedup is that of the reduced one."""
    def __init__(self, fp32, reduced):
        self.fp32, self.reduced, self.size = fp32, reduced, reduced.size

    def speedup(self, phase):
        fp32_ms, reduced_ms = (statistics.fmean(one.phase(phase) or [0]) for one in (self.fp32, self.reduced))
        return fp32_ms / reduced_ms if min(fp32_ms, reduced_ms) > 0 else None

    def deviation(self, phase):
        return self.speedup(phase) * math.hypot(variation(self.fp32.phase(phase)), variation(self.reduced.phase(phase)))


def pairs(run):
    """Returns pairs in the answer's precision by ascending size; only those that timed backward if there are any."""
    timed_networks = sorted(networks(run), key=lambda one: one.shape.parameters())
    without_precision = lambda one: [one.shape[name] for name in SETTING if name != "precision"]
    compared = [PrecisionPair(fp32, reduced) for fp32 in timed_networks for reduced in timed_networks
                if fp32.shape["precision"] == "fp32" != reduced.shape["precision"]
                and without_precision(fp32) == without_precision(reduced)]
    measured = {pair.reduced.shape["precision"] for pair in compared}
    precision = next((name for name in ("bf16", "fp16", "tf32") if name in measured), "")
    compared = [pair for pair in compared if pair.reduced.shape["precision"] == precision and pair.speedup("forward")]
    return [pair for pair in compared if pair.speedup("backward")] or compared


def speedups(run, precision, one, first, first_size, last, last_size, backward):
    compared = pairs(run)
    smallest, largest = compared[0], compared[-1]
    true(PRECISION_WORDS[smallest.reduced.shape["precision"]] == precision and (len(compared) == 1) == bool(one))
    true(smallest.size == (one or first_size) and (one or largest.size == last_size))
    near(first, smallest.speedup("forward"))
    if last:
        near(last, largest.speedup("forward"))
    true(bool(backward) == bool(smallest.speedup("backward")))
    for text, pair in zip((backward.split(" to ") * 2)[:2] if backward else (), (smallest, largest)):
        near(text, pair.speedup("backward"))


def grows(compared, phase):
    """Tells whether the speedup grows with size by more than its deviations, and nowhere falls."""
    values = [(pair.speedup(phase), pair.deviation(phase)) for pair in compared]
    apart = lambda a, b: abs(a[0] - b[0]) > math.hypot(a[1], b[1])
    falls = any(b[0] < 0.98 * a[0] and apart(a, b) for a, b in zip(values, values[1:]))
    return len(values) > 1 and values[-1][0] >= 1.05 * values[0][0] and apart(values[0], values[-1]) and not falls


def trend(run, which, small=None, large=None, phase=None):
    compared = pairs(run)
    smallest, largest = compared[0], compared[-1]
    passes = ["forward", "backward"] if smallest.speedup("backward") else ["forward"]
    growing = [one for one in passes if grows(compared, one)]
    claimed = {"The speedup": passes, "The forward speedup": ["forward"], "The backward speedup": ["backward"]}[which]
    true(growing == claimed, f"{growing} grow")
    trend.explained = bool(small)
    if not small:
        return
    true(phase == growing[0])
    for pair, text in ((smallest, small), (largest, large)):
        near(text, 100 * gemm_and_other_ms(run, pair.fp32, phase)[0] / sum(gemm_and_other_ms(run, pair.fp32, phase)))
    for one in growing:
        gemms, others = gemm_and_other_ms(run, smallest.fp32, one)
        reduced_gemms, reduced_others = gemm_and_other_ms(run, smallest.reduced, one)
        large_gemms, large_others = gemm_and_other_ms(run, largest.fp32, one)
        large_reduced_gemms, large_reduced_others = gemm_and_other_ms(run, largest.reduced, one)
        true(reduced_gemms < gemms and large_reduced_gemms < large_gemms, "GEMMs do not get faster")
        true(reduced_others > 0.94 * others and large_reduced_others > 0.94 * large_others, "not only GEMMs get faster")
        true(large_gemms / (large_gemms + large_others) > gemms / (gemms + others), "their share does not grow")
        large_ms_by_small_gains = large_gemms * reduced_gemms / gemms + large_others * reduced_others / others
        speedup_by_share = (large_gemms + large_others) / large_ms_by_small_gains
        small_speedup = (gemms + others) / (reduced_gemms + reduced_others)
        growth = largest.speedup(one) / smallest.speedup(one)
        true(math.log(speedup_by_share / small_speedup) >= 0.49 * math.log(growth), "the share explains too little")


def no_trend(run):
    compared = pairs(run)
    true(len(compared) > 1 and not grows(compared, "forward")
         and not (compared[0].speedup("backward") and grows(compared, "backward")))
    trend.explained = False


def gemm_and_other_ms(run, network, phase):
    """Returns (ms of GEMMs, ms of other kernels) of a phase, in the profile of the longest mode."""
    ran = [cell for cell in users_cells(run, "kernels")
           if setting(cell) == setting(network.shape) and cell["steps"] != 0 and cell.ok_launch()]
    launch = max(ran, key=lambda cell: MODES.index(cell["mode"])).ok_launch()
    rows = [row for row in launch.table("kernels") if row["phase"] == phase]
    total_ms = lambda gemm: sum(row["total_ns"] for row in rows if row["class"].startswith("gemm") == gemm) / 1e6
    return total_ms(True), total_ms(False)


def launch_bound(run, network):
    """Tells whether the GPU has nearly finished the forward or the backward pass when the CPU has enqueued it."""
    cell = network.longest_mode_cell()
    profile = next((one.ok_launch() for one in users_cells(run, "kernels")
                    if setting(one) == setting(cell) and one["steps"] != 0 and one.ok_launch()
                    and MODES.index(one["mode"]) >= MODES.index(cell["mode"])
                    and (one["mode"] == "inference") == (cell["mode"] == "inference")), None)
    gpu_done_ms, bound = [0.0] * cell["steps"], False
    for phase in ("forward", "loss", "backward"):
        gpu_ms, enqueue_ms = ms_after_warmup(cell, "event", phase), ms_after_warmup(cell, "enqueue", phase)
        if not gpu_ms or len(gpu_ms) != len(enqueue_ms):
            continue
        gpu_done_ms = [done + ms for done, ms in zip(gpu_done_ms, gpu_ms)]
        lag_shares = [(done - enqueued) / ms for done, enqueued, ms in zip(gpu_done_ms, enqueue_ms, gpu_ms) if ms > 0]
        busy_ns = profile and profile.metric("busy", phase)
        filled = busy_ns is not None and busy_ns / 1e6 >= 0.8 * statistics.fmean(gpu_ms)
        bound = bound or (phase != "loss" and bool(lag_shares) and statistics.median(lag_shares) < 0.05 and not filled)
    return bound


def launch_bound_passes(run, sizes, precision):
    compared = pairs(run)
    true(PRECISION_WORDS[compared[0].reduced.shape["precision"]] == precision)
    true([pair.size for pair in compared if launch_bound(run, pair.reduced)] == re.split(", | and ", sizes))


def without_reason(run):
    true(not trend.explained and not any(launch_bound(run, pair.reduced) for pair in pairs(run)))


BOLD_DTYPE_RE = r"\*\*(?P<{}>[^*]+)\*\*"
DTYPE_LIST_RE = (
    r"Traced under FP16 autocast:\n\n- parameters: {}\n- output of the first linear layer: {}\n- output of layer "
    r"normalization: {}\n- logits: {}\n- loss, cross-entropy: {}(?: \(a bare mean of the logits: (?P<mean>[^)]+)\))?\n"
    r"- gradients: {}").format(*map(BOLD_DTYPE_RE.format, ("parameters", "fc1", "ln", "fc2", "loss", "gradients")))
OUTPUT_RE = (r"ith BF16 statistics the output is off by \*\*(?P<reductions>[^*]+) %\*\*, with FP32 statistics by "
             r"\*\*(?P<fp32>[^*]+) %\*\*\.")
CLAIMS = {
    "benchmarking_mixed_precision.a": [
        (DTYPE_LIST_RE, traced),
        (r"With BF16 autocast the same tensors are BF16 instead\.", same_tensors),
        (r"On a GPU, layer normalization returns FP32\.", norm_gives_fp16_on_cpu),
        (r"The dtypes were not traced: [^\n]*?\.(?=\n|$| The)", untraced),
        (r"The dtypes of (?P<model>\S+) were not traced: .*", model_untraced)],
    "benchmarking_mixed_precision.b": [
        (r"Layer normalization has no result: .*", no_norm_result),
        (r"\*\*Yes\.\*\*", lambda run: true(error_at_scale_1(run, "reductions") > error_at_scale_1(run, "fp32_statistics"))),
        (r"\*\*No\.\*\* W" + OUTPUT_RE, statistics_do_not_matter),
        (r"The sensitive parts are the sums of mean and variance: in FP16 a sum of squares overflows beyond 65,504, here from "
         r"input scale 2(?P<scale>[⁰¹²³⁴⁵⁶⁷⁸⁹⁻]+)\.", first_overflow),
        (r"BF16 (?:has(?P<nothing> FP32's range, so nothing overflows, but)?) only 8 significant bits: w" + OUTPUT_RE,
         statistics_matter)],
    "benchmarking_mixed_precision.c": [
        (r"No size ran both in FP32 and in \w+, so there is nothing to compare\.", lambda run: true(not pairs(run))),
        (r"(?P<precision>\w+)(?: autocast)? makes the forward pass(?: of (?P<one>.+?))? \*\*(?P<first>[\d.,]+)(?: times)?\*\*"
         r"(?: \((?P<first_size>[^)]+)\) to \*\*(?P<last>\S+) times\*\* \((?P<last_size>[^)]+)\))? as fast(?: and the backward pass "
         r"\*\*(?P<backward>[^*]+) times\*\*)?\.", speedups),
        (r"(?P<which>The(?: forward| backward)? speedup) grows with size(?: because only GEMMs get faster, and their share grows "
         r"from (?P<small>\S+) to (?P<large>\S+) % of the FP32 (?P<phase>\w+) pass)?\.", trend),
        (r"The speedup shows no clear trend with size\.", no_trend),
        (r"Passes of (?P<sizes>.+?) are launch-bound in (?P<precision>\w+): the CPU sets their time\.", launch_bound_passes),
        (r"This run does not show why\.", without_reason),
        (r"This GPU does not compute in BF16: FP16 stands in for it, with an unscaled loss\.",
         lambda run: true(number(run.data["devices"][0]["compute_capability"]) < 8))]}
