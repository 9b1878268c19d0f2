"""The claims about a sharded optimizer, recomputed from each rank's memory and every step."""
import statistics

from checks import PRECISIONS, always, near, near_bytes, number, true

CELL_KINDS = {"sharding"}
NETWORK = r"(?P<size>\S+) in (?P<precision>[A-Z]+\d+)"


class Scheme:
    """One network with its optimizer's state, its weights or nothing sharded."""

    def __init__(self, run, size, precision, sharding):
        found = run.of("sharding", size=size, precision=PRECISIONS[precision], sharding=sharding)
        self.cell = found[0] if found else None
        self.launch = self.cell.ok_launch() if found else None

    def held(self, step, point):
        """Returns the row of the rank that peaks highest, before training (0), in its first step (1) or in a later one (2)."""
        rows = [row for row in self.launch.table("held") if None not in row.values() and row["point"] == point
                and min(row["step"], 2) == step]
        first = next(iter(rows), {}).get("step")
        return max((row for row in rows if row["step"] == first), key=lambda row: row["peak_bytes"], default=None)

    def peaks(self):
        return [self.held(*point)["peak_bytes"] for point in ((0, "model"), (2, "before_optimizer"), (2, "after_optimizer"))]

    def steps(self):
        return [ns / 1e6 for ns in self.launch.metric("step", "total") or []] if self.launch else []

    def phase(self, name):
        samples = self.launch.metric("synced", name)
        return statistics.median(samples) / 1e6 if samples else None


def both(run, size, precision, sharding="optimizer"):
    both.plain, both.sharded = Scheme(run, size, precision, "none"), Scheme(run, size, precision, sharding)
    return both.plain, both.sharded


def complete(cell):
    one = Scheme.__new__(Scheme)
    one.cell, one.launch = cell, cell.ok_launch()
    try:
        return bool(one.launch and one.peaks())
    except TypeError:
        return False


def no_pair(run, wanted):
    ran = {(cell["size"], cell["precision"], cell["sharding"]) for cell in run.of("sharding") if wanted(cell)}
    true(not any((size, precision, "none") in ran for size, precision, sharding in ran if sharding == "optimizer"))


def no_peaks(run):
    no_pair(run, complete)


def no_steps(run):
    no_pair(run, lambda cell: cell.ok_launch() and cell.ok_launch().metric("step", "total"))


def memory(run, size, precision, model, before, after, before_sharded, after_sharded):
    plain, sharded = both(run, size, precision)
    for words, value in zip((before, after), plain.peaks()[1:]):
        near_bytes(words, value)
    for words, value in zip((before_sharded, after_sharded), sharded.peaks()[1:]):
        near_bytes(words, value)
    words = [model.removesuffix(" either way")] * 2 if "either" in model else model.split(" and ")
    near_bytes(words[0], plain.peaks()[0])
    near_bytes(words[1], sharded.peaks()[0])


def saved(_run, state):
    rows = [(one.held(2, "before_optimizer"), one.held(2, "after_optimizer")) for one in (both.plain, both.sharded)]
    spared = rows[0][1]["optimizer_bytes"] - rows[1][1]["optimizer_bytes"]
    near_bytes(state, spared)
    for name in ("parameter_bytes", "gradient_bytes"):
        true(rows[0][1][name] == rows[1][1][name], f"{name} do not stay")
    for whole, part in zip(*rows):
        true(abs(whole["peak_bytes"] - part["peak_bytes"] - spared) <= 0.05 * spared, "the state is not the difference")


def time(run, size, precision, sharded, plain, change, less, own, whole, broadcast):
    one, other = both(run, size, precision)
    means = statistics.fmean(other.steps()), statistics.fmean(one.steps())
    near(sharded, means[0])
    near(plain, means[1])
    varies = sum(statistics.stdev(steps) if len(steps) > 1 else 0 for steps in (one.steps(), other.steps()))
    true((abs(means[0] - means[1]) > varies) == bool(change))
    time.phases = other.phase("optimizer"), one.phase("optimizer"), other.phase("broadcast")
    time.longer = means[0] - means[1]
    if change:
        near(change, 100 * abs(time.longer) / means[1])
        true((less == "less") == (time.longer < 0))
    if own:
        for words, value in zip((own, whole, broadcast), time.phases):
            near(words, value)
        true(explained(), "the phases are not the reason")


def explained():
    own, whole, broadcast = time.phases
    return None not in time.phases and 0.499 <= (broadcast + own - whole) / time.longer <= 2.001


def without_reason(_run):
    true(not explained())


def losses(run, size, precision, first, difference, sharding="optimizer"):
    plain, sharded = both(run, size, precision, sharding)
    pairs = list(zip(plain.launch.metric("losses", "total"), sharded.launch.metric("losses", "total")))
    # Later losses in 16 bits amplify rounding.
    near(difference, 100 * max(abs(b / a - 1) for a, b in (pairs[:2] if first else pairs) if a), 2)
    true(bool(first) == (precision in ("BF16", "FP16")) or sharding == "optimizer")


def same_losses(run, size, precision, difference):
    losses(run, size, precision, "", difference)


def sent(run, size, precision, sends, zero):
    cell = Scheme(run, size, precision, "optimizer").cell
    ranks, psi = cell["ranks"], 4 * cell.parameters()
    near_bytes(sends, 3 * psi * (ranks - 1) / ranks)
    near_bytes(zero, 2 * psi * (ranks - 1) / ranks)


CLAIMS = {
    "optimizer_state_sharding_accounting.a": [
        (r"No rank trained both ways; “What ran” gives the reasons\.", no_peaks),
        (rf"With {NETWORK} memory peaks at (?P<model>.+?) after model init, at \*\*(?P<before>[^*]+)\*\* before the optimizer "
         r"step and \*\*(?P<after>[^*]+)\*\* after it, with sharding at \*\*(?P<before_sharded>[^*]+)\*\* and "
         r"\*\*(?P<after_sharded>[^*]+)\*\*\.", memory),
        (r"The difference is AdamW's state for the parameters that other ranks own, \*\*(?P<state>[^*]+)\*\*; parameters and "
         r"gradients stay whole\.", saved)],
    "optimizer_state_sharding_accounting.b": [
        (r"No rank trained both ways; “What ran” gives the reasons\.", no_steps),
        (rf"With {NETWORK} a step takes \*\*(?P<sharded>\S+) ms\*\* with sharding and \*\*(?P<plain>\S+) ms\*\* without"
         r"(?:: they differ by less than steps vary|, (?P<change>\S+) % (?P<less>less|more))"
         r"(?:, because AdamW updates a rank's own parameters in (?P<own>\S+) ms instead of all in (?P<whole>\S+) ms, and "
         r"broadcasting them takes (?P<broadcast>\S+) ms)?\.", time),
        (r"This run does not show why\.", without_reason),
        (rf"The losses of {NETWORK} differ by (?P<difference>\S+) %, although both compute the same\.", same_losses)],
    "optimizer_state_sharding_accounting.c": [
        (r"Memory is alike: .*? parameters that it updates\.", always),
        (rf"With {NETWORK} a rank sends (?P<sends>\S+ .iB) a step, with ZeRO-1 (?P<zero>\S+ .iB)\.", sent)]}
