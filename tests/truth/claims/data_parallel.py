"""The claims about data-parallel steps, recomputed from every step and each rank's traced one."""
import statistics

from checks import PRECISIONS, near, near_fit, number, true
from collectives import latency_and_bandwidth
from timing import typical

CELL_KINDS = {"data_parallel", "all_reduce"}
NETWORK_RE = r"(?P<size>\S+) at context (?P<context>[\d,]+) in (?P<precision>\w+)"


class SchemeSteps:
    """The timed steps of one communication scheme. A step ends with its slowest rank, whose backward is compared."""

    def __init__(self, cell):
        self.cell, self.launch = cell, cell.ok_launch() if cell else None
        if self.launch and (self.launch.metric("equality", "apart") or 0) > 0:
            self.launch = None  # Times of ranks with different weights mean nothing.
        self.step_ms = self.ms_after_warmup("step", "total")

    def ms_after_warmup(self, tag, name):
        if not self.launch:
            return []
        samples_ns = self.launch.metric(tag, name) or []
        return [ns / 1e6 for ns in samples_ns[self.cell["warmup"]:][:self.cell["steps"]]]

    def mean_ms(self):
        return typical(self.step_ms)

    def deviation_ms(self):
        return statistics.stdev(self.step_ms) if len(self.step_ms) > 1 else 0

    def rank0_ms(self, column):
        """Returns rank 0's median of a phase; None if it is unknown."""
        rows = [row for row in self.launch.table("rank_steps") if row["rank"] == 0]
        return rows[-1][column] / 1e6 if rows and rows[-1][column] is not None else None

    def backward_ms(self):
        """Returns the slowest rank's median; None if it is unknown."""
        return max((row["backward_ns"] / 1e6 for row in self.launch.table("rank_steps") if row["backward_ns"]), default=None)

    def traced_row(self):
        """Returns the traced times of rank 0 if the scheme overlaps backward, else of the rank that waits least. Returns None
        if tracing slowed the step."""
        rows = self.launch.table("rank_steps") if self.launch else []
        if max((row["traced_ns"] or 0 for row in rows), default=0) / 1e6 > 1.05 * self.mean_ms():
            return None
        overlaps = self.cell["scheme"] in ("overlapped", "bucketed", "reducer")
        return min((row for row in rows if None not in (row["communication_ns"], row["both_ns"])
                    and (row["rank"] == 0 or not overlaps)),
                   key=lambda row: row["communication_ns"], default=None)

    def communication_ms(self):
        """Returns the traced ms in all-reduces; None if they are unknown."""
        row = self.traced_row()
        return row["communication_ns"] / 1e6 if row else None

    def copies_ms(self):
        """Returns the traced ms in computation between the last gradient and the optimizer, on rank 0."""
        return sum(row["duration_ns"] for row in self.launch.table("lanes")
                   if row["lane"] == "compute" and row["phase"] == "exchange") / 1e6

    def added_ms(self):
        return self.mean_ms() - steps_of("none").mean_ms()

    def longer_backward_ms(self):
        """Returns how much longer backward takes than without communication; None if one is unknown."""
        own_ms, baseline_ms = self.backward_ms(), steps_of("none").backward_ms()
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


def no_answer(*schemes):
    """Checks that no network has times of all these schemes, which the answer compares."""
    def check(run):
        networks = {}
        for cell in run.of("data_parallel"):
            if SchemeSteps(cell).step_ms:
                networks.setdefault((cell["size"], cell["context"], cell["precision"]), set()).add(cell["scheme"])
        true(not all(set(schemes) <= timed for timed in networks.values()) or not networks)
    return r"This run does not answer this question\.", check


def trains_equally(run, difference):
    digits, _, exponent = difference.partition(" × 10")
    exponent = exponent.translate(str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-"))
    largest_errors = [max(launch.metric("equality", "gradients"), launch.metric("equality", "weights"))
            for launch in (cell.ok_launch() for cell in run.of("data_parallel", scheme="per_parameter"))
            if launch and None not in (launch.metric("equality", "gradients"), launch.metric("equality", "weights"))]
    claimed_error = float(digits) * 10 ** int(exponent or 0)
    true(any(abs(claimed_error - error) <= 0.051 * 10 ** int(exponent or 0) for error in largest_errors))


def step_of(scheme):
    """Returns a check of the mean step and of those that it is compared with. Later sentences describe this network."""
    def check(run, size, context, precision, step, after=None, single=None):
        select_network(run, size, context, precision)
        near(step, steps_of(scheme).mean_ms())
        if after:
            near(after, steps_of("per_parameter").mean_ms())
        if single:
            near(single, steps_of("flat").mean_ms())
    return check


def communication(_run, ms, share, calls):
    own, baseline = steps_of("per_parameter"), steps_of("none")
    near(ms, own.added_ms())
    near(share, 100 * own.added_ms() / own.mean_ms())
    true(number(calls) == own.all_reduce_count())
    true(differ(own, baseline) and own.added_ms() > 0 and is_baseline_undisturbed(baseline), "something disturbed a step")


def is_baseline_undisturbed(baseline):
    """Tells whether no scheme is clearly faster than the baseline, the step without communication."""
    timed = [steps for steps in map(SchemeSteps, select_network.cells) if steps.step_ms]
    return all(not differ(steps, baseline) or steps.mean_ms() > baseline.mean_ms() for steps in timed)


def flat_alike(_run):
    true(not differ(steps_of("flat"), steps_of("per_parameter")))


def explains(part_ms, difference_ms):
    return 0.69 < part_ms / difference_ms < 1.44


def flat_traced(_run, one, many, fewer, copies):
    """Checks that the traced all-reduces and copies make up the difference of the steps."""
    flat, per_parameter = steps_of("flat"), steps_of("per_parameter")
    ranks, total_bytes = flat.cell["ranks"], sum(gradient_bytes(flat.cell))
    for rate, steps in ((one, flat), (many, per_parameter)):
        near(rate, 2 * (ranks - 1) / ranks * total_bytes / (steps.communication_ms() * 1e6))
    fewer_ms = per_parameter.communication_ms() - flat.communication_ms()
    near(fewer, fewer_ms)
    near(copies, flat.copies_ms())
    true(differ(flat, per_parameter))
    true(explains(fewer_ms - flat.copies_ms(), per_parameter.mean_ms() - flat.mean_ms()), "they are not the difference")


def overlaps(_run, overlap, left=None, least=None):
    """Checks the share of rank 0's traced all-reduces beside computation, and how much they slow it down."""
    row = steps_of("overlapped").traced_row()
    near(overlap, 100 * row["both_ns"] / row["communication_ns"])
    if least:
        contention(_run, least, left)


def saves(_run, share):
    """Checks what overlap saves of the ms that all-reduces after backward add."""
    overlapped, after, baseline = (steps_of(scheme) for scheme in ("overlapped", "per_parameter", "none"))
    true(differ(after, baseline) and is_baseline_undisturbed(baseline), "something disturbed a step")
    true(differ(after, overlapped) and overlapped.added_ms() < after.added_ms())
    near(share, 100 * (1 - overlapped.added_ms() / after.added_ms()), 2)


def contention(_run, least, left, exposed=None):
    """Checks the growth of the slowest rank's backward, without rank 0's traced time of all-reduces that no computation runs beside."""
    overlapped = steps_of("overlapped")
    row = overlapped.traced_row()
    exposed_ms = (row["communication_ns"] - row["both_ns"]) / 1e6
    least_ms = min(overlapped.longer_backward_ms(), overlapped.added_ms()) - exposed_ms
    near(least, least_ms)
    true(explains(overlapped.longer_backward_ms(), overlapped.added_ms()), "backward's growth is not the rest")
    true(0 < least_ms <= row["both_ns"] / 1e6, "computation beside all-reduces cannot be the reason")
    near(left, overlapped.added_ms())
    if exposed:
        near(exposed, exposed_ms)


def kernels_of(steps):
    """Returns the rows of the traced step's kernels by what tells them apart."""
    return {(row["phase"], row["module"], row["class"], row["place"]): row for row in steps.launch.table("contention")}


def traced_contention(_run, left, ms, stretch, exposed=None):
    """Checks how much longer kernels beside all-reduces take than the same kernels without them."""
    overlapped, baseline = steps_of("overlapped"), kernels_of(steps_of("none"))
    longer_ns = alone_ns = 0
    for key, row in kernels_of(overlapped).items():
        if key in baseline and baseline[key]["alone"]:
            expected_ns = row["beside"] * baseline[key]["alone_total_ns"] / baseline[key]["alone"]
            longer_ns, alone_ns = longer_ns + row["beside_total_ns"] - expected_ns, alone_ns + expected_ns
    near(ms, longer_ns / 1e6)
    near(stretch, 100 * longer_ns / alone_ns, 2)
    near(left, overlapped.added_ms())
    if exposed:
        traced = overlapped.traced_row()
        near(exposed, (traced["communication_ns"] - traced["both_ns"]) / 1e6)


def overlaps_with_traced_contention(run, overlap, left, ms, stretch):
    overlaps(run, overlap)
    traced_contention(run, left, ms, stretch)


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


def numbers_in(text):
    return [number(one) for one in text.replace(" and ", ", ").split(", ")]


def buckets(run, counts, size, context, precision, caps):
    select_network(run, size, context, precision)
    cells = [cell for cell in select_network.cells if cell["scheme"] == "bucketed"]
    true(numbers_in(caps) == [cell["bucket_bytes"] / 1e6 for cell in cells])
    bucket_counts = [bucket_count(cell) for cell in cells]
    true(numbers_in(counts) == bucket_counts, f"{counts}: {bucket_counts}")
    standalone = run.of("all_reduce", ranks=cells[0]["ranks"], collectives=cells[0]["collectives"])
    buckets.latency_and_bandwidth = latency_and_bandwidth(standalone[0].ok_launch()) if standalone else None


def cap_cells():
    return {cell["bucket_bytes"]: cell for cell in select_network.cells if cell["scheme"] == "bucketed"}


def model_ms(cell):
    """Returns what the handout's model adds to a step: the last bucket's bytes, and the latency of each."""
    latency_ns, bytes_per_ns = buckets.latency_and_bandwidth
    count = bucket_count(cell)
    return (sum(gradient_bytes(cell)) / (count * bytes_per_ns) + count * latency_ns) / 1e6


def caps_in(text):
    return [round(cap * 1e6) for cap in numbers_in(text)]


def same_buckets(counts):
    """Returns the caps that make one of these numbers of buckets."""
    return [cap for cap, cell in cap_cells().items() if bucket_count(cell) in counts]


def caps_as_long_as(extreme):
    """Returns the caps whose steps are as long as `extreme`'s, and those that make the same buckets as one of them."""
    return same_buckets({bucket_count(cell) for cell in cap_cells().values() if not differ(SchemeSteps(cell), extreme)})


def model(_run, steps, shortest, longest, best, worst, size):
    timed = [SchemeSteps(cell) for cell in cap_cells().values()]
    model.quickest, model.slowest = (choose(timed, key=SchemeSteps.mean_ms) for choose in (min, max))
    true(caps_in(shortest) == caps_as_long_as(model.quickest))
    true(caps_in(longest) == caps_as_long_as(model.slowest))
    least, *_, most = steps.split(" to ") * 2
    near(least, model.quickest.mean_ms())
    near(most, model.slowest.mean_ms())
    for caps, choose in ((best, min), (worst, max)):
        extreme = choose(cap_cells().values(), key=model_ms)
        true(caps_in(caps) == same_buckets({bucket_count(extreme)}), f"{caps}: {extreme['bucket_bytes']}")
    model.ends = [cap_cells()[caps_in(caps)[0]] for caps in (best, worst)]
    latency_ns, bytes_per_ns = buckets.latency_and_bandwidth
    gradient_total = sum(gradient_bytes(select_network.cells[0]))
    near_fit(size, (gradient_total * bytes_per_ns * latency_ns) ** 0.5 / 1e6, 0.04)


def is_followed():
    """Tells whether steps with the model's best cap are shorter than with its worst, which makes the longest."""
    best_steps, worst_steps = map(SchemeSteps, model.ends)
    return (differ(best_steps, worst_steps) and best_steps.mean_ms() < worst_steps.mean_ms()
            and worst_steps.cell["bucket_bytes"] in caps_as_long_as(model.slowest))


def follows(_run):
    true(is_followed())


def fails(_run, longest):
    """Checks that the model's best cap is among those with the longest steps, and not among those with the shortest."""
    caps, best_cap = caps_in(longest), model.ends[0]["bucket_bytes"]
    true(caps == caps_as_long_as(model.slowest), f"{longest}: {caps_as_long_as(model.slowest)}")
    true(best_cap in caps and best_cap not in caps_as_long_as(model.quickest) and not is_followed())


def leaves_out(_run, most, shown):
    """Checks that backward's growth explains each cap's step, that latencies set the model's worst cap and backward hides
    them, and from which latency on it cannot."""
    steps = [SchemeSteps(cell) for cell in cap_cells().values()]
    near(most, max(step.longer_backward_ms() for step in steps))
    true(all(explains(step.longer_backward_ms(), step.added_ms()) for step in steps), "backward is not the reason")
    best, worst = map(SchemeSteps, model.ends)
    true(bucket_count(worst.cell) > bucket_count(best.cell))
    true(not is_followed(), "steps follow the model")
    true(worst.rank0_ms("exchange_ns") <= 0.101 * model_ms(worst.cell), "latencies are not hidden")
    latency_ns, bytes_per_ns = buckets.latency_and_bandwidth
    transfer_ms = sum(gradient_bytes(worst.cell)) / bytes_per_ns / 1e6
    latency_ms = (steps_of("none").backward_ms() - transfer_ms) / bucket_count(worst.cell)
    near_fit(shown, latency_ms)
    true(latency_ms > latency_ns / 1e6)


TAKES_RE = rf"step of {NETWORK_RE} takes \*\*(?P<step>\S+) ms\*\*"
STEP_RE = f"A {TAKES_RE}"


def overlap(run, share, size, context, precision, step, after, ranks):
    """Checks what overlap saves of the ms that all-reduces after backward add, and both steps."""
    step_of("overlapped")(run, size, context, precision, step, after)
    saves(run, share)
    true(int(ranks) == steps_of("overlapped").cell["ranks"])


CLAIMS = {
    "overview": [
        (rf"- \*\*On (?P<ranks>\d+) ranks a step of {NETWORK_RE} takes (?P<step>\S+) ms with labreport's all-reduces beside backward, "
         r"(?P<after>\S+) ms with all-reduces after it\.\*\* Overlap saves (?P<share>\S+) % of the time that communication adds\.", overlap),
        (r"Of the (?P<left>\S+) ms left at most (?P<exposed>\S+) ms are exposed, and at least (?P<least>\S+) ms are contention "
         r"with backward\.", contention),
        (r"Of the (?P<left>\S+) ms left at most (?P<exposed>\S+) ms are exposed, and (?P<ms>\S+) ms are contention: kernels beside "
         r"all-reduces take (?P<stretch>\S+) % longer\.", traced_contention)],
    "data_parallel.a": [
        no_answer("per_parameter"),
        (r"Yes: a test network of two blocks ends with gradients and weights of one process, off by at most (?P<difference>.+?) of "
         r"a tensor's largest value\.", trains_equally),
        (rf"{STEP_RE}\.", step_of("per_parameter")),
        (r"Communication adds \*\*(?P<ms>\S+) ms\*\*, \*\*(?P<share>\S+) %\*\* of it, because its (?P<calls>\S+) all-reduces "
         r"wait for the end of backward\.", communication)],
    "data_parallel.b": [
        no_answer("per_parameter", "flat"),
        (rf"{STEP_RE} instead of \*\*(?P<after>\S+) ms\*\* with an all-reduce a parameter\.", step_of("flat")),
        (r"They differ by less than steps vary\.", flat_alike),
        (r"One call reaches (?P<one>\S+) instead of (?P<many>\S+) GB/s, which saves (?P<fewer>\S+) ms; copying gradients "
         r"into its tensor takes (?P<copies>\S+) ms back\.", flat_traced)],
    "data_parallel.c": [
        no_answer("per_parameter", "flat", "overlapped"),
        (rf"With labreport's overlap a {TAKES_RE}, against \*\*(?P<after>\S+) ms\*\* with all-reduces after backward and \*\*(?P<single>\S+) ms\*\* with "
         r"one all-reduce\.", step_of("overlapped")),
        (r"\*\*(?P<overlap>\S+) %\*\* of its communication runs beside computation(?:; of the (?P<left>\S+) ms that it adds at "
         r"least (?P<least>\S+) ms are contention with backward)?\.", overlaps),
        (r"\*\*(?P<overlap>\S+) %\*\* of its communication runs beside computation; of the (?P<left>\S+) ms that it adds (?P<ms>\S+) ms are "
         r"contention: kernels beside all-reduces take (?P<stretch>\S+) % longer\.", overlaps_with_traced_contention)],
    "data_parallel.d": [
        (rf"labreport makes \*\*(?P<counts>[^*]+)\*\* buckets of {NETWORK_RE} with caps of (?P<caps>.+?) MB\.", buckets),
        (r"Steps take \*\*(?P<steps>[^*]+) ms\*\*, shortest with \*\*(?P<shortest>[^*]+) MB\*\* and longest with (?P<longest>.+?) MB\. The handout's model, \$[^$]+\$, "
         r"puts \*\*(?P<best>[^*]+) MB\*\* first and (?P<worst>.+?) MB last \(ideal: about \*\*(?P<size>\S+) MB\*\*, \$[^$]+\$\)\.",
         model),
        (r"Steps follow it, shorter with its first than with its last\.", follows),
        (r"It leaves out that backward hides \$[^$]+\$, but grows by up to \*\*(?P<most>\S+) ms\*\* beside all-reduces\. "
         r"Latencies would show with α above (?P<shown>\S+) ms\.", leaves_out)]}

TITLES = [(r"\*\*Figure \d+[a-z]?\. Against the handout’s model, steps with (?P<longest>[^*]+?) MB are longest\*\*", fails),
          (r"\*\*Figure \d+[a-z]?\. As the handout’s model says, steps are shorter with [^*]+\*\*", follows)]
