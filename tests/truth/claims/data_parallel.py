"""The claims about data-parallel steps, recomputed from every step and each rank's traced one."""
import statistics

from checks import PRECISIONS, near, number, true
from collectives import latency_and_bandwidth

CELL_KINDS = {"data_parallel", "all_reduce"}
NETWORK = r"(?P<size>\S+) at context (?P<context>[\d,]+) in (?P<precision>\w+)"


class Step:
    """The steps of one scheme in ms; each ends with its slowest rank."""

    def __init__(self, cell):
        self.cell, self.launch = cell, cell.ok_launch() if cell else None
        self.steps = self.ms_after_warmup("step", "total")

    def ms_after_warmup(self, tag, name):
        if not self.launch:
            return []
        samples = self.launch.metric(tag, name) or []
        return [ns / 1e6 for ns in samples[self.cell["warmup"]:][:self.cell["steps"]]]

    def mean(self):
        return statistics.fmean(self.steps)

    def deviation(self):
        return statistics.stdev(self.steps) if len(self.steps) > 1 else 0

    def median(self, phase):
        samples = self.ms_after_warmup("event", phase)
        return statistics.median(samples) if samples else None

    def traced(self):
        """Returns the communication and the part of it beside computation, of the rank with the most exposed. Returns None if
        the traced step was too slow."""
        rows = self.launch.table("rank_steps") if self.launch else []
        if max((row["traced_ns"] or 0 for row in rows), default=0) / 1e6 > 1.05 * self.mean():
            return None
        times = [(row["communication_ns"] / 1e6, row["both_ns"] / 1e6) for row in rows
                 if None not in (row["communication_ns"], row["both_ns"])]
        return max(times, key=lambda one: one[0] - one[1], default=None)

    def all_reduce_count(self):
        calls = self.launch.metric("all_reduces", "calls")
        return 9 * self.cell["layers"] + 3 if calls is None else calls


def network(run, size, context, precision):
    """Finds the cells of the network that this and later sentences describe."""
    cells = run.of("data_parallel", size=size, context=int(number(context)), precision=PRECISIONS[precision])
    network.cells = cells
    return cells


def step_of(scheme, bucket=None):
    return Step(next((cell for cell in network.cells if cell["scheme"] == scheme
                      and bucket in (None, cell["bucket"])), None))


def differ(a, b):
    """Tells whether mean steps differ by more than the sum of their deviations."""
    return abs(a.mean() - b.mean()) > a.deviation() + b.deviation()


def no_step_measured(scheme):
    return (r"No step was measured; “What ran” gives the reasons\.",
            lambda run: true(not any(Step(cell).steps for cell in run.of("data_parallel", scheme=scheme))))


def ranks_diverged(run):
    true(any((Step(cell).launch.metric("equality", "apart") or 0) > 0
             for cell in run.of("data_parallel", scheme="per_parameter") if cell.ok_launch()))


def trains_equally(run, difference):
    digits, _, exponent = difference.partition(" × 10")
    exponent = exponent.translate(str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-"))
    errors = [max(launch.metric("equality", "gradients"), launch.metric("equality", "weights"))
            for launch in (cell.ok_launch() for cell in run.of("data_parallel", scheme="per_parameter"))
            if launch and None not in (launch.metric("equality", "gradients"), launch.metric("equality", "weights"))]
    value = float(digits) * 10 ** int(exponent or 0)
    true(any(abs(value - error) <= 0.051 * 10 ** int(exponent or 0) for error in errors))


def naive(run, size, context, precision, step, ms, share):
    network(run, size, context, precision)
    one, none = step_of("per_parameter"), step_of("none")
    naive.step = one
    near(step, one.mean())
    if ms:
        added = one.mean() - none.mean()
        near(ms, added)
        near(share, 100 * added / one.mean())
        true(differ(one, none) and added > 0 and is_baseline_undisturbed(none), "something disturbed a step")


def is_baseline_undisturbed(none):
    """Tells whether no step with communication is faster than the step without."""
    others = [Step(cell) for cell in network.cells]
    return all(not other.steps or not differ(other, none) or other.mean() > none.mean() for other in others)


def unclear(_run):
    none = step_of("none")
    true(not none.steps or not differ(naive.step, none) or not is_baseline_undisturbed(none))


def traced(_run, calls, ms, beside):
    communication, hidden = naive.step.traced()
    true(number(calls) == naive.step.all_reduce_count())
    near(ms, communication)
    if beside == "none":
        true(hidden / communication < 0.0005)
    else:
        near(beside.removesuffix(" %"), 100 * hidden / communication)


def flat(run, size, context, precision, step, saved, less, calls, alike):
    network(run, size, context, precision)
    one, many = step_of("flat"), step_of("per_parameter")
    near(step, one.mean())
    if calls or alike:
        true(number(calls or alike) == many.all_reduce_count())
        true(differ(one, many) == bool(saved))
    if saved:
        near(saved, abs(many.mean() - one.mean()))
        true((less == "less") == (one.mean() < many.mean()))


def flat_traced(_run, single, many, copies):
    one, other = step_of("flat"), step_of("per_parameter")
    near(single, one.traced()[0])
    near(many, other.traced()[0])
    if copies:
        near(copies, one.median("exchange") - one.traced()[0])
        true(number(copies) > 0)


def overlap(run, size, context, precision, step, after, single):
    network(run, size, context, precision)
    near(step, step_of("overlapped").mean())
    if after:
        near(after, step_of("per_parameter").mean())
        near(single, step_of("flat").mean())


def hides(_run, share):
    communication, hidden = step_of("overlapped").traced()
    near(share, 100 * hidden / communication)


def stretched(_run, ms):
    one, none = step_of("overlapped"), step_of("none")
    near(ms, one.median("backward") - none.median("backward"))
    true(number(ms) > 0)


def gradient_bytes(cell):
    """Returns the FP32 bytes of each gradient, the embedding's first."""
    d, ff, vocab = cell["d_model"], cell["d_ff"], cell["vocab"]
    return [4 * size for size in [vocab * d] + cell["layers"] * ([d] + 4 * [d * d] + [d] + 3 * [d * ff]) + [d, d * vocab]]


def bucket_count(cell):
    count, bucket_bytes = 0, None
    for size in reversed(gradient_bytes(cell)):
        if bucket_bytes is None or bucket_bytes + size > cell["bucket"]:
            count, bucket_bytes = count + 1, 0
        bucket_bytes += size
    return count


def buckets(run, caps, size, context, precision, counts, steps):
    network(run, size, context, precision)
    listed = lambda words: [number(one) for one in words.replace(" and ", ", ").split(", ")]
    cells = [cell for cell in network.cells if cell["scheme"] == "bucketed"]
    true(listed(caps) == [cell["bucket"] / 1e6 for cell in cells])
    true(listed(counts) == [bucket_count(cell) for cell in cells], f"{counts}: {[bucket_count(cell) for cell in cells]}")
    means = [Step(cell).mean() for cell in cells if Step(cell).steps]
    if steps:
        ends = steps.split(" to ")
        near(ends[0], min(means))
        near(ends[-1], max(means))
    else:
        true(not means)
    alone = run.of("all_reduce", ranks=cells[0]["ranks"], collectives=cells[0]["collectives"])
    buckets.line = latency_and_bandwidth(alone[0].ok_launch()) if alone else None


def near_fit(text, value, tolerance=0.01):
    """Checks a number from a fit: two ways to find it differ by a hundredth at most."""
    true(abs(number(text) - value) <= tolerance * value + 0.5 * 10 ** -len(text.partition(".")[2]), f"{text} is {value}")


def expected(_run, worst, most, best, least, verdict, longer):
    alpha, beta = buckets.line

    def exposed_ms(cell):
        count = bucket_count(cell)
        return (sum(gradient_bytes(cell)) / (count * beta) + count * alpha) / 1e6
    cells = {cell["bucket"]: cell for cell in network.cells if cell["scheme"] == "bucketed"}
    worst_cell, best_cell = cells[round(number(worst) * 1e6)], cells[round(number(best) * 1e6)]
    near_fit(most, exposed_ms(worst_cell))
    near_fit(least, exposed_ms(best_cell))
    true(exposed_ms(worst_cell) >= 0.99 * max(map(exposed_ms, cells.values())))
    true(exposed_ms(best_cell) <= 1.01 * min(map(exposed_ms, cells.values())))
    worst_step, best_step = Step(worst_cell), Step(best_cell)
    expected.worst_step, expected.best_cell, expected.most_ms = worst_step, best_cell, exposed_ms(worst_cell)
    differs = differ(worst_step, best_step)
    true({"and the latter's steps are shorter": differs and best_step.mean() < worst_step.mean(),
          "but the latter's steps are longer": differs and best_step.mean() > worst_step.mean(),
          "but their steps differ by less than they vary": not differs}[verdict])
    if longer:
        near(longer, best_step.median("backward") - worst_step.median("backward"))
        true(0.69 < number(longer) / (best_step.mean() - worst_step.mean()) < 1.45, "backward is not the reason")


def misses(_run, worst, exposed):
    communication, hidden = expected.worst_step.traced()
    true(expected.worst_step.cell["bucket"] == round(number(worst) * 1e6))
    near(exposed, communication - hidden)
    true(communication - hidden < 0.71 * expected.most_ms)


def without_reason(_run):
    times = expected.worst_step.traced()
    true(times is None or times[0] - times[1] > 0.69 * expected.most_ms)


def would_show(_run):
    """Checks that latency adds to the model's difference, because the worst cap makes more all-reduces."""
    true(bucket_count(expected.worst_step.cell) > bucket_count(expected.best_cell))


def best_bucket(_run, size, unit):
    alpha, beta = buckets.line
    total = sum(gradient_bytes(network.cells[0]))
    near_fit(size, (total * beta * alpha) ** 0.5 / {"GB": 1e9, "MB": 1e6}[unit], 0.02)


STEP = rf"A step of {NETWORK} takes \*\*(?P<step>\S+) ms\*\*"

CLAIMS = {
    "data_parallel.a": [
        no_step_measured("per_parameter"),
        (r"The ranks hold different weights after the last step, so these times mean nothing\.", ranks_diverged),
        (r"Yes: gradients and weights differ from those of one process on the whole batch by at most (?P<difference>.+?) of "
         r"a tensor's largest value\.", trains_equally),
        (rf"{STEP}(?:, of which communication is \*\*(?P<ms>\S+) ms, (?P<share>\S+) %\*\*)?\.", naive),
        (r"This run does not show how much of it is communication\.", unclear),
        (r"In the traced step its (?P<calls>\S+) all-reduces take (?P<ms>\S+) ms, (?P<beside>none|\S+ %) of it beside "
         r"computation\.", traced)],
    "data_parallel.b": [
        no_step_measured("flat"),
        (rf"{STEP}(?:, \*\*(?P<saved>\S+) ms (?P<less>less|more)\*\* than with (?P<calls>\S+) all-reduces"
         r"|, like a step with (?P<alike>\S+) all-reduces: they differ by less than steps vary)?\.", flat),
        (r"In the traced steps the one all-reduce takes (?P<single>\S+) ms instead of (?P<many>\S+) ms"
         r"(?:, and copying the gradients into one tensor (?P<copies>\S+) ms)?\.", flat_traced)],
    "data_parallel.c": [
        no_step_measured("overlapped"),
        (rf"{STEP}(?:, against \*\*(?P<after>\S+) ms\*\* with all-reduces after backward and \*\*(?P<single>\S+) ms\*\* with a "
         r"single one)?\.", overlap),
        (r"In the traced step (?P<share>\S+) % of communication is hidden\.", hides),
        (r"Backward takes (?P<ms>\S+) ms longer than without communication\.", stretched)],
    "data_parallel.d": [
        (rf"Caps of (?P<caps>.+?) MB pack the gradients of {NETWORK} into \*\*(?P<counts>[^*]+)\*\* buckets"
         r"(?:; steps take \*\*(?P<steps>[^*]+) ms\*\*)?\.", buckets),
        (r"By \$[^$]+\$ buckets of (?P<worst>\S+) MB should expose (?P<most>\S+) ms, buckets of (?P<best>\S+) MB "
         r"(?P<least>\S+) ms, (?P<verdict>(?:and|but) [^,.]+?)(?:, because their backward pass takes (?P<longer>\S+) ms "
         r"longer)?\.(?= |$)", expected),
        (r"The model misses overlap: in the traced step buckets of (?P<worst>\S+) MB expose (?P<exposed>\S+) ms\.", misses),
        (r"This run does not show why\.", without_reason),
        (r"Higher latency or a shorter backward pass would show the effect\.", would_show),
        (r"The model's best bucket, \$[^$]+\$, holds \*\*(?P<size>\S+) (?P<unit>.B)\*\*\.", best_bucket)]}
