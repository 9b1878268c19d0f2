"""The claims about the mixed-precision problem, recomputed from dtypes, errors, steps and kernels."""
import math
import re
import statistics

from checks import MODES, PRECISION_WORDS, near, number, true
from timing import SETTING, network_bound, networks, setting, users_cells

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


def pair_bound(run, pair):
    """Returns what sets the times of a pair: the CPU, if it sets those of either network."""
    bounds = [network_bound(run, network) for network in (pair.fp32, pair.reduced)]
    return None if None in bounds else min(bounds, key=("launch-bound", "mixed", "GPU-bound").index)


def speedups(run, precision, size, forward, backward=None):
    """Checks that `size` is the largest whose times the GPU sets, and its speedups."""
    largest = [pair for pair in pairs(run) if pair_bound(run, pair) in (None, "GPU-bound")][-1]
    true(PRECISION_WORDS[largest.reduced.shape["precision"]] == precision)
    true(largest.size == size, f"{largest.size} is larger")
    near(forward, largest.speedup("forward"))
    true(bool(backward) == bool(largest.speedup("backward")))
    if backward:
        near(backward, largest.speedup("backward"))


def profiled_pairs(run):
    """Returns each pair whose forward passes were profiled, with (GEMMs, other kernels) in ms of FP32 and of the other."""
    times = [(pair, [gemm_and_other_ms(run, network, "forward") for network in (pair.fp32, pair.reduced)])
             for pair in pairs(run)]
    return [(pair, *both) for pair, both in times if all(both)]


def growth(run, kernels, grows, first, first_size, last, last_size, small=None, large=None):
    """Checks how the speedup of forward kernels changes with size. Kernels do not wait for the CPU in their own time."""
    on_cpu = run.cells[0]["device_kind"] == "cpu"
    true((kernels == "operators") == on_cpu)
    rows = profiled_pairs(run)
    ratios = [sum(fp32) / sum(reduced) for _, fp32, reduced in rows]
    true((rows[0][0].size, rows[-1][0].size) == (first_size, last_size) and len(rows) > 1)
    near(first, ratios[0])
    near(last, ratios[-1])
    never_falls = all(b >= 0.98 * a for a, b in zip(ratios, ratios[1:]))
    true((grows == "grows") == (ratios[-1] >= 1.05 * ratios[0] and never_falls), f"{ratios}")
    if not small:
        return
    (_, fp32, reduced), (_, large_fp32, large_reduced) = rows[0], rows[-1]
    near(small, 100 * fp32[0] / sum(fp32))
    near(large, 100 * large_fp32[0] / sum(large_fp32))
    true(reduced[0] < fp32[0] and large_reduced[0] < large_fp32[0], "GEMMs do not get faster")
    true(reduced[1] > 0.94 * fp32[1] and large_reduced[1] > 0.94 * large_fp32[1], "not only GEMMs get faster")
    true(large_fp32[0] / sum(large_fp32) > fp32[0] / sum(fp32), "their share does not grow")
    large_ms_by_small_gains = sum(ms * after / before for ms, before, after in zip(large_fp32, fp32, reduced) if before)
    growth_by_share = sum(large_fp32) / large_ms_by_small_gains / ratios[0]
    true(math.log(growth_by_share) >= 0.49 * math.log(ratios[-1] / ratios[0]), "the share explains too little")


def gemm_and_other_ms(run, network, phase):
    """Returns (ms of GEMMs, ms of other kernels) of a phase, in the profile of the longest mode; None without one."""
    ran = [cell for cell in users_cells(run, "kernels")
           if setting(cell) == setting(network.shape) and cell["steps"] != 0 and cell.ok_launch()]
    if not ran:
        return None
    launch = max(ran, key=lambda cell: MODES.index(cell["mode"])).ok_launch()
    rows = [row for row in launch.table("kernels") if row["phase"] == phase]
    if any(row[name] is None for row in rows for name in ("total_ns", "instances")):
        return None
    total_ms = lambda gemm: sum(row["total_ns"] for row in rows if row["class"].startswith("gemm") == gemm) / 1e6
    return (total_ms(True), total_ms(False)) if total_ms(True) + total_ms(False) > 0 else None


def cpu_sets(run, precision, launch=None, mixed=None):
    """Checks the sizes whose times the CPU sets, and those of which it sets some."""
    compared = pairs(run)
    true(PRECISION_WORDS[compared[0].reduced.shape["precision"]] == precision)
    for words, bound in ((launch, "launch-bound"), (mixed, "mixed")):
        sizes = [pair.size for pair in compared if network_bound(run, pair.reduced) == bound]
        true(sizes == (re.split(", | and ", words) if words else []), f"{bound}: {sizes}")


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
        (r"(?P<precision>\w+)(?: autocast)? makes (?P<size>.+?)'s forward pass \*\*(?P<forward>[^*]+)\*\*(?: and its backward pass "
         r"\*\*(?P<backward>[^*]+)\*\*)? times as fast\.", speedups),
        (r"The (?P<kernels>kernels|operators)' forward speedup (?P<grows>grows|does not grow with size,) from (?P<first>\S+) "
         r"\((?P<first_size>[^)]+)\) to (?P<last>\S+) \((?P<last_size>[^)]+)\)(?:, because only GEMMs get faster: their share of "
         r"training's FP32 forward pass grows from (?P<small>\S+) to (?P<large>\S+) %)?\.", growth),
        (r"The CPU sets the (?P<precision>\w+) times of (?P<launch>.+?) \(launch-bound\)(?: and some of (?P<mixed>.+?) \(mixed\))?\.",
         cpu_sets),
        (r"The CPU sets some (?P<precision>\w+) times of (?P<mixed>.+?) \(mixed\)\.", cpu_sets),
        (r"This GPU does not compute in BF16: FP16 stands in for it, with an unscaled loss\.",
         lambda run: true(number(run.data["devices"][0]["compute_capability"]) < 8))]}
