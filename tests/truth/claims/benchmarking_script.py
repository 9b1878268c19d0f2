"""The claims about the benchmarking problem, recomputed from the steps' samples."""
import re
import statistics

from checks import MODES, PRECISION_WORDS, near, number, true
from timing import launch_costs, networks, profile_of, setting, users_cells, variation

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
    """Returns the networks that ran forward; if backward ran in some of them, only these."""
    with_forward = [network for network in planned_networks(run) if network.phase("forward")]
    return [network for network in with_forward if network.phase("backward")] or with_forward


def durations(run, one, first, first_size, last, last_size, backward, ratio):
    """Checks mean ms of forward (`first`, `last`) and `backward`. `one` is the label of the only network."""
    compared = compared_networks(run)
    true(is_called(compared[0], one or first_size) and (one or is_called(compared[-1], last_size)))
    true((len(compared) == 1) == bool(one))
    near(first, statistics.fmean(compared[0].phase("forward")))
    if last:
        near(last, statistics.fmean(compared[-1].phase("forward")))
    with_backward = [network for network in compared if network.phase("backward")]
    true(bool(with_backward) == bool(backward or ratio))
    ratios = [statistics.fmean(network.phase("backward")) / statistics.fmean(network.phase("forward"))
              for network in with_backward]
    if backward:
        for text, network in zip(both_ends(backward), (compared[0], compared[-1])):
            near(text, statistics.fmean(network.phase("backward")))
        true(all(1.8 < value < 2.2 for value in ratios), "not twice as long")
    if ratio:
        for text, value in zip(both_ends(ratio), (min(ratios), max(ratios))):
            near(text, value)
        true(any(abs(value - 2) > 0.1 for value in ratios), "all are twice as long")


def fraction(text):
    """Returns the fraction that "3.2 %" or "1.4× the mean" stands for."""
    return number(text.split(" ")[0].rstrip("%×")) / (100 if text.endswith("%") else 1)


def spread(run, whose, passes, size, optimizer, optimizer_size, launches):
    """Checks the highest coefficients of variation of forward and backward (`passes`) and of the optimizer."""
    compared = compared_networks(run)
    true((whose == "Passes vary") == bool(compared[0].phase("backward")))
    by_setting = {setting(network.shape): network for network in compared}
    pass_variations = {key: max(variation(samples) for samples in (
        network.phase("forward"), network.phase("backward"),
        network.whole_steps("forward"), network.whole_steps("inference"))) for key, network in by_setting.items()}
    optimizer_variations = {key: variation(network.phase("optimizer")) for key, network in by_setting.items()}
    optimizer_size = optimizer_size or size
    for text, label, variations in ((passes, size, pass_variations), (optimizer, optimizer_size, optimizer_variations)):
        if text:
            highest = max(variations.values())
            # An answer rounds up, because it says "at most".
            true(highest <= fraction(text) + 1e-9 and fraction(text) - highest <= max(0.0011, 0.11 * highest),
                 f"{text} is {highest}")
            true(variations[setting(find_network(run, label).shape)] == highest, f"{label} is not the one")
    true(bool(optimizer) == (max(optimizer_variations.values()) > 0))
    if launches:
        network = find_network(run, optimizer_size)
        costs = launch_costs(profile_of(run, network.longest_mode_cell()), ["optimizer"], network.phase("optimizer"))
        true(costs and costs.bound == "launch-bound", "the CPU does not set the optimizer's time")


def nothing_timed(run):
    true(not compared_networks(run))


class Warmup:
    """Compares means of as many steps of one network with and without warm-up.

    `rises` has the mean without / the mean after warm-up, once with each process's first step. `after_one` is the mean
    after one step / that after warm-up. `deviations` are in ms, from the first step on and from the second.
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
        self.deviations = [statistics.pstdev(window(first)) for first in (0, min(1, self.warmup_steps))]


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


def rises(run, steps, mode, most_rise, most, least_rise, least, extra, fixed):
    """Checks the networks that rise most and least without warm-up. `extra` are ms of first steps beyond a steady one."""
    warmups = comparable_warmups(run)
    true(all(warmup.timed_steps == int(steps) and mode_of(mode) in warmup.network.modes for warmup in warmups))
    highest, lowest = (choose(warmups, key=lambda warmup: max(warmup.rises)) for choose in (max, min))
    true(is_called(highest.network, most) and (not least or is_called(lowest.network, least)))
    true(bool(least) == (len(warmups) > 1))
    for text, warmup in ((most_rise, highest), (least_rise, lowest)):
        for end, value in zip(both_ends(text or most_rise), (min(warmup.rises), max(warmup.rises)) if text else ()):
            near(end, value)
    if extra:
        timed = [(warmup, initialization_ms(run, warmup)) for warmup in warmups]
        known = [(statistics.median(warmup.first_steps_ms) - warmup.steady_ms, warmup, ms)
                 for warmup, ms in timed if ms is not None]
        true(any(warmup is highest for _, warmup, _ in known), "the size that rises most was not profiled")
        for text, value in zip(both_ends(extra), (min(ms for ms, *_ in known), max(ms for ms, *_ in known))):
            near(text, value)
        for extra_ms, warmup, ms in known:
            true(extra_ms / 2 <= ms <= 2 * extra_ms, "the first step is something else")
        true(highest.deviations[1] < highest.deviations[0], "later steps vary as much")
        least_ms, most_ms = map(number, both_ends(extra))
        true(not fixed or (len(known) == len(timed) > 1 and most_ms < 1.5 * least_ms))


def initialization_ms(run, warmup):
    """Returns the time for loading CUDA modules and initializing cuBLAS; None if no first step was profiled."""
    for cell in users_cells(run, "kernels"):
        is_cold = (cell["warmup"], cell["steps"]) == (0, 0)
        if is_cold and setting(cell) == setting(warmup.network.shape) and cell.ok_launch():
            times_ns = [cell.ok_launch().metric("first", name) for name in ("code_loading", "matrix_library")]
            return None if None in times_ns else sum(times_ns) / 1e6
    return None


def steady(run, steps, mode, bound):
    """Checks that all means without warm-up are within `bound` % of those after it."""
    warmups = comparable_warmups(run)
    true(all(warmup.timed_steps == int(steps) and mode_of(mode) in warmup.network.modes for warmup in warmups))
    changes = [abs(rise - 1) for warmup in warmups for rise in warmup.rises]
    true(max(changes) <= number(bound) / 100 + 1e-9
         and max(rise for warmup in warmups for rise in warmup.rises) <= 1.01)


def without_reason(run):
    true(max(max(warmup.rises) for warmup in comparable_warmups(run)) > 1.01)


def one_enough(run, sizes):
    """Checks that means after one step are those after warm-up. `sizes` are networks whose timed steps allocate."""
    true(all(abs(warmup.after_one - 1) <= 0.01 and warmup.warmup_steps > 1 for warmup in comparable_warmups(run)))
    for label in re.findall(r"[^, ]+(?:, (?:FP32|BF16|FP16|TF32|[\d,]+))*(?=, | and |$)", sizes or ""):
        conditions = find_network(run, label).longest_mode_cell().ok_launch().data["conditions"]
        true(any(condition["name"] == "device_allocations" and condition["value"] > 0 for condition in conditions),
             label)


def one_short(run, size):
    worst = max(comparable_warmups(run), key=lambda warmup: abs(warmup.after_one - 1))
    true(is_called(worst.network, size) and abs(worst.after_one - 1) > 0.01)


def nothing_warm(run):
    true(not comparable_warmups(run))


CLAIMS = {
    "benchmarking_script.a": [
        (r"Each size and mode runs in a fresh process: (?P<warmup>\d+) warm-up steps?, then (?P<steps>\d+) timed steps?, on one "
         r"random batch of (?P<batch>\d+) sequences?, by the CPU's monotonic clock(?P<gpu>, with a synchronization after each "
         r"step, because kernels are launched asynchronously)?\. The program is in `src/measure/timing`\. "
         r"To reproduce \*(?P<row>[^*]+)\*: `(?P<command>[^`]+)`\.$", program)],
    "benchmarking_script.b": [
        (r"No size ran to its end, so there is nothing to time\.", nothing_timed),
        (r"The forward pass(?: of (?P<one>.+?))? takes \*\*(?P<first>\S+) ms\*\*(?: \((?P<first_size>[^)]+)\) to \*\*(?P<last>\S+) "
         r"ms\*\* \((?P<last_size>[^)]+)\))?(?:, the backward pass \*\*(?P<backward>[^*]+) ms\*\*, about twice as long, as the FLOP "
         r"count predicts|, the backward pass \*\*(?P<ratio>[^*]+) times\*\* as long, where the FLOP count predicts twice)?\.",
         durations),
        (r"(?P<whose>Passes vary|It varies) by at most \*\*(?P<passes>[^*]+)\*\* \((?P<size>[^)]+)\)(?:, the optimizer by "
         r"\*\*(?P<optimizer>[^*]+)\*\*(?: \((?P<optimizer_size>[^)]+)\))?(?P<launches>, because launches outlast kernels)?)?\.",
         spread)],
    "benchmarking_script.c": [
        (r"No size ran with warm-up steps before its timed ones, so there are no steps to compare\.", nothing_warm),
        (r"Without warm-up, each mean of (?P<steps>\d+) (?P<mode>\S+) steps? stays within \*\*(?P<bound>\S+) %\*\* of that after "
         r"warm-up\.", steady),
        (r"Without warm-up the mean of (?P<steps>\d+) (?P<mode>\S+) steps? is \*\*(?P<most_rise>[^*]+) times\*\* as high for "
         r"(?P<most>.+?)(?: and \*\*(?P<least_rise>[^*]+) times\*\* for (?P<least>.+?))?(?:, because a process's first step takes "
         r"\*\*(?P<extra>[^*]+) ms\*\* longer(?P<fixed> at any size)?, mostly loading CUDA modules and cuBLAS)?\."
         r"(?= |$)", rises),
        (r"This run does not show why\.", without_reason),
        (r"One warm-up step is enough for the mean here(?:, yet timed steps of (?P<sizes>.+?) still called "
         r"`cudaMalloc`)?\.", one_enough),
        (r"One warm-up step is not enough for (?P<size>.+?), whose mean still changes after it\.", one_short)]}
