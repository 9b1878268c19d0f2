"""The claims about the profiling problem, recomputed from the tables of kernels."""
import re

from checks import MODES, PRECISIONS, PRECISION_WORDS, always, median_limit, near, number, true

CELL_KINDS = {"kernels", "limits"}
PHASES = {"forward": {"forward"}, "both": {"forward", "loss", "backward"}, "optimizer": {"optimizer"},
          "step": {"forward", "loss", "backward", "optimizer"}}
NUMBERS = ("kernel", "instances", "total_ns", "min_ns", "median_ns", "max_ns", "stddev_ns")
PROFILE = r"(?P<profile>.+? at context [\d,]+(?: in \w+)?)"
DRAWN = {"exponential": "elementwise", "where": "elementwise", "gather": "other", "fused": "other", "memset": "other"}
WORDS = {"reductions": "reduction", "copies": "copy"}


class Profile:
    """The profiled steps of one network at one context and precision."""

    def __init__(self, run, words):
        size, context, precision = re.match(r"(.+) at context ([\d,]+)(?: in (\w+))?$", words).groups()
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
        source = self.inference if part == "forward" and self.inference else self.step
        if not source or (part != "forward" and source[0]["mode"] in ("inference", "forward")) or (
                part in ("step", "optimizer") and source[0]["mode"] != "train_step"):
            return []
        rows = source[1].table("kernels")
        if any(not isinstance(row[name], (int, float)) for row in rows for name in NUMBERS):
            return []
        names = {row["id"]: row["name"] for row in source[1].table("kernel_names")}
        return [{**row, "name": names.get(row["kernel"], f"kernel-{row['kernel']}"), "gemm": row["class"].startswith("gemm")}
                for row in rows if row["phase"] in PHASES[part] and row["instances"] >= 1]


def total(rows, wanted=lambda row: True):
    return sum(row["total_ns"] for row in rows if wanted(row)) / 1e6


def share(rows, wanted):
    return 100 * total(rows, wanted) / total(rows)


def gemms(rows):
    return share(rows, lambda row: row["gemm"])


def chart_class(row):
    """Returns the class under which the chart draws a kernel."""
    return "GEMM" if row["gemm"] else DRAWN.get(row["class"], row["class"]) if row["class"] in (
        "elementwise", "reduction", "copy", *DRAWN) else "other"


def is_in(module, *operators):
    return lambda row: module in row["module"] and (not operators or row["operator"] in operators)


def timed_pass(profile, kind="forward pass"):
    forward = profile.inference or profile.step
    launch = (forward if kind == "forward pass" else profile.step)[1]
    mean, busy = launch.mean("step", "total"), launch.metric("profile", "busy")
    return launch, mean / 1e6, busy / 1e6


def times(run, kind, profile, busy, timer):
    launch, mean, seen = timed_pass(Profile(run, profile), kind)
    near(busy, seen)
    near(timer, mean)
    return launch, mean, seen


def less(run, kind, profile, busy, timer, within=None, apart=None):
    launch, mean, seen = times(run, kind, profile, busy, timer)
    true(launch.metric("profile", "step") > launch.metric("profile", "busy"), "no time without kernels")
    true(seen < mean)
    if within:
        true(1 - seen / mean <= int(within) / 100)
    else:
        near(apart, 100 * (1 - seen / mean))
    less.whole = mean


def shorter(run, emptiest):
    """Checks every forward pass that takes less than half of the answer's."""
    shares = []
    for words in {(cell["size"], cell["context"], cell["precision"]) for cell in run.of("kernels")}:
        profile = Profile(run, f"{words[0]} at context {words[1]} in {PRECISION_WORDS[words[2]]}")
        source = profile.inference or profile.step
        if not source or source[0]["mode"] not in ("inference", "forward"):
            continue
        mean, busy = source[1].mean("step", "total"), source[1].metric("profile", "busy")
        if mean and busy is not None and mean / 1e6 < less.whole / 2:
            shares.append(100 * (1 - busy / mean))
    near(emptiest, max(shares))


def agree(run, kind, profile, busy, timer, within):
    _, mean, seen = times(run, kind, profile, busy, timer)
    true(abs(1 - seen / mean) <= int(within) / 100)


def unexplained(run, kind, profile, busy, timer, difference):
    _, mean, seen = times(run, kind, profile, busy, timer)
    true(("less" in difference) == (seen < mean) or "as much" in difference)


def ranked(rows):
    sums = {}
    for row in rows:
        ms, calls = sums.get(row["name"], (0, 0))
        sums[row["name"]] = ms + row["total_ns"] / 1e6, calls + row["instances"]
    return sorted(((ms, calls, name) for name, (ms, calls) in sums.items()), reverse=True)


def check_name(printed, name):
    """Checks that a name, which may be shortened in print, is that of the kernel."""
    true(re.sub(r" \(.*\)$", "", printed).rstrip("…") in name, f"{printed} is not {name}")


def top(run, name, ms, of_pass, profile, calls, called_in):
    profile = Profile(run, profile)
    rows = profile.rows("forward")
    most = ranked(rows)[0]
    check_name(name, most[2])
    near(ms, most[0])
    near(of_pass, 100 * most[0] / total(rows))
    true(number(calls) == most[1])
    inside, _, outside = re.sub(r"in each of \d+ layers(, and )?", "|", called_in).rpartition("|")
    count = lambda words: sum(int((re.match(r"(\d+) ", one) or [0, 1])[1])
                              for one in re.split(", | and (?!mask)", words) if one.strip())
    true(count(inside) * profile.shape["layers"] + count(outside) == most[1], f"{called_in}: {most[1]}")
    top.profile = profile


def stays(_run):
    true(ranked(top.profile.rows("both"))[0][2] == ranked(top.profile.rows("forward"))[0][2])


def another(_run, name, ms):
    first = ranked(top.profile.rows("both"))[0]
    true(first[2] != ranked(top.profile.rows("forward"))[0][2])
    check_name(name, first[2])
    near(ms, first[0])


def without_backward(_run):
    true(not top.profile.rows("both"))


KERNEL_GROUPS = {
    "softmax": is_in("computing softmax"), "RoPE": is_in("/rotary"),
    "scale and mask": lambda row: "computing attention scores" in row["module"],
    "SwiGLU": lambda row: row["module"] == "layers/ffn" and row["class"] not in ("copy", "memset"),
    "RMSNorm": lambda row: re.search(r"/ln\d$|^ln_final", row["module"]),
    "residual": lambda row: row["module"] == "layers" and row["class"] not in ("copy", "memset")}


def non_gemm(run, name, first, profile, others, classes, everything):
    rows = Profile(run, profile).rows("forward")
    other = [row for row in rows if not row["gemm"]]
    near(everything, 100 - gemms(rows))
    shares = [(name, first)] + re.findall(r"(?:, | and )((?:scale and )?[^,]+?) ([\d.]+) %", others or "")
    values = [number(value) for _, value in shares]
    true(values == sorted(values, reverse=True) and values[-1] >= 0.95 and sum(values) <= number(everything) + 0.3)
    if "implementation" in Profile(run, profile).shape:
        return
    for group, value in shares:
        if group in KERNEL_GROUPS:
            near(value, 100 * total(other, KERNEL_GROUPS[group]) / total(rows))
    if classes and all(group in KERNEL_GROUPS for group, _ in shares):
        claimed = {WORDS.get(word, "elementwise") for word in re.split(", | and ", classes)}
        listed = [row for row in other if any(KERNEL_GROUPS[group](row) for group, _ in shares)]
        true(total(listed, lambda row: chart_class(row) in claimed) >= 0.8 * total(listed))


def no_group(run, profile, everything):
    near(everything, 100 - gemms(Profile(run, profile).rows("forward")))


def step_share(run, profile, forward, fullest, optimizer=None, by=None):
    profile = Profile(run, profile)
    rows = profile.rows("forward"), profile.rows("step" if optimizer is not None else by)
    near(forward, gemms(rows[0]))
    near(fullest, gemms(rows[1]))
    step_share.before, step_share.after = rows


def whole_step(run, profile, forward, fullest, optimizer):
    step_share(run, profile, forward, fullest, optimizer or "")
    parts = Profile(run, profile)
    if optimizer:
        near(optimizer, total(parts.rows("optimizer")))
        true(gemms(parts.rows("optimizer")) == 0)
        drop = gemms(parts.rows("both")) - gemms(parts.rows("step"))
        true(drop > (gemms(parts.rows("forward")) - gemms(parts.rows("step"))) / 2, "the optimizer is not the reason")


def changes(_run, moved, steady):
    before, after = step_share.before, step_share.after
    change = lambda kind: (share(before, lambda row: chart_class(row) == kind), share(after, lambda row: chart_class(row) == kind))
    claimed = {"GEMM", "other"}
    for kinds, verb, first, last in re.findall(r"(\w.*?) (rise|fall)(?: from (\S+) to (\S+) %)?", moved or ""):
        for words in re.split(", | and ", kinds):
            kind = re.sub(" (kernels|operators)$", "", words.lower())
            kind = WORDS.get(kind, kind)
            claimed.add(kind)
            ends = change(kind)
            true((verb == "rise") == (ends[1] > ends[0]) and abs(ends[1] - ends[0]) >= 1)
            if first:
                near(first, ends[0])
                near(last, ends[1])
    for words in re.split(", | and ", steady or ""):
        kind = re.sub(" (kernels|operators)$", "", words.lower())
        kind = WORDS.get(kind, kind)
        if words:
            claimed.add(kind)
            true(abs(change(kind)[1] - change(kind)[0]) < 1, f"{kind} does not stay")
    true({chart_class(row) for row in before + after if row["total_ns"]} <= claimed, "a class is not told")


def without_reason(_run):
    true(abs(gemms(step_share.before) - gemms(step_share.after)) >= 1)


def backward_only(run, profile, forward, fullest):
    step_share(run, profile, forward, fullest, by="both")
    true(not Profile(run, profile).rows("step"))


def forward_only(run, profile, forward):
    near(forward, gemms(Profile(run, profile).rows("forward")))
    true(not Profile(run, profile).rows("both"))


def attention(run, profile, softmax, products, more):
    profile = Profile(run, profile)
    rows, shape = profile.rows("forward"), profile.shape
    attention.profile, attention.rows = profile, rows
    if "implementation" in shape:
        return true(not more)
    near(softmax, total(rows, is_in("computing softmax")))
    near(products, total(rows, is_product))
    if more:
        near(more, 4 * shape["d_model"] / (5 * shape["heads"]), 2)


def is_product(row):
    return row["gemm"] and ("computing attention scores" in row["module"] or "final matmul" in row["module"])


def limits(run):
    precision = attention.profile.shape["precision"]
    return median_limit(run, "copy", "bandwidth"), median_limit(run, "matrix_rate", precision)


def work():
    """Returns FLOPs and bytes of softmax, then of both products, by the formulas of the part's method."""
    shape = attention.profile.shape
    scores = shape["layers"] * shape["batch"] * shape["heads"] * shape["context"] ** 2
    hidden = shape["layers"] * shape["batch"] * shape["context"] * shape["d_model"]
    width = 4 if shape["precision"] in ("fp32", "tf32") else 2
    return 5 * scores, 32 * scores, 4 * hidden * shape["context"], 2 * width * (2 * hidden + scores)


def percents_of_peak(run):
    """Returns the percent of the bandwidth that softmax reaches, and of the GEMM rate that the products reach."""
    bandwidth, rate = limits(run)
    _, softmax_bytes, flops, _ = work()
    return (100 * softmax_bytes / (total(attention.rows, is_in("computing softmax")) / 1e3) / bandwidth,
            100 * flops / (total(attention.rows, is_product) / 1e3) / rate)


def bounds_differ(run, softmax, products, ridge):
    bandwidth, rate = limits(run)
    softmax_flops, softmax_bytes, flops, moved = work()
    near(softmax, softmax_flops / softmax_bytes, 2)
    near(products, flops / moved, 2)
    near(ridge, rate / bandwidth, 2)
    true(number(softmax) < number(ridge) <= number(products) and min(percents_of_peak(run)) >= 40)


def fused(run, profile, ms):
    true(number(ms) <= total(Profile(run, profile).rows("forward")) * 1.001)


NOTHING = (r"No step was profiled; the table gives the reasons\.", always)
BUSY = rf"The (?P<kind>forward pass|forward\+backward|training step) of {PROFILE} takes \*\*(?P<busy>\S+) ms\*\* by the profiler"
TIMER = r"\*\*(?P<timer>\S+) ms\*\*"
GEMMS = rf"In the forward pass of {PROFILE} GEMMs take \*\*(?P<forward>\S+) %\*\*"

CLAIMS = {
    "nsys_profile.a": [
        NOTHING,
        (rf"{BUSY} and {TIMER} by the timer, which also counts time without (?:kernels|operators): "
         r"(?:they agree within (?P<within>\d+) %|a difference of (?P<apart>\S+) %)\.", less),
        (r"In shorter passes that time is a larger share, up to (?P<emptiest>\S+) %\.", shorter),
        (rf"{BUSY} and {TIMER} by the timer: they agree within (?P<within>\d+) %\.", agree),
        (rf"{BUSY}, (?P<difference>[^*]+) the timer's {TIMER}\. This run does not show why\.", unexplained)],
    "nsys_profile.b": [
        NOTHING,
        (rf"`(?P<name>[^`]+)` takes \*\*(?P<ms>\S+) ms\*\*, (?P<of_pass>\S+) % of the forward pass of {PROFILE}, in "
         r"\*\*(?P<calls>[\d,]+) launch(?:es)?\*\* \((?P<called_in>.+?)\)\.(?= |$)", top),
        (r"It stays on top when the backward pass is added\.", stays),
        (r"The backward pass puts another on top, `(?P<name>[^`]+)` \((?P<ms>\S+) ms\)\.", another),
        (r"No backward pass was profiled\.", without_backward)],
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
