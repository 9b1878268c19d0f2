"""The claims about data-parallel steps, recomputed from every step and each rank's traced one."""
import statistics

from checks import PRECISIONS, near, number, true
from collectives import line

KINDS = {"data_parallel", "all_reduce"}
NETWORK = r"(?P<size>\S+) at context (?P<context>[\d,]+) in (?P<precision>\w+)"


class Step:
    """One scheme's steps, by their slowest rank; ms."""

    def __init__(self, cell):
        self.cell, self.launch = cell, cell.ok() if cell else None
        self.steps = self.counted("step", "total")

    def counted(self, tag, name):
        if not self.launch:
            return []
        samples = self.launch.metric(tag, name) or []
        return [ns / 1e6 for ns in samples[self.cell["warmup"]:][:self.cell["steps"]]]

    def mean(self):
        return statistics.fmean(self.steps)

    def deviation(self):
        return statistics.stdev(self.steps) if len(self.steps) > 1 else 0

    def median(self, phase):
        samples = self.counted("event", phase)
        return statistics.median(samples) if samples else None

    def traced(self):
        """Communication and what runs beside it, of the rank with the most exposed; None of another step."""
        rows = self.launch.table("rank_steps") if self.launch else []
        if max((row["traced_ns"] or 0 for row in rows), default=0) / 1e6 > 1.05 * self.mean():
            return None
        times = [(row["communication_ns"] / 1e6, row["both_ns"] / 1e6) for row in rows
                 if None not in (row["communication_ns"], row["both_ns"])]
        return max(times, key=lambda one: one[0] - one[1], default=None)

    def calls(self):
        calls = self.launch.metric("all_reduces", "calls")
        return 9 * self.cell["layers"] + 3 if calls is None else calls


def network(run, size, context, precision):
    cells = run.of("data_parallel", size=size, context=int(number(context)), precision=PRECISIONS[precision])
    network.cells = cells
    return cells


def step_of(scheme, bucket=None):
    return Step(next((cell for cell in network.cells if cell["scheme"] == scheme
                      and bucket in (None, cell["bucket"])), None))


def differ(a, b):
    return abs(a.mean() - b.mean()) > a.deviation() + b.deviation()


def nothing(scheme):
    return (r"No step was measured; “What ran” gives the reasons\.",
            lambda run: true(not any(Step(cell).steps for cell in run.of("data_parallel", scheme=scheme))))


def apart(run):
    true(any((Step(cell).launch.metric("equality", "apart") or 0) > 0
             for cell in run.of("data_parallel", scheme="per_parameter") if cell.ok()))


def equal(run, difference):
    digits, _, exponent = difference.partition(" × 10")
    exponent = exponent.translate(str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-"))
    offs = [max(launch.metric("equality", "gradients"), launch.metric("equality", "weights"))
            for launch in (cell.ok() for cell in run.of("data_parallel", scheme="per_parameter"))
            if launch and None not in (launch.metric("equality", "gradients"), launch.metric("equality", "weights"))]
    value = float(digits) * 10 ** int(exponent or 0)
    true(any(abs(value - off) <= 0.051 * 10 ** int(exponent or 0) for off in offs))


def naive(run, size, context, precision, step, ms, share):
    network(run, size, context, precision)
    one, none = step_of("per_parameter"), step_of("none")
    naive.step = one
    near(step, one.mean())
    if ms:
        added = one.mean() - none.mean()
        near(ms, added)
        near(share, 100 * added / one.mean())
        true(differ(one, none) and added > 0 and clean(none), "something disturbed a step")


def clean(none):
    """No step with communication is faster than that without."""
    others = [Step(cell) for cell in network.cells]
    return all(not other.steps or not differ(other, none) or other.mean() > none.mean() for other in others)


def unclear(_run):
    none = step_of("none")
    true(not none.steps or not differ(naive.step, none) or not clean(none))


def traced(_run, calls, ms, beside):
    communication, both = naive.step.traced()
    true(number(calls) == naive.step.calls())
    near(ms, communication)
    if beside == "none":
        true(both / communication < 0.0005)
    else:
        near(beside.removesuffix(" %"), 100 * both / communication)


def flat(run, size, context, precision, step, saved, less, calls, alike):
    network(run, size, context, precision)
    one, many = step_of("flat"), step_of("per_parameter")
    near(step, one.mean())
    if calls or alike:
        true(number(calls or alike) == many.calls())
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
    communication, both = step_of("overlapped").traced()
    near(share, 100 * both / communication)


def stretched(_run, ms):
    one, none = step_of("overlapped"), step_of("none")
    near(ms, one.median("backward") - none.median("backward"))
    true(number(ms) > 0)


def gradients(cell):
    """FP32 bytes of each gradient, the embedding's first."""
    d, ff, vocab = cell["d_model"], cell["d_ff"], cell["vocab"]
    return [4 * size for size in [vocab * d] + cell["layers"] * ([d] + 4 * [d * d] + [d] + 3 * [d * ff]) + [d, d * vocab]]


def bucket_count(cell):
    count, held = 0, None
    for size in reversed(gradients(cell)):
        if held is None or held + size > cell["bucket"]:
            count, held = count + 1, 0
        held += size
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
    buckets.line = line(alone[0].ok()) if alone else None


def close(text, value, share=0.01):
    """A fit's number: two ways to find it differ by a hundredth at most."""
    true(abs(number(text) - value) <= share * value + 0.5 * 10 ** -len(text.partition(".")[2]), f"{text} is {value}")


def expected(_run, worst, most, best, least, verdict, longer):
    alpha, beta = buckets.line

    def model(cell):
        count = bucket_count(cell)
        return (sum(gradients(cell)) / (count * beta) + count * alpha) / 1e6
    cells = {cell["bucket"]: cell for cell in network.cells if cell["scheme"] == "bucketed"}
    bad, good = cells[round(number(worst) * 1e6)], cells[round(number(best) * 1e6)]
    close(most, model(bad))
    close(least, model(good))
    true(model(bad) >= 0.99 * max(map(model, cells.values())) and model(good) <= 1.01 * min(map(model, cells.values())))
    slow, fast = Step(bad), Step(good)
    expected.bad, expected.good, expected.most = slow, good, model(bad)
    true({"and the latter's steps are shorter": differ(slow, fast) and fast.mean() < slow.mean(),
          "but the latter's steps are longer": differ(slow, fast) and fast.mean() > slow.mean(),
          "but their steps differ by less than they vary": not differ(slow, fast)}[verdict])
    if longer:
        near(longer, fast.median("backward") - slow.median("backward"))
        true(0.69 < number(longer) / (fast.mean() - slow.mean()) < 1.45, "backward is not the reason")


def misses(_run, worst, exposed):
    communication, both = expected.bad.traced()
    true(expected.bad.cell["bucket"] == round(number(worst) * 1e6))
    near(exposed, communication - both)
    true(communication - both < 0.71 * expected.most)


def without_reason(_run):
    seen = expected.bad.traced()
    true(seen is None or seen[0] - seen[1] > 0.69 * expected.most)


def would_show(_run):
    """Latency adds to the model's difference, because the worst cap makes more all-reduces."""
    true(bucket_count(expected.bad.cell) > bucket_count(expected.good))


def best_bucket(_run, size, unit):
    alpha, beta = buckets.line
    total = sum(gradients(network.cells[0]))
    close(size, (total * beta * alpha) ** 0.5 / {"GB": 1e9, "MB": 1e6}[unit], 0.02)


STEP = rf"A step of {NETWORK} takes \*\*(?P<step>\S+) ms\*\*"

CLAIMS = {
    "data_parallel.a": [
        nothing("per_parameter"),
        (r"The ranks hold different weights after the last step, so these times mean nothing\.", apart),
        (r"Yes: gradients and weights differ from those of one process on the whole batch by at most (?P<difference>.+?) of "
         r"a tensor's largest value\.", equal),
        (rf"{STEP}(?:, of which communication is \*\*(?P<ms>\S+) ms, (?P<share>\S+) %\*\*)?\.", naive),
        (r"This run does not show how much of it is communication\.", unclear),
        (r"In the traced step its (?P<calls>\S+) all-reduces take (?P<ms>\S+) ms, (?P<beside>none|\S+ %) of it beside "
         r"computation\.", traced)],
    "data_parallel.b": [
        nothing("flat"),
        (rf"{STEP}(?:, \*\*(?P<saved>\S+) ms (?P<less>less|more)\*\* than with (?P<calls>\S+) all-reduces"
         r"|, like a step with (?P<alike>\S+) all-reduces: they differ by less than steps vary)?\.", flat),
        (r"In the traced steps the one all-reduce takes (?P<single>\S+) ms instead of (?P<many>\S+) ms"
         r"(?:, and copying the gradients into one tensor (?P<copies>\S+) ms)?\.", flat_traced)],
    "data_parallel.c": [
        nothing("overlapped"),
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
