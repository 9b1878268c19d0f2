"""The claims about the mixed-precision problem, recomputed from dtypes, errors, steps and kernels."""
import math
import re

from checks import MODES, NO_ANSWER, PRECISION_WORDS, near, true
from timing import SETTING, is_clear, is_profiled, network_bound, networks, setting, typical, users_cells

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


def traced(run, **claimed):
    dtypes_by_key = dtypes(run)
    keys = {"parameters": "parameter", "fc1": ("output", "fc1"), "ln": ("output", "ln"), "fc2": ("output", "fc2"),
            "loss": ("loss", "cross-entropy"), "mean_loss": ("loss", "mean"), "gradients": "gradient"}
    for name, key in keys.items():
        measured = set(dtypes_by_key.get(key, ["–"]))
        true(set(claimed[name].split(" and ")) == measured, f"{name}: {claimed[name]} is {measured}")


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


def fp16_overflows(run):
    rows = error_rows(run, "fp16", "rounded")
    for column in ("sum_overflow", "square_overflow"):
        true(any(row[column] > 0 for row in rows), f"no {column}")


def rounding_matters(run, reductions, rounded, fp32):
    true(not any(row["sum_overflow"] > 0 or row["square_overflow"] > 0 for row in error_rows(run, "bf16")), "BF16 overflows")
    near(reductions, 100 * error_at_scale_1(run, "reductions"), 2)
    near(rounded, 100 * error_at_scale_1(run, "rounded"), 2)
    near(fp32, 100 * error_at_scale_1(run, "fp32_statistics"), 2)
    true(error_at_scale_1(run, "reductions") > 1.4 * error_at_scale_1(run, "fp32_statistics"))


def rounding_does_not_matter(run):
    """Checks that errors are missing, that rounding the output alone gains little, or that no format or the wrong one overflows."""
    reductions, rounded, fp32 = (error_at_scale_1(run, name) for name in ("reductions", "rounded", "fp32_statistics"))
    overflows = lambda name, method=None: any(
        row["sum_overflow"] > 0 or row["square_overflow"] > 0 for row in error_rows(run, name, method))
    true(None in (reductions, rounded, fp32) or reductions < 1.6 * fp32 or overflows("bf16") or not overflows("fp16", "rounded"))


class PrecisionPair:
    """The timings of one network in FP32 and in a reduced precision. A speedup is that of the reduced one."""
    def __init__(self, fp32, reduced):
        self.fp32, self.reduced, self.size = fp32, reduced, reduced.size

    def speedup(self, phase):
        fp32_ms, reduced_ms = (typical(one.phase(phase) or [0]) for one in (self.fp32, self.reduced))
        return fp32_ms / reduced_ms if min(fp32_ms, reduced_ms) > 0 else None

    def is_clear(self, phase):
        return is_clear(self.fp32.phase(phase), self.reduced.phase(phase))


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
    return [pair for pair in compared if pair.speedup("backward")]


def pair_bound(run, pair):
    """Returns what sets the times of a pair: the CPU, if it sets those of either network."""
    bounds = [network_bound(run, network) for network in (pair.fp32, pair.reduced)]
    return None if None in bounds else min(bounds, key=("launch-bound", "mixed", "GPU-bound").index)


def named_pairs(run):
    """Returns the largest network, if possible one whose times the GPU sets, and the smallest."""
    compared = pairs(run)
    of_device = [pair for pair in compared if pair_bound(run, pair) in (None, "GPU-bound")]
    return (of_device or compared)[-1], compared[0]


def speedups(run, precision, forward, backward, sizes):
    """Checks the speedups of the smallest network and of the largest whose times the GPU sets, if there is one."""
    largest, smallest = named_pairs(run)
    true(PRECISION_WORDS[largest.reduced.shape["precision"]] == precision)
    true(sizes == " to ".join(dict.fromkeys((smallest.size, largest.size))), f"{smallest.size} to {largest.size}")
    for words, phase in ((forward, "forward"), (backward, "backward")):
        ends = (words.split(" to ") * 2)[:2]
        for text, pair in zip(ends, (smallest, largest)):
            near(text, pair.speedup(phase))
            true(pair_bound(run, pair) in (None, "GPU-bound") or len(text.replace(".", "").lstrip("0")) <= 2, f"the CPU sets {text}")


def profiled_pairs(run):
    """Returns each pair whose forward passes were profiled, with (GEMMs, other kernels) in ms of FP32 and of the other."""
    times = [(pair, [gemm_and_other_ms(run, network, "forward") for network in (pair.fp32, pair.reduced)])
             for pair in pairs(run)]
    return [(pair, *both) for pair, both in times if all(both)]


def growth(run, small, first, large, last):
    """Checks that the speedup of the forward pass's kernels grows with size, and that the growing share of GEMMs is the
    reason. Kernels do not wait for the CPU in their own time."""
    rows = profiled_pairs(run)
    ratios = [sum(fp32) / sum(reduced) for _, fp32, reduced in rows]
    true(ratios[-1] >= 1.05 * ratios[0] and all(b >= 0.98 * a for a, b in zip(ratios, ratios[1:])), f"{ratios}")
    (smallest, fp32, reduced), (largest, large_fp32, large_reduced) = rows[0], rows[-1]
    if largest.size != last:
        largest_share = further_growth(run, last, *rows[-1])
    else:
        largest_share = large_fp32[0] / sum(large_fp32)
    true(smallest.size == first)
    measured = math.log(largest.speedup("forward") / smallest.speedup("forward"))
    true(measured > 0, "the whole pass gains no more")
    true(last == pairs(run)[-1].size, "larger networks were timed")
    near(small, 100 * fp32[0] / sum(fp32))
    near(large, 100 * largest_share)
    true(reduced[0] < fp32[0] and large_reduced[0] < large_fp32[0], "GEMMs do not get faster")
    true(reduced[1] > 0.94 * fp32[1] and large_reduced[1] > 0.94 * large_fp32[1], "other kernels gain, too")
    true(large_fp32[0] / sum(large_fp32) > fp32[0] / sum(fp32), "their share does not grow")
    large_ms_by_small_gains = sum(ms * after / before for ms, before, after in zip(large_fp32, fp32, reduced) if before)
    growth_by_share = sum(large_fp32) / large_ms_by_small_gains / ratios[0]
    true(math.log(growth_by_share) >= 0.49 * math.log(ratios[-1] / ratios[0]), "the share explains too little")
    true(math.log(growth_by_share) >= (0.49 if pair_bound(run, smallest) in (None, "GPU-bound") else 0.245) * measured, "the passes gain more")


def further_growth(run, last, profiled, fp32, reduced):
    """Checks that the largest network, which was profiled in FP32 only, gains more because GEMMs take more of its FP32
    time: with the gains of the profiled network. Returns their share of it."""
    largest = pairs(run)[-1]
    true(largest.size == last and not gemm_and_other_ms(run, largest.reduced, "forward"))
    large_fp32 = gemm_and_other_ms(run, largest.fp32, "forward")
    predicted_ms = sum(ms * after / before for ms, before, after in zip(large_fp32, fp32, reduced))
    explained = math.log(sum(large_fp32) / predicted_ms * sum(reduced) / sum(fp32))
    measured = math.log(largest.speedup("forward") / profiled.speedup("forward"))
    true(measured > 0 and explained >= 0.49 * measured, "the share explains too little")
    share = large_fp32[0] / sum(large_fp32)
    true(share > fp32[0] / sum(fp32))
    return share


def gemm_and_other_ms(run, network, phase):
    """Returns (ms of GEMMs, ms of other kernels) of a phase, in the profile of the longest mode, or else of a process's
    first step; None without one."""
    ran = [cell for cell in users_cells(run, "kernels")
           if setting(cell) == setting(network.shape) and cell["steps"] != 0 and cell.ok_launch()]
    ran = ran or [cell for cell in users_cells(run, "kernels") if setting(cell) == setting(network.shape)
                  and (cell["warmup"], cell["steps"]) == (0, 0) and cell.ok_launch()][:1]
    if not ran:
        return None
    launch = max(ran, key=lambda cell: MODES.index(cell["mode"])).ok_launch()
    rows = [row for row in launch.table("kernels") if row["phase"] == phase]
    if any(row["total_ns"] is None for row in rows):
        return None
    total_ms = lambda gemm: sum(row["total_ns"] for row in rows if row["class"].startswith("gemm") == gemm) / 1e6
    return (total_ms(True), total_ms(False)) if total_ms(True) + total_ms(False) > 0 else None


def cpu_sets(run, precision, launch=None, mixed=None, some=None, slower=None):
    """Checks the sizes whose times the CPU sets, those of which it sets some, and those of which it sets some or all,
    because no profile tells."""
    compared = pairs(run)
    true(PRECISION_WORDS[compared[0].reduced.shape["precision"]] == precision)
    for words, bound, profiled in ((launch, "launch-bound", None), (mixed, "mixed", True), (some, "mixed", False)):
        sizes = [pair.size for pair in compared if network_bound(run, pair.reduced) == bound
                 and profiled in (None, is_profiled(run, pair.reduced))]
        true(sizes == (re.split(", | and ", words) if words else []), f"{bound}: {sizes}")


def unanswered(run):
    true(not pairs(run), "both passes have speedups")


def unprofiled(run, small, first, large, last, precision):
    """Checks the share of GEMMs in FP32's forward pass, and that no step of the other precision was profiled."""
    rows = [(pair, fp32[0] / sum(fp32)) for pair in pairs(run) if (fp32 := gemm_and_other_ms(run, pair.fp32, "forward"))]
    true(PRECISION_WORDS[rows[0][0].reduced.shape["precision"]] == precision)
    true(not any(gemm_and_other_ms(run, pair.reduced, "forward") for pair, _ in rows), "it was profiled")
    true((rows[0][0].size, rows[-1][0].size) == (first, last))
    near(small, 100 * rows[0][1])
    near(large, 100 * rows[-1][1])


BOLD_DTYPE_RE = r"\*\*(?P<{}>[^*]+)\*\*"
DTYPE_LIST_RE = (
    r"Traced under FP16 autocast:\n\n- parameters: {}\n- output of the first linear layer: {}\n- output of layer "
    r"normalization: {}\n- logits: {}\n- loss: {} by cross-entropy, (?P<mean_loss>.+?) as a bare mean of the logits\n"
    r"- gradients: {}").format(*map(BOLD_DTYPE_RE.format, ("parameters", "fc1", "ln", "fc2", "loss", "gradients")))


def gains(run, precision, size, forward, backward):
    largest, _ = named_pairs(run)
    true(PRECISION_WORDS[largest.reduced.shape["precision"]] == precision and largest.size == size)
    for text, phase in ((forward, "forward"), (backward, "backward")):
        near(text, largest.speedup(phase))
        true(largest.is_clear(phase), "perhaps it gains nothing")


CLAIMS = {
    "overview": [
        (r"- \*\*(?P<precision>\w+)(?: autocast)? makes the forward pass of (?P<size>[^*]+?) (?P<forward>\S+) times as fast and the "
         r"backward pass (?P<backward>\S+) times\.\*\*", gains)],
    "benchmarking_mixed_precision.a": [
        (NO_ANSWER, untraced),
        (DTYPE_LIST_RE, traced),
        (r"Under BF16 autocast, the FP16 tensors are BF16\.", same_tensors),
        (r"On a GPU, layer normalization returns FP32\.", norm_gives_fp16_on_cpu)],
    "benchmarking_mixed_precision.b": [
        (NO_ANSWER, rounding_does_not_matter),
        (r"The variance is sensitive: in FP16 squares overflow from 256, sums beyond 65,504\.", fp16_overflows),
        (r"\*\*Yes\*\*, BF16 needs FP32 statistics, too: nothing overflows in its range, but its 8 significant bits put the "
         r"output off by \*\*(?P<rounded>[^*]+) %\*\* if every addition rounds and by \*\*(?P<reductions>[^*]+) %\*\* if every "
         r"step does\. With FP32 statistics \*\*(?P<fp32>[^*]+) %\*\* is left, the output's own rounding\.", rounding_matters)],
    "benchmarking_mixed_precision.c": [
        (NO_ANSWER, unanswered),
        (r"In (?P<precision>\w+), forward runs \*\*(?P<forward>[^*]+)\*\* and backward \*\*(?P<backward>[^*]+) times\*\* as fast as "
         r"in FP32 \((?P<sizes>.+?)\)\.", speedups),
        (r"The gain grows with size partly because GEMMs, which gain most, take \*\*(?P<small>\S+)\*\* \((?P<first>.+?)\) to "
         r"\*\*(?P<large>\S+) %\*\* \((?P<last>.+?)\) of FP32's forward pass\.", growth),
        (r"GEMMs take \*\*(?P<small>\S+)\*\* \((?P<first>.+?)\) to \*\*(?P<large>\S+) %\*\* \((?P<last>.+?)\) of FP32's forward "
         r"pass; no (?P<precision>\w+) step was profiled\.", unprofiled),
        (r"In (?P<precision>\w+), the CPU sets (?:the times of (?P<launch>[^()]+?) \(launch-bound\)(?: and (?!at)|(?= and at)|(?=[;.])))?"
         r"(?:some (?:times )?of (?P<mixed>[^()]+?) \(mixed\))?(?:(?: and )?at least some (?:times )?of (?P<some>[^();]+?))?"
         r"(?P<slower>; where \w+ is slower, autocast adds launches)?\.", cpu_sets)]}
