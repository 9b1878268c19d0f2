"""Recomputes the takeaways of a run's summary."""
import re
import statistics

from checks import LESS_WORK, PRECISIONS, always, less_work, near, near_bytes, true
from gemms import peak_flop_rate
from step_limits import StepLimits
from timing import is_clear, launch_costs, ratio_of, networks, profile_of, typical

CELL_KINDS = ("timing", "kernels", "memory", "limits")
DTYPES = {"float32": "FP32", "float16": "FP16", "bfloat16": "BF16"}
PHASES = ["forward", "loss", "backward", "optimizer"]


class Step:
    """A network's training step: its samples, and what its kernels take, in ms."""

    def __init__(self, run, network):
        self.network, self.ms = network, network.whole_steps("train_step")
        self.mean = typical(self.ms) if self.ms else 0
        cell = network.modes.get("train_step")
        self.profile = profile_of(run, cell) if self.ms else None
        rows = self.profile.table("kernels") if self.profile else []
        of = lambda holds: sum(row["total_ns"] or 0 for row in rows if holds(row)) / 1e6
        self.gemms = of(lambda row: row["class"].startswith("gemm"))
        self.optimizer = of(lambda row: row["phase"] == "optimizer")
        self.others = of(lambda row: True) - self.gemms - self.optimizer
        self.idle = max(0, self.mean - self.gemms - self.optimizer - self.others)


def steps_in(run, precision):
    """Returns the training steps in a precision that ran, smaller networks and shorter contexts first."""
    found = [Step(run, network) for network in networks(run) if network.shape["precision"] == precision]
    shape = lambda step: (step.network.shape["context"], step.network.shape.parameters())
    return sorted((step for step in found if step.ms), key=shape)


def pairs_in(run, precision=None):
    """Returns the steps of networks that ran in FP32 and in the first other precision that one has beside it."""
    for other in [precision] if precision else ["bf16", "fp16", "tf32"]:
        pairs = [(fp32, step) for step in steps_in(run, other) for fp32 in steps_in(run, "fp32")
                 if all(fp32.network.shape[name] == step.network.shape[name]
                        for name in ("size", "context", "batch", "implementation"))]
        if pairs:
            return pairs
    return []


def pair(run, precision=None):
    """Returns the largest network's steps in FP32 and in another precision."""
    pairs = pairs_in(run, precision)
    true(pairs, "no network ran in FP32 and in another precision")
    return pairs[-1]


def compared(run, size, fp32, other, precision, speedup, spread, longer, after, before):
    fp32_step, step = pair(run, PRECISIONS[precision])
    true(size.startswith(step.network.size))
    near(fp32, fp32_step.mean, 4)
    near(other, step.mean, 4)
    true(is_clear(fp32_step.ms, step.ms) == bool(speedup or longer), "one standard deviation")
    if speedup or longer:
        near(speedup or longer, fp32_step.mean / step.mean if speedup else step.mean / fp32_step.mean)
    ratio, deviation = ratio_of(fp32_step.ms, step.ms)
    true(not speedup or (spread is None) == (deviation <= 0.1 * ratio), f"± {deviation}")
    if spread:
        near(spread, deviation, 2)
    if after:
        near(after, step.gemms, 4)
        near(before, fp32_step.gemms, 4)
        true(fp32_step.gemms - step.gemms >= 0.9 * (fp32_step.mean - step.mean))


def single(run, size, ms, precision):
    steps = [step for step in steps_in(run, PRECISIONS[precision]) if size.startswith(step.network.size)]
    near(ms, steps[-1].mean, 4)
    true(not pairs_in(run), "two precisions can be compared")


def words_of(names):
    return " and ".join(filter(None, [", ".join(names[:-1]), *names[-1:]]))


def counted(run, size, rate, precision, share, dtypes, hidden):
    step = steps_in(run, PRECISIONS[precision])[-1]
    true(size.startswith(step.network.size))
    names = ("context", "batch", "precision", "implementation")
    launch = next(cell for cell in run.of("dtypes", **{name: step.network.shape[name] for name in names})
                  if cell["size"] == step.network.size).ok_launch()
    flops = sum(launch.metric("flops", phase) for phase in PHASES)
    near(rate, flops / (step.mean / 1e3) / 1e12)
    near(share, 100 * flops / (step.mean / 1e3) / peak_flop_rate(run, PRECISIONS[precision]))
    true((hidden or None) == launch.metric("hidden", "flops"))
    seen = {noun: list(dict.fromkeys(DTYPES.get(row["dtype"], row["dtype"]) for row in launch.table("dtypes")
                                     if row["group"] == group))
            for group, noun in (("parameter", "parameters"), ("buffer", "buffers"), ("product", "GEMMs"))}
    true(dtypes == words_of([f"{words_of(found)} {noun}" for noun, found in seen.items() if found]))


def step_limits(run, ms, network, precision, needed, most, saved):
    """Checks the title of the figure that draws the largest network's step at the limits of the GPU."""
    step = next(step for step in reversed(steps_in(run, PRECISIONS[precision]))
                if network == step.network.size and step.profile)
    limits = StepLimits(run, step.network.shape, step.profile, step.mean)
    near(ms, step.mean)
    near(needed, limits.needed_ms())
    near(saved, limits.saved[most])
    true(limits.saved[most] >= 0.9999 * limits.saved[limits.most()], f"{limits.most()} saves more")


def idle(run, least, most, precision, least_each, most_each, kernels):
    """Checks the idle time of the step's own process and of its profile's."""
    _, step = pair(run, PRECISIONS[precision])
    costs = launch_costs(step.profile, PHASES, step.ms)
    true(costs.gpu_idle_us is not None, "the GPU does not set the time")
    profiled_ms = [ns / 1e6 for ns in step.profile.metric("step", "total") or []]
    busy_ms = step.profile.metric("profile", "busy")
    idle_ms = [step.idle]
    if profiled_ms and busy_ms is not None:
        idle_ms.append(max(0, statistics.fmean(profiled_ms) - busy_ms / 1e6))
    near(least, min(idle_ms))
    near(most or least, max(idle_ms))
    near(least_each, 1e3 * min(idle_ms) / costs.launches, 2)
    near(most_each or least_each, 1e3 * max(idle_ms) / costs.launches, 2)
    near(kernels, costs.launches)


def peak(run, size, precision, peak_words, resident):
    """Checks the highest peak of all training steps. The memory problem's peak of a step counts before the timing's."""
    peaks = []
    for step in steps_in(run, PRECISIONS[precision]):
        shape = step.network.shape
        same = [cell for cell in run.of("memory", size=shape["size"], context=shape["context"], mode="train_step",
                                        precision=shape["precision"], implementation=shape["implementation"])
                if cell.ok_launch()]
        cell = (same or [step.network.modes["train_step"]])[0]
        peaks.append((cell.ok_launch().metric("memory", "peak_allocated") or 0, cell))
    highest, cell = max(peaks, key=lambda one: one[0])
    true(size.startswith(cell["size"]))
    near_bytes(peak_words, highest)
    near_bytes(resident, 12 * cell.parameters())


def letters(text):
    return re.sub(r"\W|_", "", text)


def no_times(run, code, mistake):
    """Checks that the named code of the user's failed everywhere, and that a launch told this mistake."""
    sources = [source for session in run.data["sessions"] for source in [session.get("model"), *session.get("more_attentions", [])]]
    implementations = {source["implementation"] for source in sources
                       if source and letters(source["model"].rpartition(":")[2]) == letters(code)}
    cells = [cell for cell in run.cells if cell["implementation"] in implementations]
    true(cells and not any(cell.ok_launch() for cell in cells), "it has times")
    outcomes = [launch.data["outcome"] for cell in cells for launch in cell.launches]
    true(any(outcome["status"] in ("crashed", "timeout") or letters(mistake) in letters(outcome.get("message", ""))
             for outcome in outcomes), "no launch told it")


CLAIMS = {
    "overview": [
        (r"- \*\*(?P<code>[^\n]+?) has no times:\*\* (?P<mistake>[^\n]*)", no_times),
        ("- " + LESS_WORK, less_work),
        (r"- \*\*A training step of (?P<size>[^*]+?) takes (?P<fp32>\S+) ms in FP32 and (?P<other>\S+) ms in "
         r"(?P<precision>\w+), (?:a speedup of (?P<speedup>\S+)(?: ± (?P<spread>\S+))?×|(?P<longer>\S+) times as long|a difference within one standard deviation)\*\*(?:, because its GEMMs "
         r"take (?P<after>\S+) ms instead of (?P<before>\S+))?\.", compared),
        (r"- \*\*A training step of (?P<size>[^*]+?) takes (?P<ms>\S+) ms in (?P<precision>\w+)\.\*\*", single),
        (r"- \*\*(?P<size>[^*]+?) computes (?P<rate>\S+) TFLOP/s in (?P<precision>\w+), an HFU of "
         r"(?P<share>\S+) %\.\*\* It has (?P<dtypes>[^\n]+?)\."
         r"(?: The FLOPs of (?P<hidden>[^\n]+) are not counted\.)?", counted),
        (r"- \*\*A CUDA graph can save no more than the (?P<least>\S+)(?: to (?P<most>\S+))? ms of the (?P<precision>\w+) step in "
         r"which the GPU idles\*\*, (?P<least_each>\S+)(?: to (?P<most_each>\S+))? µs at each of its (?P<kernels>\S+) kernels\.",
         idle),
        (r"- \*\*The training step of (?P<size>[^*]+?) in (?P<precision>\w+) peaks at (?P<peak_words>\S+ \w+)\*\*, of which "
         r"FP32 parameters and AdamW's moments are (?P<resident>\S+ \w+)\.", peak),
        # The claims of other parts check the same sizes and numbers.
        (r"- \*\*In \w+, the CPU sets [^\n]*", always)],
}

# Titles of figures anywhere in the report.
TITLES = [(r"\*\*Figure \d+[a-z]?\. Of the (?P<ms>\S+) ms of (?P<network>\S+) in (?P<precision>\w+), its parts need (?P<needed>\S+) at measured "
           r"rates: (?P<most>[^*]+) alone could save (?P<saved>\S+) ms", step_limits)]
