"""The claims about a sharded optimizer, recomputed from each rank's memory and every step."""
import statistics

from checks import PRECISIONS, always, near, near_bytes, number, true

CELL_KINDS = {"sharding"}
NETWORK = r"(?P<size>\S+) in (?P<precision>[A-Z]+\d+)"  # a pattern, whose groups choose a Scheme


class Scheme:
    """One network's training with its optimizer's state, its weights or nothing sharded."""

    def __init__(self, cell):
        self.cell, self.launch = cell, cell.ok_launch() if cell else None

    @classmethod
    def find(cls, run, size, precision, sharding):
        return cls(next(iter(run.of("sharding", size=size, precision=PRECISIONS[precision], sharding=sharding)), None))

    def memory_row(self, step, point):
        """Returns the highest-peaking rank's row: before training (0), in its first step (1) or in a later one (2)."""
        rows = [row for row in self.launch.table("held") if None not in row.values() and row["point"] == point
                and min(row["step"], 2) == step]
        first_step = next(iter(rows), {}).get("step")
        return max((row for row in rows if row["step"] == first_step), key=lambda row: row["peak_bytes"], default=None)

    def peak_bytes(self):
        """Returns the peaks after model init, before the optimizer step and after it."""
        points = (0, "model"), (2, "before_optimizer"), (2, "after_optimizer")
        return [self.memory_row(*point)["peak_bytes"] for point in points]

    def steps_ms(self):
        return [ns / 1e6 for ns in self.launch.metric("step", "total") or []] if self.launch else []

    def phase_ms(self, name):
        """Returns the median of a phase in steps that synchronize after each phase; None if it was not timed."""
        samples = self.launch.metric("synced", name)
        return statistics.median(samples) / 1e6 if samples else None


def schemes(run, size, precision, sharding="optimizer"):
    """Returns the schemes without and with sharding, and keeps them for the sentences that follow."""
    schemes.plain, schemes.sharded = (Scheme.find(run, size, precision, part) for part in ("none", sharding))
    return schemes.plain, schemes.sharded


def has_peaks(cell):
    scheme = Scheme(cell)
    try:
        return bool(scheme.launch and scheme.peak_bytes())
    except TypeError:  # There is no row of one of the points.
        return False


def no_pair(run, is_complete):
    """Checks that no network has complete cells both with a sharded optimizer and without."""
    complete = {(cell["size"], cell["precision"], cell["sharding"]) for cell in run.of("sharding") if is_complete(cell)}
    true(not any((size, precision, "none") in complete for size, precision, sharding in complete
                 if sharding == "optimizer"))


def no_peaks(run):
    no_pair(run, has_peaks)


def no_steps(run):
    no_pair(run, lambda cell: cell.ok_launch() and cell.ok_launch().metric("step", "total"))


def memory(run, size, precision, model, before, after, before_sharded, after_sharded):
    """Checks the peaks. `model` is "1.00 GiB and 0.50 GiB" or "1.00 GiB either way"."""
    plain, sharded = schemes(run, size, precision)
    models = [model.removesuffix(" either way")] * 2 if "either" in model else model.split(" and ")
    for scheme, texts in ((plain, (models[0], before, after)), (sharded, (models[1], before_sharded, after_sharded))):
        for text, value in zip(texts, scheme.peak_bytes()):
            near_bytes(text, value)


def saved(_run, state):
    """Checks that the peaks differ by the state's bytes that a rank is spared."""
    plain, sharded = ([scheme.memory_row(2, point) for point in ("before_optimizer", "after_optimizer")]
                      for scheme in (schemes.plain, schemes.sharded))
    spared = plain[1]["optimizer_bytes"] - sharded[1]["optimizer_bytes"]
    near_bytes(state, spared)
    for name in ("parameter_bytes", "gradient_bytes"):
        true(plain[1][name] == sharded[1][name], f"{name} do not stay")
    for plain_row, sharded_row in zip(plain, sharded):
        true(abs(plain_row["peak_bytes"] - sharded_row["peak_bytes"] - spared) <= 0.05 * spared,
             "the state is not the difference")


def time(run, size, precision, sharded, plain, change, less, own, whole, broadcast):
    """Checks the mean steps in ms. `own` and `whole` are the optimizer's ms with and without sharding."""
    plain_scheme, sharded_scheme = schemes(run, size, precision)
    plain_steps, sharded_steps = plain_scheme.steps_ms(), sharded_scheme.steps_ms()
    sharded_ms, plain_ms = statistics.fmean(sharded_steps), statistics.fmean(plain_steps)
    near(sharded, sharded_ms)
    near(plain, plain_ms)
    sum_of_deviations = sum(statistics.stdev(steps) if len(steps) > 1 else 0 for steps in (plain_steps, sharded_steps))
    true((abs(sharded_ms - plain_ms) > sum_of_deviations) == bool(change))
    time.phases_ms = [sharded_scheme.phase_ms("optimizer"), plain_scheme.phase_ms("optimizer"),
                      sharded_scheme.phase_ms("broadcast")]
    time.difference_ms = sharded_ms - plain_ms
    if change:
        near(change, 100 * abs(time.difference_ms) / plain_ms)
        true((less == "less") == (time.difference_ms < 0))
    if own:
        for text, phase_ms in zip((own, whole, broadcast), time.phases_ms):
            near(text, phase_ms)
        true(explained(), "the phases are not the reason")


def explained():
    """Tells whether optimizer and broadcast differ by half to twice as much as the steps of time()."""
    own_ms, whole_ms, broadcast_ms = time.phases_ms
    return None not in time.phases_ms and 0.499 <= (broadcast_ms + own_ms - whole_ms) / time.difference_ms <= 2.001


def without_reason(_run):
    true(not explained())


def losses(run, size, precision, first, difference, sharding="optimizer"):
    """Checks the largest difference in %. `first` is not empty if only the first two steps count."""
    plain, sharded = schemes(run, size, precision, sharding)
    pairs = list(zip(plain.launch.metric("losses", "total"), sharded.launch.metric("losses", "total")))
    # Later losses in 16 bits amplify rounding.
    near(difference, 100 * max(abs(b / a - 1) for a, b in (pairs[:2] if first else pairs) if a), 2)
    true(bool(first) == (precision in ("BF16", "FP16")) or sharding == "optimizer")


def same_losses(run, size, precision, difference):
    losses(run, size, precision, "", difference)


def sent(run, size, precision, sends, zero):
    """Checks the bytes that a rank sends in a ring; `zero` is with ZeRO-1."""
    cell = Scheme.find(run, size, precision, "optimizer").cell
    ranks, parameter_bytes = cell["ranks"], 4 * cell.parameters()
    # An all-reduce sends each byte twice, the broadcast once; ZeRO-1's reduce-scatter and all-gather once each.
    near_bytes(sends, 3 * parameter_bytes * (ranks - 1) / ranks)
    near_bytes(zero, 2 * parameter_bytes * (ranks - 1) / ranks)


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
