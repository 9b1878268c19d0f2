"""The claims about the profiling problem, recomputed from the tables of kernels."""
import re
import statistics

from checks import MODES, PRECISIONS, always, median_limit, near, number, true
from gemms import fastest_gemm_rate
from timing import PHASES as PHASES_OF_MODE, LaunchCosts, launch_costs

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
    if row["operator"].startswith("aten::_foreach_") and not row["gemm"]:
        return "elementwise"
    return "GEMM" if row["gemm"] else CHART_CLASSES.get(row["class"], row["class"]) if row["class"] in (
        "elementwise", "reduction", "copy", *CHART_CLASSES) else "other"


def is_in(module, *operators):
    return lambda row: module in row["module"] and (not operators or row["operator"] in operators)


def times(run, kind, profile, busy, timer, more, sign):
    """Checks both times, and keeps them for the reason that follows."""
    profile = Profile(run, profile)
    cell, times.launch = (profile.inference or profile.step) if kind == "forward pass" else profile.step
    times.steps_ms = [ns / 1e6 for ns in times.launch.metric("step", "total")]
    times.timer_ms, times.busy_ms = statistics.fmean(times.steps_ms), times.launch.metric("profile", "busy") / 1e6
    near(timer, times.timer_ms)
    near(busy, times.busy_ms)
    excess = 100 * (times.timer_ms / times.busy_ms - 1)
    if more:
        near(more, abs(excess))
        true((sign == "more") == (excess > 0))
    else:
        true(abs(excess) < 0.1001, "they differ")
    costs = launch_costs(times.launch, PHASES_OF_MODE[cell["mode"]], times.steps_ms)
    times.costs = costs and cell["device_kind"] != "cpu" and LaunchCosts(costs.launches, times.busy_ms, times.timer_ms)


def gaps_ms():
    return (times.launch.metric("profile", "span") - times.launch.metric("profile", "busy")) / 1e6


def idle(_run, each, launches):
    """Checks that the profiled gaps between kernels, which the profiler makes longer, are at least the rest."""
    true(times.costs.launches == number(launches))
    near(each, times.costs.gpu_idle_us)
    true(gaps_ms() >= times.timer_ms - times.busy_ms, "gaps are shorter than the rest")


def passes_differ(_run, gaps, least, most):
    """Checks that neither launches nor the gaps between kernels explain the timer's time."""
    near(gaps, gaps_ms())
    near(least, min(times.steps_ms))
    near(most or least, max(times.steps_ms))
    rest_ms = times.timer_ms - times.busy_ms
    if times.costs:
        true(times.costs.bound != "launch-bound", "the CPU sets the time")
        true(times.costs.bound != "GPU-bound" or rest_ms < 0 or rest_ms > gaps_ms(), "the gaps are the rest")


def launch_bound(_run, cpu, mean):
    near(cpu, times.costs.cpu_us)
    near(mean, times.costs.kernel_us)
    true(times.costs.kernel_us < times.costs.cpu_us)


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


def another(_run, name, ms, own):
    """Checks the kernel on top of both passes together, and the time of the forward pass's there."""
    both = ranked_names(top.profile.rows("passes"))
    (top_ms, _, top_name), own_name = both[0], ranked_names(top.profile.rows("forward"))[0][2]
    own_ms = next((kernel_ms for kernel_ms, _, kernel in both if kernel == own_name), 0)
    true(top_name != own_name)
    check_name(name, top_name)
    near(ms, top_ms)
    near(own, own_ms)
    true(own_ms < top_ms, f"{own_ms} ms against {top_ms}")


KERNEL_GROUPS = {
    "softmax": is_in("computing softmax"), "RoPE": is_in("/rotary"),
    "scale and mask": lambda row: "computing attention scores" in row["module"],
    "SwiGLU": lambda row: row["module"] == "layers/ffn" and row["class"] not in ("copy", "memset"),
    "RMSNorm": lambda row: re.search(r"/ln\d$|^ln_final", row["module"]),
    "residual": lambda row: row["module"] == "layers" and row["class"] not in ("copy", "memset")}


def non_gemm(run, name, operators, first, profile, others):
    profile = Profile(run, profile)
    rows = profile.rows("forward")
    other_rows = [row for row in rows if not row["gemm"]]
    first_name = next((group for group in KERNEL_GROUPS if group.lower() == name.lower()), name.lower())
    others = (others or "").replace("\\", "")
    inside = [re.split(", | and ", one) for one in re.findall(r" \(([^)]+)\)", others)]
    others = re.sub(r" \([^)]+\)", "", others)
    named_shares = [(first_name, first)] + re.findall(r"(?:, | and )((?:scale and )?[^,]+?) ([\d.]+) %", others)
    shares = [number(value) for _, value in named_shares]
    true(shares == sorted(shares, reverse=True) and min(shares[1:], default=1) >= 0.95)
    true(sum(shares) <= 100 - gemm_percent(rows) + 0.3)
    non_gemm.profile = profile
    if "implementation" in profile.shape:
        for named in (re.split(", | and ", operators), *inside):
            true(set(named) <= set(ranked_operators(other_rows)), named)
        return
    if first_name in KERNEL_GROUPS:
        of_first = list(filter(KERNEL_GROUPS[first_name], other_rows))
        true(re.split(", | and ", operators) == ranked_operators(of_first)[:5], operators)
    for group, value in named_shares:
        if group in KERNEL_GROUPS:
            near(value, 100 * total_ms(other_rows, KERNEL_GROUPS[group]) / total_ms(rows))
    largest = max(100 * total_ms(other_rows, wanted) / total_ms(rows) for wanted in KERNEL_GROUPS.values())
    true(number(first) >= largest - 0.06, f"{name} is not the largest")


WRITTEN_OUT = {"aten::max", "aten::sub", "aten::exp", "aten::sum", "aten::div"}


def softmax_rows(profile):
    """Returns the forward pass's kernels of softmax: in its range, or else those of a user's attention, which calls a
    fused operator or, once a layer, each of WRITTEN_OUT. A division by a number is the scale, which multiplies."""
    rows = [row for row in profile.rows("forward") if not row["gemm"]]
    if "implementation" not in profile.shape:
        return [row for row in rows if "computing softmax" in row["module"]]
    fused = [row for row in rows if row["operator"] == "aten::_softmax"]
    own = [row for row in rows if re.search(r"att(?:n|ention)$", row["module"]) and row["operator"] in WRITTEN_OUT
           and (row["operator"] != "aten::div" or "DivFunctor" in row["name"])]
    is_complete = {row["operator"] for row in own} == WRITTEN_OUT and len({row["instances"] for row in own}) == 1
    return fused or (own if is_complete and len(own) == 5 else [])


def ranked_operators(rows):
    """Returns the operators of these kernels, by time."""
    by_operator = {}
    for row in rows:
        operator = row["operator"].removeprefix("aten::")
        by_operator[operator] = by_operator.get(operator, 0) + row["total_ns"]
    return sorted(by_operator, key=by_operator.get, reverse=True)


def softmax_bandwidth(run, bandwidth):
    """Checks the share of a copy's rate. Max and sum read each score, sub, exp and div write it, too: 8 accesses."""
    rows = softmax_rows(non_gemm.profile)
    shape = non_gemm.profile.shape
    scores = shape["layers"] * shape["batch"] * shape["heads"] * shape["context"] ** 2
    true(shape["precision"] in ("fp32", "tf32"))
    true(set(ranked_operators(rows)) == {"max", "sub", "exp", "sum", "div"}, "other bytes")
    near(bandwidth, 100 * 8 * 4 * scores / (total_ms(rows) / 1e3) / median_limit(run, "copy", "bandwidth"))


def forward_share(run, profile, forward, inference):
    forward_share.profile = profile = Profile(run, profile)
    true(bool(inference) == bool(profile.inference and profile.step), "the forward pass is another's")
    near(forward, gemm_percent(profile.rows("forward")))


def longest_share(_run, longest, fullest, kind, verb, first, last):
    before = forward_share.profile.rows("forward")
    after = forward_share.profile.rows("step" if longest == "training step" else "passes")
    true(longest == "training step" or not forward_share.profile.rows("step"))
    near(fullest, gemm_percent(after))
    percents = lambda name: [percent(rows, lambda row: chart_class(row) == name) for rows in (before, after)]
    changes = {name: percents(name) for name in ("elementwise", "reduction", "copy", "other")}
    told = changes[CLASS_OF_WORD.get(kind, kind)]
    near(first, told[0])
    near(last, told[1])
    true((verb == "rise") == (told[1] > told[0]))
    true(abs(told[1] - told[0]) >= max(abs(to - start) for start, to in changes.values()) - 1e-9, "another changes more")


def optimizer(_run, ms):
    rows = forward_share.profile.rows("optimizer")
    near(ms, total_ms(rows))
    true(gemm_percent(rows) == 0)


def apart_from_optimizer(_run, ms, kind, without):
    """Checks the share that the sentence before tells, without the optimizer's kernels."""
    optimizer(_run, ms)
    rows = [row for row in forward_share.profile.rows("step") if row["phase"] != "optimizer"]
    near(without, percent(rows, lambda row: chart_class(row) == CLASS_OF_WORD.get(kind, kind)))


def adamw(run, ms, parameter_bytes, bandwidth):
    """Checks against 4 B for each of the 33 accesses to parameters, gradients, moments and temporaries."""
    optimizer(run, ms)
    true(number(parameter_bytes) == 4 * 33)
    moved = 132 * forward_share.profile.cells[0].parameters()
    seconds = total_ms(forward_share.profile.rows("optimizer")) / 1e3
    near(bandwidth, 100 * moved / seconds / median_limit(run, "copy", "bandwidth"))


def is_product(row):
    return row["gemm"] and ("computing attention scores" in row["module"] or "final matmul" in row["module"])


def products_of(profile):
    """Returns what tells QKᵀ and A·V: their range, or else the batched GEMMs of a user's attention itself."""
    if "implementation" not in profile.shape:
        return is_product
    return lambda row: (row["gemm"] and row["operator"].endswith("bmm")
                        and re.search(r"att(?:n|ention)$", row["module"]))


def attention(run, profile, softmax, products, more):
    attention.described = profile
    profile = Profile(run, profile)
    near(softmax, total_ms(softmax_rows(profile)))
    near(products, total_ms(profile.rows("forward"), products_of(profile)))
    if more:
        if "implementation" in profile.shape:
            launches = sum(row["instances"] for row in profile.rows("forward") if products_of(profile)(row))
            true(launches == 2 * profile.shape["layers"], "not two batched GEMMs a layer")
        near(more, 4 * profile.shape["d_model"] / (5 * profile.shape["heads"]), 2)


class Bounds:
    """The arithmetic intensities of softmax and of both products, and the percents of the limits that they reach."""

    def __init__(self, run, described):
        profile = Profile(run, described)
        shape, rows = profile.shape, profile.rows("forward")
        scores = shape["layers"] * shape["batch"] * shape["heads"] * shape["context"] ** 2
        hidden = shape["layers"] * shape["batch"] * shape["context"] * shape["d_model"]
        element_bytes = 4 if shape["precision"] in ("fp32", "tf32") else 2
        product_flops, product_bytes = 4 * hidden * shape["context"], 2 * element_bytes * (2 * hidden + scores)
        softmax_s, products_s = total_ms(softmax_rows(profile)) / 1e3, total_ms(rows, products_of(profile)) / 1e3
        accesses = 2 if softmax_rows(profile)[0]["operator"] == "aten::_softmax" else 8
        bandwidth, rate = median_limit(run, "copy", "bandwidth"), fastest_gemm_rate(run, shape["precision"])
        self.ridge, self.products_intensity = rate / bandwidth, product_flops / product_bytes
        self.softmax_of_bandwidth = 100 * 4 * accesses * scores / softmax_s / bandwidth
        self.softmax_intensity = 5 / (4 * accesses)
        self.products_of_bandwidth = 100 * product_bytes / products_s / bandwidth
        self.products_of_rate = 100 * product_flops / products_s / rate


def bounds_differ(run, rate, bandwidth):
    bounds = Bounds(run, attention.described)
    near(rate, bounds.products_of_rate)
    near(bandwidth, bounds.softmax_of_bandwidth)
    true(bounds.softmax_intensity < bounds.ridge <= bounds.products_intensity)
    true(min(bounds.products_of_rate, bounds.softmax_of_bandwidth) >= 40)


def exp_computes(run, times):
    """Checks exp against sub, each of which reads and writes each score in FP32."""
    profile = Profile(run, attention.described)
    exp_ms, sub_ms = (total_ms(softmax_rows(profile), lambda row: row["operator"] == name) for name in ("aten::exp", "aten::sub"))
    near(times, exp_ms / sub_ms, 2)
    true(exp_ms >= 2 * sub_ms and profile.shape["precision"] in ("fp32", "tf32"))


def both_memory_bound(run, precision):
    bounds = Bounds(run, re.sub(r" in \w+$", "", attention.described) + f" in {precision}")
    true(max(5 / 32, bounds.products_intensity) < bounds.ridge)
    true(min(bounds.products_of_bandwidth, bounds.softmax_of_bandwidth) >= 40)


NOTHING = (r"No (?:step|forward pass) was profiled; the table gives the reasons\.", always)

CLAIMS = {
    "nsys_profile.a": [
        NOTHING,
        (rf"The (?P<kind>forward pass|forward\+backward|training step) of {PROFILE} takes \*\*(?P<busy>\S+) ms\*\* by the "
         r"profiler and \*\*(?P<timer>\S+) ms\*\* by the timer, (?:(?P<more>\S+) % (?P<sign>more|less)|the same within 0\.1 %)\.", times),
        (r"The rest is the GPU's idle time, (?P<each>\S+) µs after each of (?P<launches>[\d,]+) kernels\.", idle),
        (r"The profiled pass has (?P<gaps>\S+) ms between (?:kernels|operators); timed ones "
         r"take (?P<least>\S+?)(?: to (?P<most>\S+))? ms: passes differ\.", passes_differ),
        (r"The CPU sets the timer's time: it takes (?P<cpu>\S+) µs a launch, the GPU (?P<mean>\S+) µs a kernel\.",
         launch_bound)],
    "nsys_profile.b": [
        NOTHING,
        (rf"Of forward in {PROFILE}, `(?P<name>[^`]+)` takes \*\*(?P<ms>\S+) ms\*\*, (?P<of_pass>\S+) %, in "
         r"\*\*(?P<calls>[\d,]+) (?:launch(?:es)?|calls?)\*\* \((?P<called_in>.+?)\)\.(?= |$)", top),
        (r"It stays on top when the backward pass is added\.", stays),
        (r"With the backward pass it is another: `(?P<name>[^`]+)` takes (?P<ms>\S+) ms, the first (?P<own>\S+)\.(?= |$)", another)],
    "nsys_profile.c": [
        NOTHING,
        (rf"(?P<name>[A-Z].*?) \((?P<operators>[^)]+)\) takes? \*\*(?P<first>\S+) %\*\* of the forward pass of {PROFILE}(?P<others>,[^:]+? %)?\.",
         non_gemm),
        (r"Softmax accesses each score eight times, at (?P<bandwidth>\S+) % "
         r"of copy bandwidth\.", softmax_bandwidth)],
    "nsys_profile.d": [
        NOTHING,
        (rf"GEMMs take \*\*(?P<forward>\S+) %\*\* of the (?:(?P<inference>inference)|forward) pass of {PROFILE}\.",
         forward_share),
        (r"Its (?P<longest>training step|forward and backward pass) has \*\*(?P<fullest>\S+) %\*\*; "
         r"(?P<kind>\w+)(?: kernels| operators)? (?P<verb>rise|fall) from (?P<first>\S+) to (?P<last>\S+) %\.",
         longest_share),
        (r"AdamW's (?P<ms>\S+) ms hold no GEMM but move (?P<parameter_bytes>\d+) B a parameter, at (?P<bandwidth>\S+) % of "
         r"copy bandwidth; 28 suffice\.", adamw),
        (r"The optimizer's (?P<ms>\S+) ms hold no GEMM; without them (?P<kind>\w+)(?: kernels| operators)? take "
         r"(?P<without>\S+) %\.", apart_from_optimizer)],
    "nsys_profile.e": [
        (r"Softmax and the GEMMs of attention have no times of their own; the table gives the reasons\.", always),
        (rf"In a forward pass of {PROFILE} softmax takes \*\*(?P<softmax>\S+) ms\*\*, the GEMMs \*\*(?P<products>\S+) "
         r"ms\*\*(?: with (?P<more>\S+) times the FLOPs)?\.", attention),
        (r"Computing, not memory, bounds softmax's exp: it takes (?P<times>\S+) times as long as sub for equal bytes\.",
         exp_computes),
        (r"The GEMMs are compute-bound \((?P<rate>\S+) % of the fastest GEMM's rate\), softmax memory-bound "
         r"\((?P<bandwidth>\S+) % of copy bandwidth\)\.", bounds_differ),
        (r"In (?P<precision>\w+) memory bounds both\.", both_memory_bound)]}


def phase_shares(_run, shares, network):
    """Checks each phase's share of the time from the first kernel to the end of the last."""
    told = {name.lower(): share for name, share in re.findall(r"(\w+) (?:takes )?(\S+) %", shares)}
    cells = Profile(_run, network).cells
    launch = next(cell.ok_launch() for cell in cells if cell.ok_launch() and cell.ok_launch().table("gpu_trace"))
    kernels, start, starts = launch.table("kernels"), 0, []
    for row in launch.table("gpu_trace"):
        start += row["after_ns"] or 0
        starts.append((kernels[row["row"]]["phase"], start, start + row["duration_ns"]))
    lengths = {}
    for (phase, begin, end), (_, following, _) in zip(starts, [*starts[1:], ("", starts[-1][2], 0)]):
        lengths[phase] = lengths.get(phase, 0) + following - begin
    percents = {phase: 100 * length / sum(lengths.values()) for phase, length in lengths.items()}
    for phase, share in told.items():
        near(share, percents[phase])
    true(all(phase in told or share < 10.001 or not phase for phase, share in percents.items()), "a phase is not told")


TITLES = [(r"\*\*Figure \d+[a-z]?\. (?P<shares>\w+ takes \S+ % of the step(?:, \w+ \S+ %)*), "
           r"(?P<network>[^*]+? at context [\d,]+ in \w+)\*\*", phase_shares)]
