"""The claims about one GPU against several, recomputed from the steps of each row."""
import math
import re
import statistics

from checks import NO_ANSWER, PRECISION_WORDS, near, near_bytes, true
from fake_runs import fake_run
from timing import ms_after_warmup, ratio_of, typical, without_outlier

CELL_KINDS = {"timing", "data_parallel", "sharding"}
SCHEMES = {"overlapped all-reduces": "overlapped", "weights sharded (FSDP)": "weights", "optimizer state sharded": "optimizer_state"}


def fake_runs(labreport):
    return [fake_run(labreport, "--problems", "scaling", "--preset", "full", gpu="NVIDIA H200")]


def belongs(cell):
    """Tells the rows of which every rank has the whole batch, which no other problem measures."""
    return cell["kind"] in ("data_parallel", "sharding") and cell["params"].get("batch") == 4 and \
        cell["params"].get("scheme", "overlapped") == "overlapped"


class Step:
    def __init__(self, cell):
        self.cell, self.launch = cell, cell.ok_launch()
        self.count = cell["ranks"] or 1
        self.scheme = cell["scheme"] or cell["sharding"]
        samples = self.launch.metric("step", "total") if self.launch else None
        first = 0 if cell.kind == "sharding" else cell["warmup"]
        self.step_ms = [ns / 1e6 for ns in (samples or [])[first:first + cell["steps"]]]

    def ms(self):
        return typical(self.step_ms)

    def optimizer_ms(self):
        """Returns the optimizer's time of rank 0, or in steps of one GPU whose phases were timed."""
        for row in self.launch.table("rank_steps"):
            if row["rank"] == 0 and row.get("optimizer_ns"):
                return row["optimizer_ns"] / 1e6
        for tag in ("event", "synced"):
            if times := ms_after_warmup(self.cell, tag, "optimizer"):
                return statistics.median(times)

    def peak_bytes(self):
        held = self.launch.table("held")
        last = max((row["step"] for row in held), default=0)
        peaks = [row["peak_bytes"] for row in held if row["step"] == last and row["peak_bytes"]]
        return max([*peaks, self.launch.metric("memory", "peak_allocated") or 0])


class Scaled:
    """A network's step on one GPU, and the steps of several ranks on as many sequences in all."""

    def __init__(self, run, words):
        self.alone = next(step for step in map(Step, run.of("timing", mode="train_step")) if words == self.words_of(step.cell))
        cell = self.alone.cell
        steps = [Step(other) for other in run.of("data_parallel", "sharding")
                 if all(other[name] == cell[name] for name in ("size", "context", "precision", "implementation"))]
        self.steps = [step for step in steps if step.count * step.cell["batch"] == cell["batch"] and step.step_ms]
        self.ranks = max((step.count for step in self.steps if step.scheme != "none"), default=0)

    @staticmethod
    def words_of(cell):
        return f"{cell['size']} in {PRECISION_WORDS[cell['precision']]}"

    def fastest(self):
        return min((step for step in self.steps if step.count == self.ranks and step.scheme != "none"), key=Step.ms, default=None)

    def step(self, scheme):
        return next(step for step in self.steps if step.count == self.ranks and step.scheme == scheme)

    def losses(self):
        """Returns the ms that the overlapped step loses to the optimizer, to smaller batches and to communication."""
        overlapped, silent = self.step("overlapped"), self.step("none")
        alone_ms, count = self.alone.ms(), self.ranks
        optimizer = silent.optimizer_ms() - self.alone.optimizer_ms() / count
        passes = silent.ms() - silent.optimizer_ms() - (alone_ms - self.alone.optimizer_ms()) / count
        return optimizer, passes, overlapped.ms() - silent.ms(), overlapped.ms() - alone_ms / count


def is_as_fast(run, words, speedup, ranks, scheme, unit=None, step=None, alone=None, efficiency=None):
    network = Scaled(run, words)
    fastest = network.fastest()
    true(int(ranks) == network.ranks, f"{network.ranks} ranks")
    true(SCHEMES[scheme] == fastest.scheme, f"{scheme}: {fastest.scheme}")
    near(speedup, network.alone.ms() / fastest.ms())
    on_cpu = fastest.cell["device_kind"] == "cpu"
    true(unit == ("ranks" if on_cpu else "GPUs"), unit)
    if step:
        near(step, fastest.ms())
        near(alone, network.alone.ms())
        near(efficiency, 100 * network.alone.ms() / fastest.ms() / network.ranks)


def is_lower(run, words, peak, peak_alone):
    network = Scaled(run, words)
    near_bytes(peak, network.fastest().peak_bytes())
    near_bytes(peak_alone, network.alone.peak_bytes())
    true(network.fastest().peak_bytes() < network.alone.peak_bytes())


def loses(run, words, lost, communication, optimizer, smaller, overlapped=None):
    network = Scaled(run, words)
    parts = network.losses()
    true(min(parts[:3]) >= 0, f"a part is negative: {parts}")
    if overlapped:
        near(overlapped, network.step("overlapped").ms())
    alone, silent, step = (spread(one.step_ms) for one in (network.alone, network.step("none"), network.step("overlapped")))
    share = alone / network.ranks
    for text, part, deviation in ((optimizer, parts[0], math.hypot(silent, share)), (smaller, parts[1], math.hypot(silent, share)),
                                  (communication, parts[2], math.hypot(step, silent)), (lost, parts[3], math.hypot(step, share))):
        near(text, part)
        true("." not in text or deviation < 1, f"{text} has more digits than its deviation {deviation}")


def spread(times_ms):
    return statistics.stdev(without_outlier(times_ms)) if len(times_ms) > 1 else 0


def is_sharded(run, words, own, replicated):
    network = Scaled(run, words)
    overlapped = network.step("overlapped")
    true(network.fastest().cell["sharding"] == "weights", "nothing is sharded")
    near(own, network.fastest().optimizer_ms())
    near(replicated, overlapped.optimizer_ms())
    true(network.fastest().optimizer_ms() < overlapped.optimizer_ms())


def told(run, words, **claim):
    """Checks what is told of one network in one go, because each sentence is about the network that the first one names."""
    loss = {name: claim.pop(name) for name in ("overlapped", "lost", "optimizer", "smaller", "communication") if name in claim}
    memory = {name: claim.pop(name) for name in ("peak", "peak_alone") if name in claim}
    sharded = {name: claim.pop(name) for name in ("own", "replicated") if name in claim}
    is_as_fast(run, words, **claim)
    if sharded.get("own"):
        is_sharded(run, words, **sharded)
    if memory.get("peak"):
        is_lower(run, words, **memory)
    if loss.get("lost"):
        loses(run, words, **loss)


def nothing_clear(run):
    for step in map(Step, run.of("timing", mode="train_step")):
        fastest = Scaled(run, Scaled.words_of(step.cell)).fastest()
        if step.step_ms and fastest:
            ratio, deviation = ratio_of(step.step_ms, fastest.step_ms)
            true(deviation > min(abs(ratio - 1), 0.1 * ratio), "a speedup is larger than its spread")


WORDS = r"(?P<words>\S+ in \S+)"
PARTS = (r"(?P<optimizer>\S+) to the update of all weights on every rank, (?P<smaller>\S+) to its smaller batch and "
         r"(?P<communication>\S+) to communication\.")
SCHEME = rf"(?P<scheme>{'|'.join(map(re.escape, SCHEMES))})"

CLAIMS = {
    "overview": [
        (rf"- \*\*A training step of {WORDS} is (?P<speedup>\S+) times as fast on (?P<ranks>\d+) (?P<unit>GPUs|ranks) as on one, with "
         rf"{SCHEME}\.\*\*(?: Overlapped all-reduces lose (?P<lost>\S+) ms: {PARTS})?", told)],
    "scaling": [
        (rf"- \*\*{WORDS}: (?P<speedup>\S+) times as fast on (?P<ranks>\d+) (?P<unit>GPUs|ranks)\*\*, (?P<step>\S+) instead of "
         rf"(?P<alone>\S+) ms with {SCHEME}, an efficiency of (?P<efficiency>\S+) %\."
         r"(?: Each rank updates its share of the weights, in (?P<own>\S+) instead of (?P<replicated>\S+) ms, and peaks at "
         r"(?P<peak>\S+ \S+) instead of (?P<peak_alone>\S+ [GMK]?i?B)\.)?"
         rf"(?: Overlapped all-reduces take (?P<overlapped>\S+) ms and lose (?P<lost>\S+) of them: {PARTS})?", told),
        (NO_ANSWER, nothing_clear)]}
