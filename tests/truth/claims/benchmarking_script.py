"""The claims about the benchmarking problem, recomputed from the steps' samples."""
import re
import statistics

from checks import LESS_WORK, MODES, NO_ANSWER, PRECISION_WORDS, less_work, near, true
from timing import ms_after_warmup, networks, setting, users_cells, variation

CELL_KINDS = {"timing", "kernels"}
MODE_WORDS = dict(zip(MODES, ["inference", "forward", "forward+backward", "training step"]))


def planned_networks(run):
    """Returns the networks that this problem planned, or all if there are none. They begin with one of the two
    shortest modes; the mixed-precision problem's begin with the longest."""
    every = networks(run)
    return [network for network in every if network.first_mode in MODES[:2]] or every


def is_called(network, label):
    """Tells whether an answer calls the network so: "small", "small, 512", "small, BF16"."""
    size, *details = label.split(", ")
    return network.size == size and all(
        detail in (f"{network.shape['context']:,}", PRECISION_WORDS.get(network.shape["precision"]))
        for detail in details)


def find_network(run, label):
    return next(network for network in planned_networks(run) if is_called(network, label))


def both_ends(text):
    """Returns the texts of the ends of "19.3 to 329", or twice the same number."""
    return (text.split(" to ") * 2)[:2]


def program(run, warmup, steps, batch, gpu, row, command):
    """Checks the cells' settings and the command that reproduces `row`, a network and its mode."""
    label, mode_words = row.rsplit(", ", 1)
    true((gpu is None) == (run.cells[0]["device_kind"] == "cpu"))
    cell = find_network(run, label).modes[next(mode for mode, words in MODE_WORDS.items() if words == mode_words)]
    true((cell["warmup"], cell["steps"], cell["batch"]) == tuple(map(int, (warmup, steps, batch))))
    for option, parameter in {"sizes": "size", "contexts": "context", "precisions": "precision", "modes": "mode",
                              "warmup": "warmup", "steps": "steps"}.items():
        flag = re.search(rf"--{option} (\S+)", command)
        true(flag and flag[1] == str(cell[parameter]), f"--{option}")
    for network in planned_networks(run):
        for other in network.modes.values():
            if (other["warmup"], other["steps"]) != (0, 1):  # Cells of a single cold step only show its cost.
                true((other["warmup"], other["steps"]) == (cell["warmup"], cell["steps"]), "others have other steps")


def compared_networks(run):
    """Returns the networks whose forward and backward pass were timed."""
    return [network for network in planned_networks(run)
            if network.phase("forward") and network.phase("backward") and statistics.fmean(network.phase("forward")) > 0]


def durations(run, forward, sizes, size, ratio, backward_rate, forward_rate):
    """Checks mean ms of the smallest and the largest network's forward pass, the largest network's ratio of passes,
    and that the rates of its GEMMs in TFLOP/s explain it."""
    compared = compared_networks(run)
    for text, label, network in zip(both_ends(forward), both_ends(sizes), (compared[0], compared[-1])):
        near(text, statistics.fmean(network.phase("forward")))
        true(is_called(network, label))
    largest = compared[-1]
    true(is_called(largest, size))
    measured = statistics.fmean(largest.phase("backward")) / statistics.fmean(largest.phase("forward"))
    near(ratio, measured)
    if not forward_rate:
        return
    profile = first_step_profile(run, largest) or next(
        cell.ok_launch() for cell in users_cells(run, "kernels")
        if setting(cell) == setting(largest.shape) and cell["mode"] in MODES[2:])
    gemm_ms = {phase: sum(row["total_ns"] for row in profile.table("kernels")
                          if row["phase"] == phase and row["class"].startswith("gemm")) / 1e6
               for phase in ("forward", "backward")}
    flops = forward_flops(largest.shape)
    near(forward_rate, flops / gemm_ms["forward"] / 1e9)
    near(backward_rate, 2 * flops / gemm_ms["backward"] / 1e9)
    explained = gemm_ms["backward"] / gemm_ms["forward"]
    true(abs(measured - explained) <= max(0.051, 0.51 * abs(measured - 2)), "something else")


def forward_flops(cell):
    """Returns the FLOPs of the forward pass's GEMMs, of a multiply-add two."""
    tokens, width = cell["batch"] * cell["context"], cell["d_model"]
    block = 2 * tokens * (4 * width ** 2 + 3 * width * cell["d_ff"]) + 4 * tokens * cell["context"] * width
    return cell["layers"] * block + 2 * tokens * width * cell["vocab"]


def spreads(run):
    """Returns (coefficient of variation, network, what varies) of all passes and whole steps."""
    found = []
    for network in compared_networks(run):
        times = {"forward pass": network.phase("forward"), "backward pass": network.phase("backward"),
                 "optimizer": network.phase("optimizer")}
        times |= {MODE_WORDS[mode] + ("" if mode == "train_step" else " step"): network.whole_steps(mode)
                  for mode in network.modes}
        found += [(variation(samples), network, what) for what, samples in times.items() if samples]
    return found


def most_varying(run, what, size, variation_words):
    highest, network, varying = max(spreads(run), key=lambda spread: spread[0])
    true(is_called(network, size) and varying == what, f"{varying} of {network.size} varies more")
    scale, text = (1, variation_words.split(" ")[0]) if "mean" in variation_words else (100, variation_words.split(" ")[0])
    near(text, scale * highest)


def launches_outlast(run):
    """Checks that the optimizer which varies most is faster where launches queue up before it begins."""
    _, network, what = max(spreads(run), key=lambda spread: spread[0])
    queued_ms = ms_after_warmup(network.modes["train_step"], "event", "optimizer")
    true(what == "optimizer" and statistics.median(queued_ms) < 0.8 * statistics.fmean(network.phase("optimizer")))


def unanswered_durations(run):
    true(not compared_networks(run) or all(len(network.phase("forward")) < 2 for network in compared_networks(run)))


class Warmup:
    """Compares means of as many steps of one network with and without warm-up.

    `rises` has the mean without / the mean after warm-up, once with each process's first step. `after_one` is the mean
    after one step / that after warm-up. `deviations` are in ms, after no, one and all warm-up steps.
    """

    def __init__(self, network, mode):
        self.network, cell = network, network.modes[mode]
        launch = cell.ok_launch()
        steps_ms = [ns / 1e6 for ns in (launch and launch.metric("step", "total")) or []]
        self.timed_steps, self.warmup_steps = cell["steps"], cell["warmup"]
        self.comparable = (bool(steps_ms) and self.warmup_steps > 0
                           and len(steps_ms) >= self.warmup_steps + self.timed_steps)
        if not self.comparable:
            return
        window = lambda first: steps_ms[first:first + self.timed_steps]
        self.steady_ms = statistics.median(window(self.warmup_steps))
        warm_ms = statistics.fmean(window(self.warmup_steps))
        cells = (cell, *([network.cold_cells[mode]] if mode in network.cold_cells else []))
        self.first_steps_ms = [launch.metric("step", "total")[0] / 1e6 for cell in cells for launch in cell.launches
                               if launch.data["outcome"]["status"] == "ok" and launch.metric("step", "total")]
        self.comparable = self.steady_ms > 0
        cold_ms = statistics.fmean(window(0))
        self.rises = [(cold_ms + (first_ms - steps_ms[0]) / self.timed_steps) / warm_ms
                      for first_ms in self.first_steps_ms] if warm_ms else []
        self.after_one = statistics.fmean(window(1)) / warm_ms if warm_ms else 1
        self.deviations = [statistics.stdev(window(first)) if self.timed_steps > 1 else 0
                           for first in (0, 1, self.warmup_steps)]


def comparable_warmups(run):
    """Returns each network's Warmup in forward+backward; if none is comparable, in the first mode that has some."""
    by_mode = {}
    for mode in MODES[1:3] + (MODES[3:] if run.edition == "2026" else []):
        warmups = [Warmup(network, mode) for network in planned_networks(run) if mode in network.modes]
        by_mode[mode] = [warmup for warmup in warmups if warmup.comparable]
    return by_mode["forward_backward"] or next((warmups for warmups in by_mode.values() if warmups), [])


def mode_of(words):
    """Returns the mode of "forward" or "training", which an answer has before "steps"."""
    return next(mode for mode, mode_words in MODE_WORDS.items() if mode_words in (words, f"{words} step"))


def first_step(run, steps, mode, rise, size, warm, cold):
    """Checks the mean that rises most without warm-up, its deviations in ms, and that the first step alone raises it."""
    warmups = comparable_warmups(run)
    true(all(warmup.timed_steps == int(steps) and mode_of(mode) in warmup.network.modes for warmup in warmups))
    slowest = max(warmups, key=lambda warmup: max(warmup.rises))
    true(is_called(slowest.network, size))
    near(rise, max(slowest.rises))
    near(cold, slowest.deviations[0])
    near(warm, slowest.deviations[2], 2)
    true(max(slowest.rises) > 1.01 and slowest.deviations[1] < slowest.deviations[0] / 2, "later steps vary as much")


def initialization(run, extra):
    """Checks how many seconds first steps take longer, and that loading takes about as long in profiled first steps."""
    warmups = comparable_warmups(run)
    extra_ms = [statistics.median(warmup.first_steps_ms) - warmup.steady_ms for warmup in warmups]
    near(extra, statistics.median(extra_ms) / 1e3, 2)
    true(len(extra_ms) > 1 and max(extra_ms) < 1.5 * min(extra_ms), "it depends on the size")
    for warmup, ms in zip(warmups, extra_ms):
        true(ms / 2 <= initialization_ms(run, warmup) <= 2 * ms, "the first step is something else")


def after_one(run, change, spread, size):
    """Checks what one warm-up step leaves: the largest change of a mean in %, and the largest ratio of deviations."""
    warmups = comparable_warmups(run)
    near(change, max(100 * abs(warmup.after_one - 1) for warmup in warmups))
    ratio = lambda warmup: warmup.deviations[1] / warmup.deviations[2] if warmup.deviations[2] else 0
    most = max(warmups, key=ratio)
    true(is_called(most.network, size))
    near(spread, ratio(most), 2)


def first_step_profile(run, network):
    """Returns the launch that profiled a process's first step of the network; None without one."""
    return next((cell.ok_launch() for cell in users_cells(run, "kernels")
                 if (cell["warmup"], cell["steps"]) == (0, 0) and setting(cell) == setting(network.shape)), None)


def initialization_ms(run, warmup):
    """Returns the time for loading CUDA modules and initializing cuBLAS in a profiled first step."""
    launch = first_step_profile(run, warmup.network)
    return sum(launch.metric("first", name) for name in ("code_loading", "matrix_library")) / 1e6


def unanswered_warmup(run):
    """Checks that no mean rises because of the first step alone, and that no deviations can be compared."""
    for warmup in comparable_warmups(run):
        true(warmup.warmup_steps < 2 or warmup.deviations[2] == 0)


CLAIMS = {
    "benchmarking_script.a": [
        (r"Each size and mode runs in a fresh process: (?P<warmup>\d+) warm-up steps?, then (?P<steps>\d+) timed steps?, on one "
         r"random batch of (?P<batch>\d+) sequences?, by the CPU's monotonic clock\.(?P<gpu> Each step ends with a "
         r"synchronization, because kernels are launched asynchronously\.)? \[The program\]\(program\.cpp\) is "
         r"`src/measure/timing`\. To reproduce \*(?P<row>[^*]+)\*: `(?P<command>[^`]+)`\.$", program)],
    "benchmarking_script.b": [
        (NO_ANSWER, unanswered_durations),
        (r"The forward pass takes \*\*(?P<forward>[^*]+) ms\*\* \((?P<sizes>[^)]+)\), (?P<size>.+?)'s backward pass \*\*(?P<ratio>\S+) "
         r"times\*\* as long(?:: twice the FLOPs, at (?P<backward_rate>\S+) instead of (?P<forward_rate>\S+) TFLOP/s)?\.",
         durations),
        (r"Times vary most in the (?P<what>.+?) of (?P<size>.+?), by \*\*(?P<variation_words>[^*]+)\*\*\.", most_varying),
        (r"There the CPU's launches outlast the GPU's kernels\.", launches_outlast),
        (LESS_WORK, less_work)],
    "benchmarking_script.c": [
        (NO_ANSWER, unanswered_warmup),
        (r"Without warm-up, the first step raises the mean of (?P<steps>\d+) (?P<mode>\S+) steps? up to \*\*(?P<rise>\S+) times\*\* "
         r"\((?P<size>[^)]+)\), the deviation from (?P<warm>\S+) to \*\*(?P<cold>\S+) ms\*\*\.", first_step),
        (r"It takes about \*\*(?P<extra>\S+) s\*\* longer at any size: profiled, it loads CUDA modules and cuBLAS\.",
         initialization),
        (r"After one warm-up step, means are off by up to \*\*(?P<change>\S+) %\*\*, deviations up to \*\*(?P<spread>\S+) times\*\* the "
         r"steady ones \((?P<size>[^)]+)\)\.", after_one)]}
