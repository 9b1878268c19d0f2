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


def activations_first(_run):
    """Checks that the peak before the optimizer step holds the tensors that blocks save, and that after it gradients,
    each beside parameters and AdamW's state."""
    for scheme in (schemes.plain, schemes.sharded):
        cell = scheme.cell
        scores = cell["batch"] * cell["heads"] * cell["context"] ** 2
        inner = cell["batch"] * cell["context"] * (40 * cell["d_model"] + 20 * cell["d_ff"])
        before, after = (scheme.memory_row(2, point) for point in ("before_optimizer", "after_optimizer"))
        for row, further_bytes in ((before, cell["layers"] * (inner + 8 * scores)), (after, 4 * cell.parameters())):
            expected_bytes = row["parameter_bytes"] + row["optimizer_bytes"] + further_bytes
            true(abs(row["peak_bytes"] - expected_bytes) <= 0.08 * row["peak_bytes"], "something else makes the peak")


def saved(_run, state):
    """Checks the bytes of state that a rank is spared. What is allocated after the optimizer step and the peaks differ by
    as much, up to the allocator's rounding, and parameters and gradients differ by nothing."""
    plain, sharded = ([scheme.memory_row(2, point) for point in ("before_optimizer", "after_optimizer")]
                      for scheme in (schemes.plain, schemes.sharded))
    spared = plain[1]["optimizer_bytes"] - sharded[1]["optimizer_bytes"]
    allocated = plain[1]["allocated_bytes"] - sharded[1]["allocated_bytes"]
    near_bytes(state, spared)
    true(abs(allocated - spared) <= 0.05 * spared, "the state is not what is spared")
    for name in ("parameter_bytes", "gradient_bytes"):
        true(plain[1][name] == sharded[1][name], f"{name} do not stay")
    for plain_row, sharded_row in zip(plain, sharded):
        true(abs(plain_row["peak_bytes"] - sharded_row["peak_bytes"] - spared) <= 0.05 * spared,
             "the state is not the difference")


def time(run, size, precision, sharded, plain):
    """Checks the mean steps in ms, and keeps whether they differ."""
    time.schemes = schemes(run, size, precision)
    steps = [scheme.steps_ms() for scheme in time.schemes]
    plain_ms, sharded_ms = map(statistics.fmean, steps)
    near(sharded, sharded_ms)
    near(plain, plain_ms)
    time.difference_ms = sharded_ms - plain_ms
    time.differ = abs(time.difference_ms) > sum(statistics.stdev(samples) if len(samples) > 1 else 0 for samples in steps)


def alike(_run):
    true(not time.differ)


def phases(_run, own, whole, broadcast):
    """Checks that optimizer and broadcast differ by half to twice as much as the steps of time()."""
    plain, sharded = time.schemes
    own_ms, whole_ms, broadcast_ms = sharded.phase_ms("optimizer"), plain.phase_ms("optimizer"), sharded.phase_ms("broadcast")
    for text, phase_ms in ((own, own_ms), (whole, whole_ms), (broadcast, broadcast_ms)):
        near(text, phase_ms)
    true(time.differ and 0.499 <= (broadcast_ms + own_ms - whole_ms) / time.difference_ms <= 2.001,
         "the phases are not the reason")


def sent(run, size, precision, ranks, sends, zero):
    """Checks the bytes that a rank sends in a ring; `zero` is with ZeRO-1."""
    cell = Scheme.find(run, size, precision, "optimizer").cell
    true(int(ranks) == cell["ranks"])
    ranks, parameter_bytes = cell["ranks"], 4 * cell.parameters()
    # An all-reduce sends each byte twice, the broadcast once; ZeRO-1's reduce-scatter and all-gather once each.
    near_bytes(sends, 3 * parameter_bytes * (ranks - 1) / ranks)
    near_bytes(zero, 2 * parameter_bytes * (ranks - 1) / ranks)


def lower_peak(run, size, precision, before, after, state):
    """Checks the peak of a step without and with a sharded optimizer, and that the spared state is the difference."""
    for text, scheme in zip((before, after), schemes(run, size, precision)):
        near_bytes(text, max(scheme.peak_bytes()[1:]))
    saved(run, state)


CLAIMS = {
    "overview": [
        (rf"- \*\*labreport's sharded optimizer lowers the peak of a step of {NETWORK} from (?P<before>\S+ \w+) to (?P<after>\S+ \w+)\*\*, because "
         r"each rank keeps (?P<state>\S+ \w+) less of AdamW's state\.", lower_peak)],
    "optimizer_state_sharding_accounting.a": [
        (r"This run does not answer this question\.", no_peaks),
        (rf"The peaks of {NETWORK} are (?P<model>.+?) after model init, \*\*(?P<before>[^*]+)\*\* before the optimizer "
         r"step and \*\*(?P<after>[^*]+)\*\* after it, with labreport's sharding \*\*(?P<before_sharded>[^*]+)\*\* and "
         r"\*\*(?P<after_sharded>[^*]+)\*\*\.", memory),
        (r"Each holds parameters and AdamW's state, before the optimizer step also activations, after it gradients\.",
         activations_first),
        (r"Up to the allocator's rounding, sharding saves other ranks' state, \*\*(?P<state>[^*]+)\*\*\.", saved)],
    "optimizer_state_sharding_accounting.b": [
        (r"This run does not answer this question\.", no_steps),
        (rf"With {NETWORK} a step takes \*\*(?P<sharded>\S+) ms\*\* with labreport's sharding and \*\*(?P<plain>\S+) ms\*\* without\.", time),
        (r"They differ by less than steps vary\.", alike),
        (r"AdamW takes (?P<own>\S+) ms instead of (?P<whole>\S+) ms, because a rank updates only its own parameters, and "
         r"broadcasting these costs (?P<broadcast>\S+) ms\.", phases)],
    "optimizer_state_sharding_accounting.c": [
        (r"Memory is alike: .*? parameters that it updates\.", always),
        (rf"With {NETWORK} and (?P<ranks>\d+) ranks these are (?P<sends>\S+ .iB) and (?P<zero>\S+ .iB) a step\.", sent)]}
