"""The claims about data-parallel steps, recomputed from every step and each rank's traced one."""
import statistics

from checks import PRECISIONS, near, near_fit, number, true
from collectives import latency_and_bandwidth

CELL_KINDS = {"data_parallel", "all_reduce"}
NETWORK_RE = r"(?P<size>\S+) at context (?P<context>[\d,]+) in (?P<precision>\w+)"


class SchemeSteps:
    """The timed steps of one communication scheme. A step ends with its slowest rank."""

    def __init__(self, cell):
        self.cell, self.launch = cell, cell.ok_launch() if cell else None
        self.step_ms = self.ms_after_warmup("step", "total")

    def ms_after_warmup(self, tag, name):
        if not self.launch:
            return []
        samples_ns = self.launch.metric(tag, name) or []
        return [ns / 1e6 for ns in samples_ns[self.cell["warmup"]:][:self.cell["steps"]]]

    def mean_ms(self):
        return statistics.fmean(self.step_ms)

    def deviation_ms(self):
        return statistics.stdev(self.step_ms) if len(self.step_ms) > 1 else 0

    def median_ms(self, phase):
        samples_ms = self.ms_after_warmup("event", phase)
        return statistics.median(samples_ms) if samples_ms else None

    def traced_ms(self):
        """Returns (ms of communication, ms of it beside computation) of the rank with the most exposed. Returns None if
        tracing slowed the step."""
        rows = self.launch.table("rank_steps") if self.launch else []
        if max((row["traced_ns"] or 0 for row in rows), default=0) / 1e6 > 1.05 * self.mean_ms():
            return None
        communication_hidden = [(row["communication_ns"] / 1e6, row["both_ns"] / 1e6) for row in rows
                                if None not in (row["communication_ns"], row["both_ns"])]
        return max(communication_hidden, key=lambda pair: pair[0] - pair[1], default=None)

    def copies_ms(self):
        """Returns the traced ms in computation between the last gradient and the optimizer, on rank 0."""
        return sum(row["duration_ns"] for row in self.launch.table("lanes")
                   if row["lane"] == "compute" and row["phase"] == "exchange") / 1e6

    def added_ms(self):
        return self.mean_ms() - steps_of("none").mean_ms()

    def longer_backward_ms(self):
        """Returns how much longer backward takes than without communication; None if one is unknown."""
        own_ms, baseline_ms = self.median_ms("backward"), steps_of("none").median_ms("backward")
        return own_ms - baseline_ms if own_ms and baseline_ms else None

    def all_reduce_count(self):
        calls = self.launch.metric("all_reduces", "calls")
        return 9 * self.cell["layers"] + 3 if calls is None else calls


def select_network(run, size, context, precision):
    """Keeps the cells of the network that this and later sentences describe."""
    select_network.cells = run.of("data_parallel", size=size, context=int(number(context)),
                                  precision=PRECISIONS[precision])


def steps_of(scheme):
    return SchemeSteps(next((cell for cell in select_network.cells if cell["scheme"] == scheme), None))


def differ(a, b):
    """Tells whether mean steps differ by more than the sum of their deviations."""
    return abs(a.mean_ms() - b.mean_ms()) > a.deviation_ms() + b.deviation_ms()


def no_step_measured(scheme):
    return (r"No step was measured; “What ran” gives the reasons\.",
            lambda run: true(not any(SchemeSteps(cell).step_ms for cell in run.of("data_parallel", scheme=scheme))))


def ranks_diverged(run):
    true(any((SchemeSteps(cell).launch.metric("equality", "apart") or 0) > 0
             for cell in run.of("data_parallel", scheme="per_parameter") if cell.ok_launch()))


def trains_equally(run, difference):
    digits, _, exponent = difference.partition(" × 10")
    exponent = exponent.translate(str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-"))
    largest_errors = [max(launch.metric("equality", "gradients"), launch.metric("equality", "weights"))
            for launch in (cell.ok_launch() for cell in run.of("data_parallel", scheme="per_parameter"))
            if launch and None not in (launch.metric("equality", "gradients"), launch.metric("equality", "weights"))]
    claimed_error = float(digits) * 10 ** int(exponent or 0)
    true(any(abs(claimed_error - error) <= 0.051 * 10 ** int(exponent or 0) for error in largest_errors))


def naive(run, size, context, precision, step, ms, share):
    select_network(run, size, context, precision)
    own, baseline = steps_of("per_parameter"), steps_of("none")
    naive.step = own
    near(step, own.mean_ms())
    if ms:
        added_ms = own.mean_ms() - baseline.mean_ms()
        near(ms, added_ms)
        near(share, 100 * added_ms / own.mean_ms())
        true(differ(own, baseline) and added_ms > 0 and is_baseline_undisturbed(baseline), "something disturbed a step")


def is_baseline_undisturbed(baseline):
    """Tells whether no scheme is clearly faster than the baseline, the step without communication."""
    timed = [steps for steps in map(SchemeSteps, select_network.cells) if steps.step_ms]
    return all(not differ(steps, baseline) or steps.mean_ms() > baseline.mean_ms() for steps in timed)


def unclear(_run):
    baseline = steps_of("none")
    true(not baseline.step_ms or not differ(naive.step, baseline) or not is_baseline_undisturbed(baseline))


def traced(_run, calls, ms, beside):
    communication_ms, hidden_ms = naive.step.traced_ms()
    true(number(calls) == naive.step.all_reduce_count())
    near(ms, communication_ms)
    if beside == "none":
        true(hidden_ms / communication_ms < 0.0005)
    else:
        near(beside.removesuffix(" %"), 100 * hidden_ms / communication_ms)


def flat(run, size, context, precision, step, saved, less, calls, alike):
    select_network(run, size, context, precision)
    flat_steps, per_parameter = steps_of("flat"), steps_of("per_parameter")
    near(step, flat_steps.mean_ms())
    if calls or alike:
        true(number(calls or alike) == per_parameter.all_reduce_count())
        true(differ(flat_steps, per_parameter) == bool(saved))
    if saved:
        near(saved, abs(per_parameter.mean_ms() - flat_steps.mean_ms()))
        true((less == "less") == (flat_steps.mean_ms() < per_parameter.mean_ms()))


def flat_traced(_run, single, many, copies):
    flat_steps, per_parameter = steps_of("flat"), steps_of("per_parameter")
    near(single, flat_steps.traced_ms()[0])
    near(many, per_parameter.traced_ms()[0])
    if copies:
        near(copies, flat_steps.copies_ms())


def overlap(run, size, context, precision, step, after, single):
    select_network(run, size, context, precision)
    near(step, steps_of("overlapped").mean_ms())
    if after:
        near(after, steps_of("per_parameter").mean_ms())
        near(single, steps_of("flat").mean_ms())


def saves(_run, share, added, contention):
    """Checks what overlap saves of the ms that all-reduces after backward add. Contention is the rest."""
    overlapped, after, baseline = (steps_of(scheme) for scheme in ("overlapped", "per_parameter", "none"))
    near(added, after.added_ms())
    true(differ(after, baseline) and is_baseline_undisturbed(baseline), "something disturbed a step")
    true(differ(after, overlapped) and overlapped.mean_ms() < after.mean_ms())
    near(share, 100 * (after.mean_ms() - overlapped.mean_ms()) / after.added_ms(), 2)
    if contention:
        near(contention, overlapped.longer_backward_ms())
        true(0.69 < overlapped.longer_backward_ms() / overlapped.added_ms() < 1.44, "contention is not the rest")


def saves_nothing(_run):
    overlapped, after, baseline = (steps_of(scheme) for scheme in ("overlapped", "per_parameter", "none"))
    true(not after.step_ms or not baseline.step_ms or not differ(after, baseline) or not is_baseline_undisturbed(baseline)
         or not differ(after, overlapped) or overlapped.mean_ms() > after.mean_ms())


def gradient_bytes(cell):
    """Returns the FP32 bytes of each gradient, the embedding's first."""
    d, vocab = cell["d_model"], cell["vocab"]
    block_elements = [d] + 4 * [d * d] + [d] + 3 * [d * cell["d_ff"]]
    return [4 * elements for elements in [vocab * d] + cell["layers"] * block_elements + [d, d * vocab]]


def bucket_count(cell):
    count, bucket_bytes = 0, None
    for gradient in reversed(gradient_bytes(cell)):
        if bucket_bytes is None or bucket_bytes + gradient > cell["bucket_bytes"]:
            count, bucket_bytes = count + 1, 0
        bucket_bytes += gradient
    return count


def buckets(run, caps, size, context, precision, counts, steps):
    select_network(run, size, context, precision)
    numbers_in = lambda text: [number(one) for one in text.replace(" and ", ", ").split(", ")]
    cells = [cell for cell in select_network.cells if cell["scheme"] == "bucketed"]
    true(numbers_in(caps) == [cell["bucket_bytes"] / 1e6 for cell in cells])
    bucket_counts = [bucket_count(cell) for cell in cells]
    true(numbers_in(counts) == bucket_counts, f"{counts}: {bucket_counts}")
    means_ms = [SchemeSteps(cell).mean_ms() for cell in cells if SchemeSteps(cell).step_ms]
    if steps:
        fastest, *_, slowest = steps.split(" to ") * 2
        near(fastest, min(means_ms))
        near(slowest, max(means_ms))
    else:
        true(not means_ms)
    standalone = run.of("all_reduce", ranks=cells[0]["ranks"], collectives=cells[0]["collectives"])
    buckets.latency_and_bandwidth = latency_and_bandwidth(standalone[0].ok_launch()) if standalone else None


def cap_cells():
    return {cell["bucket_bytes"]: cell for cell in select_network.cells if cell["scheme"] == "bucketed"}


def model_ms(cell):
    """Returns what the handout's model adds to a step: the last bucket's bytes, and the latency of each."""
    latency_ns, bytes_per_ns = buckets.latency_and_bandwidth
    count = bucket_count(cell)
    return (sum(gradient_bytes(cell)) / (count * bytes_per_ns) + count * latency_ns) / 1e6


def model(_run, least, most):
    near_fit(least, min(map(model_ms, cap_cells().values())))
    near_fit(most or least, max(map(model_ms, cap_cells().values())))


def leaves_out(_run, least):
    steps = [SchemeSteps(cell) for cell in cap_cells().values()]
    near(least, min(step.longer_backward_ms() for step in steps))
    true(all(0.69 < step.longer_backward_ms() / step.added_ms() < 1.44 for step in steps), "backward is not the reason")


def preference(_run, verdict, best, worst):
    """Checks the steps with the model's best and with its worst cap."""
    best_cell, worst_cell = (cap_cells()[round(number(cap) * 1e6)] for cap in (best, worst))
    true(model_ms(worst_cell) >= 0.99 * max(map(model_ms, cap_cells().values())))
    true(model_ms(best_cell) <= 1.01 * min(map(model_ms, cap_cells().values())))
    best_steps, worst_steps = SchemeSteps(best_cell), SchemeSteps(worst_cell)
    differs, is_faster = differ(best_steps, worst_steps), best_steps.mean_ms() < worst_steps.mean_ms()
    true({"expects": differs and is_faster, "longer": differs and not is_faster, "alike": not differs}[verdict])
    preference.best_cell, preference.worst_cell, preference.is_slower = best_cell, worst_cell, differs and not is_faster


def preferred(verdict):
    return lambda run, **caps: preference(run, verdict, **caps)


def without_reason(_run):
    true(preference.is_slower)
    steps = [SchemeSteps(cell) for cell in cap_cells().values()]
    true(any(not step.step_ms or step.longer_backward_ms() is None
             or not 0.71 < step.longer_backward_ms() / step.added_ms() < 1.42 for step in steps))


def would_show(_run):
    """Checks that latency adds to the model's difference, because the worst cap makes more all-reduces."""
    true(bucket_count(preference.worst_cell) > bucket_count(preference.best_cell))


def best_bucket(_run, size, unit):
    latency_ns, bytes_per_ns = buckets.latency_and_bandwidth
    gradient_total = sum(gradient_bytes(select_network.cells[0]))
    near_fit(size, (gradient_total * bytes_per_ns * latency_ns) ** 0.5 / {"GB": 1e9, "MB": 1e6}[unit], 0.02)


STEP_RE = rf"A step of {NETWORK_RE} takes \*\*(?P<step>\S+) ms\*\*"

CLAIMS = {
    "data_parallel.a": [
        no_step_measured("per_parameter"),
        (r"The ranks hold different weights after the last step, so these times mean nothing\.", ranks_diverged),
        (r"Yes: gradients and weights differ from those of one process on the whole batch by at most (?P<difference>.+?) of "
         r"a tensor's largest value\.", trains_equally),
        (rf"{STEP_RE}(?:, of which communication is \*\*(?P<ms>\S+) ms, (?P<share>\S+) %\*\*)?\.", naive),
        (r"This run does not show how much of it is communication\.", unclear),
        (r"In the traced step its (?P<calls>\S+) all-reduces take (?P<ms>\S+) ms, (?P<beside>none|\S+ %) of it beside "
         r"computation\.", traced)],
    "data_parallel.b": [
        no_step_measured("flat"),
        (rf"{STEP_RE}(?:, \*\*(?P<saved>\S+) ms (?P<less>less|more)\*\* than with (?P<calls>\S+) all-reduces"
         r"|, like a step with (?P<alike>\S+) all-reduces: they differ by less than steps vary)?\.", flat),
        (r"In the traced steps the one all-reduce takes (?P<single>\S+) ms instead of (?P<many>\S+) ms"
         r"(?:, and copying the gradients into one tensor (?P<copies>\S+) ms)?\.", flat_traced)],
    "data_parallel.c": [
        no_step_measured("overlapped"),
        (rf"{STEP_RE}(?:, against \*\*(?P<after>\S+) ms\*\* with all-reduces after backward and "
         r"\*\*(?P<single>\S+) ms\*\* with a single one)?\.", overlap),
        (r"Overlap saves \*\*(?P<share>\S+) %\*\* of the (?P<added>\S+) ms of communication(?:: the rest is contention, which "
         r"lengthens backward by (?P<contention>\S+) ms)?\.", saves),
        (r"This run does not show that overlap saves time\.", saves_nothing)],
    "data_parallel.d": [
        (rf"Caps of (?P<caps>.+?) MB pack the gradients of {NETWORK_RE} into \*\*(?P<counts>[^*]+)\*\* buckets"
         r"(?:; steps take \*\*(?P<steps>[^*]+) ms\*\*)?\.", buckets),
        (r"The handout's model, \$[^$]+\$, adds (?P<least>\S+)(?: to (?P<most>\S+))? ms to a step\.", model),
        (r"It leaves out contention, which lengthens backward by at least (?P<least>\S+) ms\.", leaves_out),
        (r"As it expects, steps with buckets of (?P<best>\S+) MB are shorter than with buckets of (?P<worst>\S+) MB\.",
         preferred("expects")),
        (r"Contrary to it, steps with buckets of (?P<best>\S+) MB are longer than with buckets of (?P<worst>\S+) MB\.",
         preferred("longer")),
        (r"Steps with buckets of (?P<best>\S+) MB and with buckets of (?P<worst>\S+) MB differ by less than they vary\.",
         preferred("alike")),
        (r"This run does not show why\.", without_reason),
        (r"Higher latency or a shorter backward pass would show the effect\.", would_show),
        (r"The model's best bucket, \$[^$]+\$, holds \*\*(?P<size>\S+) (?P<unit>.B)\*\*\.", best_bucket)]}
