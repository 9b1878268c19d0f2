"""The claims about the profiling problem, recomputed from the tables of kernels."""
import re

from checks import MODES, PRECISIONS, PRECISION_WORDS, always, median_limit, near, number, true
from gemms import fastest_gemm_rate

CELL_KINDS = {"kernels", "limits"}
PHASES = {"forward": {"forward"}, "passes": {"forward", "loss", "backward"}, "optimizer": {"optimizer"},
          "step": {"forward", "loss", "backward", "optimizer"}}
NUMBER_COLUMNS = ("kernel", "instances", "total_ns", "min_ns", "median_ns", "max_ns", "stddev_ns")
PROFILE = r"(?P<profile>.+? at context [\d,]+(?: in \w+)?)"
CHART_CLASSES = {"exponential": "elementwise", "where": "elementwise", "gather": "other", "fused": "other",
                 "memset": "other"}
CLASS_OF_WORD = {"reductions": "reduction", "copies": "copy"}


class Profile:
    """A network's profiled steps: `inference` and `step`, the longest other one. Each is (cell, launch) or None."""

    def __init__(self, run, described):
        size, context, precision = re.match(r"(.+) at context ([\d,]+)(?: in (\w+))?$", described).groups()
        # The answers of a run of two networks describe the user's.
        model = max((cell["implementation"] or "" for cell in run.of("kernels")), default="")
        self.cells = [cell for cell in run.of("kernels", size=size, context=int(number(context)))
                      if cell["steps"] != 0 and (cell["implementation"] or "") == model
                      and PRECISIONS.get(precision) in (None, cell["precision"])]
        if not precision:  # A step without an inference beside it may be of another precision.
            first = min((list(PRECISIONS.values()).index(cell["precision"]) for cell in self.cells), default=0)
            self.cells = [cell for cell in self.cells if cell["precision"] == list(PRECISIONS.values())[first]]
        ran = [(cell, cell.ok_launch()) for cell in self.cells if cell.ok_launch()]
        self.inference = next((one for one in ran if one[0]["mode"] == "inference"), None)
        others = [one for one in ran if one[0]["mode"] != "inference"]
        self.step = max(others, key=lambda one: MODES.index(one[0]["mode"]), default=None)
        self.shape = self.cells[0].params if self.cells else {}

    def rows(self, part):
        """Returns the kernel rows of a part of PHASES; none if it did not run or a number is missing."""
        source = self.inference if part == "forward" and self.inference else self.step
        if not source or (part != "forward" and source[0]["mode"] in ("inference", "forward")) or (
                part in ("step", "optimizer") and source[0]["mode"] != "train_step"):
            return []
        rows = source[1].table("kernels")
        if any(not isinstance(row[name], (int, float)) for row in rows for name in NUMBER_COLUMNS):
            return []
        names = {row["id"]: row["name"] for row in source[1].table("kernel_names")}
        return [{**row, "name": names.get(row["kernel"], f"kernel-{row['kernel']}"), "gemm": row["class"].startswith("gemm")}
                for row in rows if row["phase"] in PHASES[part] and row["instances"] >= 1]


def total_ms(rows, wanted=lambda row: True):
    return sum(row["total_ns"] for row in rows if wanted(row)) / 1e6


def percent(rows, wanted):
    return 100 * total_ms(rows, wanted) / total_ms(rows)


def gemm_percent(rows):
    return percent(rows, lambda row: row["gemm"])


def chart_class(row):
    """Returns the class under which the chart draws a kernel."""
    return "GEMM" if row["gemm"] else CHART_CLASSES.get(row["class"], row["class"]) if row["class"] in (
        "elementwise", "reduction", "copy", *CHART_CLASSES) else "other"


def is_in(module, *operators):
    return lambda row: module in row["module"] and (not operators or row["operator"] in operators)


def timed_pass(profile, kind="forward pass"):
    """Returns (launch, mean ms by the timer, busy ms by the profiler)."""
    forward = profile.inference or profile.step
    launch = (forward if kind == "forward pass" else profile.step)[1]
    mean_ns, busy_ns = launch.mean("step", "total"), launch.metric("profile", "busy")
    return launch, mean_ns / 1e6, busy_ns / 1e6


def checked_times(run, kind, profile, busy, timer):
    launch, mean_ms, busy_ms = timed_pass(Profile(run, profile), kind)
    near(busy, busy_ms)
    near(timer, mean_ms)
    return launch, mean_ms, busy_ms


def less(run, kind, profile, busy, timer):
    launch, mean_ms, busy_ms = checked_times(run, kind, profile, busy, timer)
    true(launch.metric("profile", "step") > launch.metric("profile", "busy"), "no time without kernels")
    true(busy_ms < mean_ms)
    less.launch, less.mean_ms, less.rest_ms = launch, mean_ms, mean_ms - busy_ms


def gaps_ms(launch):
    return (launch.metric("profile", "span") - launch.metric("profile", "busy")) / 1e6


def idle(_run, each, launches):
    """Checks that the profiled gaps between kernels, which the profiler makes longer, are at least the rest."""
    true(less.launch.metric("profile", "kernels") == number(launches))
    near(each, 1e3 * less.rest_ms / number(launches))
    true(gaps_ms(less.launch) >= less.rest_ms, "gaps are shorter than the rest")


def scatter(_run, gaps, steps_range):
    steps_ms = [ns / 1e6 for ns in less.launch.metric("step", "total")]
    near(gaps, gaps_ms(less.launch))
    near(steps_range, max(steps_ms) - min(steps_ms))
    true(0 < less.rest_ms - gaps_ms(less.launch) <= max(steps_ms) - min(steps_ms), "the scatter does not explain it")


def shorter(run, emptiest):
    """Checks every forward pass that takes less than half of the answer's."""
    percents = []
    for size, context, precision in {(cell["size"], cell["context"], cell["precision"]) for cell in run.of("kernels")}:
        profile = Profile(run, f"{size} at context {context} in {PRECISION_WORDS[precision]}")
        source = profile.inference or profile.step
        if not source or source[0]["mode"] not in ("inference", "forward"):
            continue
        mean_ns, busy_ns = source[1].mean("step", "total"), source[1].metric("profile", "busy")
        if mean_ns and busy_ns is not None and mean_ns / 1e6 < less.mean_ms / 2:
            percents.append(100 * (1 - busy_ns / mean_ns))
    near(emptiest, max(percents))


def agree(run, kind, profile, busy, timer, within):
    _, mean_ms, busy_ms = checked_times(run, kind, profile, busy, timer)
    true(abs(1 - busy_ms / mean_ms) <= int(within) / 100)


def unexplained(run, kind, profile, busy, timer, difference):
    _, mean_ms, busy_ms = checked_times(run, kind, profile, busy, timer)
    true(("less" in difference) == (busy_ms < mean_ms) or "as much" in difference)


def ranked_names(rows):
    """Returns (ms, launches, name) of each kernel name, by descending ms."""
    sums_by_name = {}
    for row in rows:
        ms, calls = sums_by_name.get(row["name"], (0, 0))
        sums_by_name[row["name"]] = ms + row["total_ns"] / 1e6, calls + row["instances"]
    return sorted(((ms, calls, name) for name, (ms, calls) in sums_by_name.items()), reverse=True)


def check_name(printed, name):
    """Checks that a name, which may be shortened in print, is that of the kernel."""
    true(re.sub(r" \(.*\)$", "", printed).rstrip("…") in name, f"{printed} is not {name}")


def top(run, name, ms, of_pass, profile, calls, called_in):
    profile = Profile(run, profile)
    rows = profile.rows("forward")
    top_ms, top_calls, top_name = ranked_names(rows)[0]
    check_name(name, top_name)
    near(ms, top_ms)
    near(of_pass, 100 * top_ms / total_ms(rows))
    true(number(calls) == top_calls)
    inside, _, outside = re.sub(r"in each of \d+ layers(, and )?", "|", called_in).rpartition("|")
    count = lambda words: sum(int((re.match(r"(\d+) ", one) or [0, 1])[1])
                              for one in re.split(", | and (?!mask)", words) if one.strip())
    true(count(inside) * profile.shape["layers"] + count(outside) == top_calls, f"{called_in}: {top_calls}")
    top.profile = profile


def stays(_run):
    true(ranked_names(top.profile.rows("passes"))[0][2] == ranked_names(top.profile.rows("forward"))[0][2])


def another(_run, name, ms):
    top_ms, _, top_name = ranked_names(top.profile.rows("passes"))[0]
    true(top_name != ranked_names(top.profile.rows("forward"))[0][2])
    check_name(name, top_name)
    near(ms, top_ms)


KERNEL_GROUPS = {
    "softmax": is_in("computing softmax"), "RoPE": is_in("/rotary"),
    "scale and mask": lambda row: "computing attention scores" in row["module"],
    "SwiGLU": lambda row: row["module"] == "layers/ffn" and row["class"] not in ("copy", "memset"),
    "RMSNorm": lambda row: re.search(r"/ln\d$|^ln_final", row["module"]),
    "residual": lambda row: row["module"] == "layers" and row["class"] not in ("copy", "memset")}


def non_gemm(run, name, first, profile, others, classes, everything):
    rows = Profile(run, profile).rows("forward")
    other_rows = [row for row in rows if not row["gemm"]]
    near(everything, 100 - gemm_percent(rows))
    named_shares = [(name, first)] + re.findall(r"(?:, | and )((?:scale and )?[^,]+?) ([\d.]+) %", others or "")
    shares = [number(value) for _, value in named_shares]
    true(shares == sorted(shares, reverse=True) and shares[-1] >= 0.95 and sum(shares) <= number(everything) + 0.3)
    if "implementation" in Profile(run, profile).shape:
        return
    for group, value in named_shares:
        if group in KERNEL_GROUPS:
            near(value, 100 * total_ms(other_rows, KERNEL_GROUPS[group]) / total_ms(rows))
    if classes and all(group in KERNEL_GROUPS for group, _ in named_shares):
        claimed = {CLASS_OF_WORD.get(word, "elementwise") for word in re.split(", | and ", classes)}
        listed = [row for row in other_rows if any(KERNEL_GROUPS[group](row) for group, _ in named_shares)]
        true(total_ms(listed, lambda row: chart_class(row) in claimed) >= 0.8 * total_ms(listed))


def no_group(run, profile, everything):
    near(everything, 100 - gemm_percent(Profile(run, profile).rows("forward")))


def step_share(run, profile, forward, fullest, optimizer=None, by=None, inference=None):
    profile = Profile(run, profile)
    true(bool(inference) == bool(profile.inference and profile.step), "the forward pass is another's")
    step_share.before, step_share.after = profile.rows("forward"), profile.rows("step" if optimizer is not None else by)
    near(forward, gemm_percent(step_share.before))
    near(fullest, gemm_percent(step_share.after))


def whole_step(run, profile, forward, fullest, optimizer, inference):
    step_share(run, profile, forward, fullest, optimizer or "", inference=inference)
    rows = Profile(run, profile).rows
    if optimizer:
        near(optimizer, total_ms(rows("optimizer")))
        true(gemm_percent(rows("optimizer")) == 0)
        drop = gemm_percent(rows("passes")) - gemm_percent(rows("step"))
        true(drop > (gemm_percent(rows("forward")) - gemm_percent(rows("step"))) / 2, "the optimizer is not the reason")


def changes(_run, moved, steady):
    before, after = step_share.before, step_share.after
    percent_of = lambda rows, kind: percent(rows, lambda row: chart_class(row) == kind)
    told = {"GEMM", "other"}
    for kinds, verb, first, last in re.findall(r"(\w.*?) (rise|fall)(?: from (\S+) to (\S+) %)?", moved or ""):
        for words in re.split(", | and ", kinds):
            kind = re.sub(" (kernels|operators)$", "", words.lower())
            kind = CLASS_OF_WORD.get(kind, kind)
            told.add(kind)
            rise = percent_of(after, kind) - percent_of(before, kind)
            true((verb == "rise") == (rise > 0) and abs(rise) >= 1)
            if first:
                near(first, percent_of(before, kind))
                near(last, percent_of(after, kind))
    for words in re.split(", | and ", steady or ""):
        kind = re.sub(" (kernels|operators)$", "", words.lower())
        kind = CLASS_OF_WORD.get(kind, kind)
        if words:
            told.add(kind)
            true(abs(percent_of(after, kind) - percent_of(before, kind)) < 1, f"{kind} does not stay")
    true({chart_class(row) for row in before + after if row["total_ns"]} <= told, "a class is not told")


def without_reason(_run):
    true(abs(gemm_percent(step_share.before) - gemm_percent(step_share.after)) >= 1)


def backward_only(run, profile, forward, fullest, inference):
    step_share(run, profile, forward, fullest, by="passes", inference=inference)
    true(not Profile(run, profile).rows("step"))


def forward_only(run, profile, forward, inference):
    true(not inference)
    near(forward, gemm_percent(Profile(run, profile).rows("forward")))
    true(not Profile(run, profile).rows("passes"))


def attention(run, profile, softmax, products, more):
    profile = Profile(run, profile)
    rows, shape = profile.rows("forward"), profile.shape
    attention.profile, attention.rows = profile, rows
    if "implementation" in shape:
        return true(not more)
    near(softmax, total_ms(rows, is_in("computing softmax")))
    near(products, total_ms(rows, is_product))
    if more:
        near(more, 4 * shape["d_model"] / (5 * shape["heads"]), 2)


def is_product(row):
    return row["gemm"] and ("computing attention scores" in row["module"] or "final matmul" in row["module"])


def bandwidth_and_rate(run):
    precision = attention.profile.shape["precision"]
    return median_limit(run, "copy", "bandwidth"), fastest_gemm_rate(run, precision)


def work():
    """Returns (softmax FLOPs, softmax bytes, FLOPs of both products, their bytes) by the part's formulas."""
    shape = attention.profile.shape
    scores = shape["layers"] * shape["batch"] * shape["heads"] * shape["context"] ** 2
    hidden = shape["layers"] * shape["batch"] * shape["context"] * shape["d_model"]
    element_bytes = 4 if shape["precision"] in ("fp32", "tf32") else 2
    return 5 * scores, 32 * scores, 4 * hidden * shape["context"], 2 * element_bytes * (2 * hidden + scores)


def percents_of_peak(run):
    """Returns (percent of the bandwidth that softmax reaches, percent of the GEMM rate that products reach)."""
    bandwidth, rate = bandwidth_and_rate(run)
    _, softmax_bytes, product_flops, _ = work()
    return (100 * softmax_bytes / (total_ms(attention.rows, is_in("computing softmax")) / 1e3) / bandwidth,
            100 * product_flops / (total_ms(attention.rows, is_product) / 1e3) / rate)


def bounds_differ(run, softmax, products, ridge):
    bandwidth, rate = bandwidth_and_rate(run)
    softmax_flops, softmax_bytes, product_flops, product_bytes = work()
    near(softmax, softmax_flops / softmax_bytes, 2)
    near(products, product_flops / product_bytes, 2)
    near(ridge, rate / bandwidth, 2)
    true(number(softmax) < number(ridge) <= number(products) and min(percents_of_peak(run)) >= 40)


def fused(run, profile, ms):
    true(number(ms) <= total_ms(Profile(run, profile).rows("forward")) * 1.001)


NOTHING = (r"No step was profiled; the table gives the reasons\.", always)
BUSY = rf"The (?P<kind>forward pass|forward\+backward|training step) of {PROFILE} takes \*\*(?P<busy>\S+) ms\*\* by the profiler"
TIMER = r"\*\*(?P<timer>\S+) ms\*\*"
GEMMS = rf"In the (?:(?P<inference>inference)|forward) pass of {PROFILE} GEMMs take \*\*(?P<forward>\S+) %\*\*"

CLAIMS = {
    "nsys_profile.a": [
        NOTHING,
        (rf"{BUSY} and {TIMER} by the timer\.", less),
        (r"The rest is the GPU's idle time, (?P<each>\S+) µs after each of (?P<launches>[\d,]+) kernels\.", idle),
        (r"Gaps between kernels explain (?P<gaps>\S+) ms of the difference\. The timer's own steps differ by "
         r"(?P<steps_range>\S+) ms\.", scatter),
        (r"In shorter passes it is up to (?P<emptiest>\S+) %\.", shorter),
        (rf"{BUSY} and {TIMER} by the timer: they agree within (?P<within>\d+) %\.", agree),
        (rf"{BUSY}, (?P<difference>[^*]+) the timer's {TIMER}\. This run does not show why\.", unexplained)],
    "nsys_profile.b": [
        NOTHING,
        (rf"`(?P<name>[^`]+)` takes \*\*(?P<ms>\S+) ms\*\*, (?P<of_pass>\S+) % of the forward pass of {PROFILE}, in "
         r"\*\*(?P<calls>[\d,]+) launch(?:es)?\*\* \((?P<called_in>.+?)\)\.(?= |$)", top),
        (r"It stays on top when the backward pass is added\.", stays),
        (r"The backward pass puts another on top, `(?P<name>[^`]+)` \((?P<ms>\S+) ms\)\.", another),
        (r"No backward pass was profiled\.", lambda _run: true(not top.profile.rows("passes")))],
    "nsys_profile.c": [
        NOTHING,
        (rf"Besides GEMMs, (?P<name>.+?) takes \*\*(?P<first>\S+) %\*\* of the forward pass of {PROFILE}"
         r"(?P<others>,[^:]+? %)?(?:: mostly (?P<classes>[^.]+))?\. "
         r"All non-GEMM (?:kernels|operators) take \*\*(?P<everything>\S+) %\*\*\.", non_gemm),
        (rf"No group of non-GEMM (?:kernels|operators) takes 1 % of the forward pass of {PROFILE}; together they take "
         r"\*\*(?P<everything>\S+) %\*\*\.", no_group)],
    "nsys_profile.d": [
        NOTHING,
        (rf"{GEMMS}, in its training step \*\*(?P<fullest>\S+) %\*\*(?:, because the optimizer takes "
         r"(?P<optimizer>\S+) ms and launches no GEMM)?\.", whole_step),
        (r"This run does not show why\.", without_reason),
        (rf"{GEMMS}, with the backward pass \*\*(?P<fullest>\S+) %\*\*; no training step was profiled\.", backward_only),
        (rf"{GEMMS}; no step with a backward pass was profiled\.", forward_only),
        (r"(?P<moved>[A-Z][^.;]* (?:rise|fall)(?: from \S+ to \S+ %)?(?:(?:,| and) [^.;]*)?)?(?:; )?"
         r"(?:(?P<steady>[\w ,]+) stay within a point)?\.", changes)],
    "nsys_profile.e": [
        NOTHING,
        (rf"In a forward pass of {PROFILE} softmax takes \*\*(?P<softmax>\S+) ms\*\* and the two GEMMs "
         r"\*\*(?P<products>\S+) ms\*\*(?: with (?P<more>\S+) times the FLOPs)?\.", attention),
        (r"Softmax is memory-bound \((?P<softmax>\S+) FLOP/B\) and the GEMMs are compute-bound \((?P<products>\S+) "
         r"FLOP/B, ridge point (?P<ridge>\S+)\)\.", bounds_differ),
        (r"This run does not show why\.", always),
        (rf"In a forward pass of {PROFILE} fused (?:kernels|operators) compute attention in \*\*(?P<ms>\S+) ms\*\*: softmax "
         r"and the GEMMs have no times of their own\.", fused),
        (rf"Neither modules nor operators tell softmax and the GEMMs of attention apart in the forward pass of {PROFILE}\.",
         always)]}
