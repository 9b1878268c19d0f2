"""The claims about the mixed-precision problem, recomputed from dtypes, errors, steps and kernels."""
import math
import re
import statistics

from checks import MODES, PRECISION_WORDS, near, number, true
from timing import ms_after_warmup, networks, setting, users_cells, variation

CELL_KINDS = {"dtypes", "layer_norm", "timing", "kernels"}
DTYPES = {"float32": "FP32", "float16": "FP16", "bfloat16": "BF16"}


def dtypes(run, precision="fp16"):
    """Returns the dtypes of the toy model's tensors by group, and by group and name."""
    launch = next(cell for cell in run.of("dtypes") if not cell["implementation"]).ok_launch()
    found = {}
    for row in launch.table("dtypes"):
        if row["precision"] == precision:
            for key in (row["group"], (row["group"], row["name"])):
                found.setdefault(key, []).append(DTYPES.get(row["dtype"], row["dtype"]))
    return found


def traced(run, mean, **claimed):
    found = dtypes(run)
    keys = {"parameters": "parameter", "fc1": ("output", "fc1"), "ln": ("output", "ln"), "fc2": ("output", "fc2"),
            "loss": ("loss", "cross-entropy"), "gradients": "gradient"}
    for name, key in keys.items():
        measured = set(found.get(key, ["–"]))
        true(set(claimed[name].split(" and ")) == measured, f"{name}: {claimed[name]} is {measured}")
    true((mean or claimed["loss"]) == found.get(("loss", "mean"), ["–"])[0])


def same_tensors(run):
    fp16, bf16 = dtypes(run), dtypes(run, "bf16")
    in_bf16 = {"FP16": "BF16", "FP32": "FP32"}
    for group in ("parameter", "output", "loss", "gradient", "optimizer state"):
        true([in_bf16.get(dtype) for dtype in fp16.get(group, [])] == bf16.get(group, []), group)
    true(bool(fp16))


def norm_stays(run):
    true(dtypes(run)[("output", "ln")] == ["FP16"] and run.cells[0]["device"] == "cpu")


def untraced(run):
    true(all(cell.ok_launch() is None for cell in run.of("dtypes") if not cell["implementation"]))


def model_untraced(run, model):
    true(all(cell.ok_launch() is None for cell in run.of("dtypes") if cell["implementation"] == model))


def errors(run, form, method=None):
    """Returns the rows of the widest vectors in this format, by ascending scale."""
    launch = run.of("layer_norm")[0].ok_launch()
    needed = ("width", "scale_log2", "sum_overflow", "square_overflow")
    rows = [row for row in (launch.table("layer_norm") if launch else [])
            if row["format"] in ("fp16", "bf16") and all(isinstance(row[name], (int, float)) for name in needed)]
    width = max((row["width"] for row in rows), default=0)
    return sorted((row for row in rows if row["width"] == width and row["format"] == form
                   and method in (None, row["method"])), key=lambda row: row["scale_log2"])


def error_at_scale_1(run, method):
    """Returns the error of BF16's output at input scale 1; None if it was not measured."""
    found = [row["output_error"] for row in errors(run, "bf16", method) if row["scale_log2"] == 0]
    return found[0] if found else None


def first_overflow(run, scale):
    over = [row["scale_log2"] for row in errors(run, "fp16", "rounded") if row["sum_overflow"] > 0]
    true(over and over[0] == int(scale.translate(str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-"))), f"{scale} is {over}")


def statistics_matter(run, nothing, reductions, fp32):
    over = [row for row in errors(run, "bf16") if row["sum_overflow"] > 0 or row["square_overflow"] > 0]
    true(bool(nothing) == (not over), "BF16 overflows")
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


class Pair:
    def __init__(self, fp32, other):
        self.fp32, self.other, self.size = fp32, other, other.size

    def speedup(self, phase):
        times = [statistics.fmean(one.phase(phase) or [0]) for one in (self.fp32, self.other)]
        return times[0] / times[1] if min(times) > 0 else None

    def deviation(self, phase):
        return self.speedup(phase) * math.hypot(*(variation(one.phase(phase)) for one in (self.fp32, self.other)))


def pairs(run):
    """Returns the pairs in the precision that the answer describes; those with both passes if there are any."""
    every = sorted(networks(run), key=lambda one: one.shape.parameters())
    network = lambda one: [value for i, value in enumerate(setting(one.shape)) if i != 3]
    found = [Pair(a, b) for a in every for b in every if a.shape["precision"] == "fp32" != b.shape["precision"]
             and network(a) == network(b)]
    precision = next((name for name in ("bf16", "fp16", "tf32") for one in found if one.other.shape["precision"] == name), "")
    found = [one for one in found if one.other.shape["precision"] == precision and one.speedup("forward")]
    return [one for one in found if one.speedup("backward")] or found


def speedups(run, precision, one, first, first_size, last, last_size, backward):
    compared = pairs(run)
    ends = compared[0], compared[-1]
    true(PRECISION_WORDS[ends[0].other.shape["precision"]] == precision and (len(compared) == 1) == bool(one))
    true(ends[0].size == (one or first_size) and (one or ends[1].size == last_size))
    near(first, ends[0].speedup("forward"))
    if last:
        near(last, ends[1].speedup("forward"))
    true(bool(backward) == bool(ends[0].speedup("backward")))
    for text, pair in zip((backward.split(" to ") * 2)[:2] if backward else (), ends):
        near(text, pair.speedup("backward"))


def grows(compared, phase):
    """Tells whether the speedup grows with size by more than its deviations, and nowhere falls."""
    values = [(pair.speedup(phase), pair.deviation(phase)) for pair in compared]
    apart = lambda a, b: abs(a[0] - b[0]) > math.hypot(a[1], b[1])
    falls = any(b[0] < 0.98 * a[0] and apart(a, b) for a, b in zip(values, values[1:]))
    return len(values) > 1 and values[-1][0] >= 1.05 * values[0][0] and apart(values[0], values[-1]) and not falls


def trend(run, which, small=None, large=None, phase=None):
    compared = pairs(run)
    passes = ["forward", "backward"] if compared[0].speedup("backward") else ["forward"]
    growing = [one for one in passes if grows(compared, one)]
    claimed = {"The speedup": passes, "The forward speedup": ["forward"], "The backward speedup": ["backward"]}[which]
    true(growing == claimed, f"{growing} grow")
    trend.explained = bool(small)
    if not small:
        return
    true(phase == growing[0])
    for end, text in ((compared[0], small), (compared[-1], large)):
        near(text, 100 * kernels(run, end.fp32, phase)[0] / sum(kernels(run, end.fp32, phase)))
    for one in growing:
        (gemms, rest), (new_gemms, new_rest) = [kernels(run, end, one) for end in (compared[0].fp32, compared[0].other)]
        (large_gemms, large_rest), (last_gemms, last_rest) = [
            kernels(run, end, one) for end in (compared[-1].fp32, compared[-1].other)]
        true(new_gemms < gemms and last_gemms < large_gemms and new_rest > 0.94 * rest and last_rest > 0.94 * large_rest,
             "not GEMMs alone get faster")
        true(large_gemms / (large_gemms + large_rest) > gemms / (gemms + rest), "their share does not grow")
        by_mix = (large_gemms + large_rest) / (large_gemms * new_gemms / gemms + large_rest * new_rest / rest)
        least = (gemms + rest) / (new_gemms + new_rest)
        growth = compared[-1].speedup(one) / compared[0].speedup(one)
        true(math.log(by_mix / least) >= 0.49 * math.log(growth), "the share explains too little")


def no_trend(run):
    compared = pairs(run)
    true(len(compared) > 1 and not grows(compared, "forward")
         and not (compared[0].speedup("backward") and grows(compared, "backward")))
    trend.explained = False


def kernels(run, network, phase):
    """Returns milliseconds of GEMMs and of the other kernels of a phase, in the profile of the longest mode."""
    ran = [cell for cell in users_cells(run, "kernels")
           if setting(cell) == setting(network.shape) and cell["steps"] != 0 and cell.ok_launch()]
    rows = [row for row in max(ran, key=lambda cell: MODES.index(cell["mode"])).ok_launch().table("kernels") if row["phase"] == phase]
    total = lambda gemm: sum(row["total_ns"] for row in rows if row["class"].startswith("gemm") == gemm) / 1e6
    return total(True), total(False)


def launch_bound(run, network):
    """Tells whether the GPU has nearly finished the forward or the backward pass when the CPU has enqueued it."""
    cell = network.longest_mode_cell()
    profile = next((one.ok_launch() for one in users_cells(run, "kernels")
                    if setting(one) == setting(cell) and one["steps"] != 0 and one.ok_launch()
                    and MODES.index(one["mode"]) >= MODES.index(cell["mode"])
                    and (one["mode"] == "inference") == (cell["mode"] == "inference")), None)
    done, found = [0.0] * cell["steps"], False
    for phase in ("forward", "loss", "backward"):
        on_gpu, enqueued = ms_after_warmup(cell, "event", phase), ms_after_warmup(cell, "enqueue", phase)
        if not on_gpu or len(on_gpu) != len(enqueued):
            continue
        done = [before + time for before, time in zip(done, on_gpu)]
        lags = [(end - cpu) / time for end, cpu, time in zip(done, enqueued, on_gpu) if time > 0]
        busy = profile and profile.metric("busy", phase)
        filled = busy is not None and busy / 1e6 >= 0.8 * statistics.fmean(on_gpu)
        found = found or (phase != "loss" and bool(lags) and statistics.median(lags) < 0.05 and not filled)
    return found


def launch_bound_passes(run, sizes, precision):
    compared = pairs(run)
    true(PRECISION_WORDS[compared[0].other.shape["precision"]] == precision)
    true([pair.size for pair in compared if launch_bound(run, pair.other)] == re.split(", | and ", sizes))


def without_reason(run):
    true(not trend.explained and not any(launch_bound(run, pair.other) for pair in pairs(run)))


def nothing_compared(run):
    true(not pairs(run))


def substitute(run):
    true(number(run.data["devices"][0]["compute_capability"]) < 8)


DTYPE = r"\*\*(?P<{}>[^*]+)\*\*"
LIST = (r"Traced under FP16 autocast:\n\n- parameters: {}\n- output of the first linear layer: {}\n- output of layer "
        r"normalization: {}\n- logits: {}\n- loss, cross-entropy: {}(?: \(a bare mean of the logits: (?P<mean>[^)]+)\))?\n"
        r"- gradients: {}").format(*map(DTYPE.format, ("parameters", "fc1", "ln", "fc2", "loss", "gradients")))
OUTPUT = (r"ith BF16 statistics the output is off by \*\*(?P<reductions>[^*]+) %\*\*, with FP32 statistics by "
          r"\*\*(?P<fp32>[^*]+) %\*\*\.")
CLAIMS = {
    "benchmarking_mixed_precision.a": [
        (LIST, traced),
        (r"With BF16 autocast the same tensors are BF16 instead\.", same_tensors),
        (r"On a GPU, layer normalization returns FP32\.", norm_stays),
        (r"The dtypes were not traced: [^\n]*?\.(?=\n|$| The)", untraced),
        (r"The dtypes of (?P<model>\S+) were not traced: .*", model_untraced)],
    "benchmarking_mixed_precision.b": [
        (r"Layer normalization has no result: .*", no_norm_result),
        (r"\*\*Yes\.\*\*", lambda run: true(error_at_scale_1(run, "reductions") > error_at_scale_1(run, "fp32_statistics"))),
        (r"\*\*No\.\*\* W" + OUTPUT, statistics_do_not_matter),
        (r"The sensitive parts are the sums of mean and variance: in FP16 a sum of squares overflows beyond 65,504, here from "
         r"input scale 2(?P<scale>[⁰¹²³⁴⁵⁶⁷⁸⁹⁻]+)\.", first_overflow),
        (r"BF16 (?:has(?P<nothing> FP32's range, so nothing overflows, but)?) only 8 significant bits: w" + OUTPUT,
         statistics_matter)],
    "benchmarking_mixed_precision.c": [
        (r"No size ran both in FP32 and in \w+, so there is nothing to compare\.", nothing_compared),
        (r"(?P<precision>\w+)(?: autocast)? makes the forward pass(?: of (?P<one>.+?))? \*\*(?P<first>[\d.,]+)(?: times)?\*\*"
         r"(?: \((?P<first_size>[^)]+)\) to \*\*(?P<last>\S+) times\*\* \((?P<last_size>[^)]+)\))? as fast(?: and the backward pass "
         r"\*\*(?P<backward>[^*]+) times\*\*)?\.", speedups),
        (r"(?P<which>The(?: forward| backward)? speedup) grows with size(?: because only GEMMs get faster, and their share grows "
         r"from (?P<small>\S+) to (?P<large>\S+) % of the FP32 (?P<phase>\w+) pass)?\.", trend),
        (r"The speedup shows no clear trend with size\.", no_trend),
        (r"Passes of (?P<sizes>.+?) are launch-bound in (?P<precision>\w+): the CPU sets their time\.", launch_bound_passes),
        (r"This run does not show why\.", without_reason),
        (r"This GPU does not compute in BF16: FP16 stands in for it, with an unscaled loss\.", substitute)]}
