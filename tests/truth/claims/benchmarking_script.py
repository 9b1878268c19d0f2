"""The claims about the benchmarking problem, recomputed from the steps' samples."""
import re
import statistics

from checks import MODES, PRECISION_WORDS, near, number, true
from timing import networks, setting, users_cells, variation

CELL_KINDS = {"timing", "kernels"}
WORDS = dict(zip(MODES, ["inference", "forward", "forward+backward", "training step"]))


def planned_networks(run):
    """Returns the networks that this problem planned. It begins with the shortest mode, the mixed-precision problem with
    the longest."""
    every = networks(run)
    return [network for network in every if network.first_mode in MODES[:2]] or every


def is_called(network, words):
    """Tells whether an answer calls the network so: "small", "small, 512", "small, BF16"."""
    size, *details = words.split(", ")
    return network.size == size and all(
        one in (f"{network.shape['context']:,}", PRECISION_WORDS.get(network.shape["precision"])) for one in details)


def find_network(run, words):
    return next(one for one in planned_networks(run) if is_called(one, words))


def ends(text):
    """Returns the ends of "19.3 to 329", or twice the same number."""
    return (text.split(" to ") * 2)[:2]


def program(run, warmup, steps, batch, gpu, row, command):
    size, mode = row.rsplit(", ", 1)
    true((gpu is None) == (run.cells[0]["device"] == "cpu"))
    cell = find_network(run, size).modes[next(one for one, words in WORDS.items() if words == mode)]
    true((cell["warmup"], cell["steps"], cell["batch"]) == tuple(map(int, (warmup, steps, batch))))
    for option, name in {"sizes": "size", "contexts": "context", "precisions": "precision", "modes": "mode",
                         "warmup": "warmup", "steps": "steps"}.items():
        flag = re.search(rf"--{option} (\S+)", command)
        true(flag and flag[1] == str(cell[name]), f"--{option}")
    for network in planned_networks(run):
        for mode, other in network.modes.items():
            if (other["warmup"], other["steps"]) != (0, 1):
                true((other["warmup"], other["steps"]) == (cell["warmup"], cell["steps"]), "others have other steps")


def compared(run):
    forward = [one for one in planned_networks(run) if one.phase("forward")]
    return [one for one in forward if one.phase("backward")] or forward


def durations(run, one, first, first_size, last, last_size, backward, ratio):
    rows = compared(run)
    true(is_called(rows[0], one or first_size) and (one or is_called(rows[-1], last_size)))
    true((len(rows) == 1) == bool(one))
    near(first, statistics.fmean(rows[0].phase("forward")))
    if last:
        near(last, statistics.fmean(rows[-1].phase("forward")))
    timed = [row for row in rows if row.phase("backward")]
    true(bool(timed) == bool(backward or ratio))
    ratios = [statistics.fmean(row.phase("backward")) / statistics.fmean(row.phase("forward")) for row in timed]
    if backward:
        for text, row in zip(ends(backward), (rows[0], rows[-1])):
            near(text, statistics.fmean(row.phase("backward")))
        true(all(1.8 < value < 2.2 for value in ratios), "not twice as long")
    if ratio:
        for text, value in zip(ends(ratio), (min(ratios), max(ratios))):
            near(text, value)
        true(any(abs(value - 2) > 0.1 for value in ratios), "all are twice as long")


def fraction(text):
    """Returns the fraction that "3.2 %" or "1.4× the mean" stands for."""
    return number(text.split(" ")[0].rstrip("%×")) / (100 if text.endswith("%") else 1)


def spread(run, whose, passes, size, optimizer, optimizer_size):
    rows = compared(run)
    true((whose == "Their") == bool(rows[0].phase("backward")))
    of_passes = {setting(row.shape): max(variation(samples) for samples in (
        row.phase("forward"), row.phase("backward"), row.whole_steps("forward"), row.whole_steps("inference"))) for row in rows}
    of_optimizer = {setting(row.shape): variation(row.phase("optimizer")) for row in rows}
    for text, name, values in ((passes, size, of_passes), (optimizer, optimizer_size, of_optimizer)):
        if text:
            most = max(values.values())
            true(most <= fraction(text) + 1e-9 and fraction(text) - most <= max(0.0011, 0.11 * most), f"{text} is {most}")
            true(values[setting(find_network(run, name).shape)] == most, f"{name} is not the one")
    true(bool(optimizer) == (max(of_optimizer.values()) > 0))


def nothing_timed(run):
    true(not compared(run))


class Warmup:
    """The windows of one network's steps. `rises` has the cold mean / the warm one, with each process's first step."""

    def __init__(self, network, mode):
        self.network, cell = network, network.modes[mode]
        launch = cell.ok_launch()
        steps = [one / 1e6 for one in (launch and launch.metric("step", "total")) or []]
        self.count, self.warmup = cell["steps"], cell["warmup"]
        self.comparable = bool(steps) and self.warmup > 0 and len(steps) >= self.warmup + self.count
        if not self.comparable:
            return
        window = lambda first: statistics.fmean(steps[first:first + self.count])
        self.steady_ms = statistics.median(steps[self.warmup:self.warmup + self.count])
        warm = window(self.warmup)
        cold_cells = [network.cold_cells[mode]] if mode in network.cold_cells else []
        self.first_steps_ms = [one.metric("step", "total")[0] / 1e6 for source in (cell, *cold_cells) for one in source.launches
                       if one.data["outcome"]["status"] == "ok" and one.metric("step", "total")]
        self.comparable = self.steady_ms > 0
        self.rises = [(window(0) + (first - steps[0]) / self.count) / warm for first in self.first_steps_ms] if warm else []
        self.after_one = window(1) / warm if warm else 1
        self.deviations = [statistics.pstdev(steps[first:first + self.count]) for first in (0, min(1, self.warmup))]


def warmups(run):
    modes = MODES[1:3] + (MODES[3:] if run.edition == "2026" else [])
    rows = {mode: [row for row in (Warmup(one, mode) for one in planned_networks(run) if mode in one.modes) if row.comparable]
            for mode in modes}
    return rows["forward_backward"] or next((found for found in rows.values() if found), [])


def mode_of(words):
    return next(mode for mode, name in WORDS.items() if name in (words, f"{words} step"))


def rises(run, steps, mode, most_rise, most, least_rise, least, causes, fixed):
    rows = warmups(run)
    true(all(row.count == int(steps) and mode_of(mode) in row.network.modes for row in rows))
    highest, lowest = max(rows, key=lambda row: max(row.rises)), min(rows, key=lambda row: max(row.rises))
    true(is_called(highest.network, most) and (not least or is_called(lowest.network, least)))
    true(bool(least) == (len(rows) > 1))
    for text, row in ((most_rise, highest), (least_rise, lowest)):
        for end, value in zip(ends(text or most_rise), (min(row.rises), max(row.rises)) if text else ()):
            near(end, value)
    if causes:
        times = [(row, initialization_ms(run, row)) for row in rows]
        known = [(row, time) for row, time in times if time is not None]
        true(any(row is highest for row, _ in known), "the size that rises most was not profiled")
        for text, value in zip(ends(causes), (min(time for _, time in known), max(time for _, time in known))):
            near(text, value)
        for row, time in known:
            extra = statistics.median(row.first_steps_ms) - row.steady_ms
            true(extra / 2 <= time <= 2 * extra, "the first step is something else")
        true(highest.deviations[1] < highest.deviations[0], "later steps vary as much")
        true(not fixed or (len(known) == len(times) > 1 and number(ends(causes)[1]) < 1.5 * number(ends(causes)[0])))


def initialization_ms(run, row):
    """Returns the time for loading CUDA modules and initializing cuBLAS; None if no first step was profiled."""
    for cell in users_cells(run, "kernels"):
        if (cell["warmup"], cell["steps"]) == (0, 0) and setting(cell) == setting(row.network.shape) and cell.ok_launch():
            times = [cell.ok_launch().metric("first", name) for name in ("code_loading", "matrix_library")]
            return None if None in times else sum(times) / 1e6
    return None


def steady(run, steps, mode, bound):
    rows = warmups(run)
    true(all(row.count == int(steps) and mode_of(mode) in row.network.modes for row in rows))
    changes = [abs(rise - 1) for row in rows for rise in row.rises]
    true(max(changes) <= number(bound) / 100 + 1e-9 and max(rise for row in rows for rise in row.rises) <= 1.01)


def without_reason(run):
    true(max(max(row.rises) for row in warmups(run)) > 1.01)


def one_enough(run, sizes):
    true(all(abs(row.after_one - 1) <= 0.01 and row.warmup > 1 for row in warmups(run)))
    for words in re.findall(r"[^, ]+(?:, (?:FP32|BF16|FP16|TF32|[\d,]+))*(?=, | and |$)", sizes or ""):
        conditions = find_network(run, words).longest_mode_cell().ok_launch().data["conditions"]
        true(any(one["name"] == "device_allocations" and one["value"] > 0 for one in conditions), words)


def one_short(run, size):
    row = max(warmups(run), key=lambda row: abs(row.after_one - 1))
    true(is_called(row.network, size) and abs(row.after_one - 1) > 0.01)


def nothing_warm(run):
    true(not warmups(run))


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
        (r"(?P<whose>Their|Its) coefficient of variation is at most \*\*(?P<passes>[^*]+)\*\* \((?P<size>[^)]+)\)(?:, the optimizer's "
         r"\*\*(?P<optimizer>[^*]+)\*\* \((?P<optimizer_size>[^)]+)\))?\.", spread)],
    "benchmarking_script.c": [
        (r"No size ran with warm-up steps before its timed ones, so there are no steps to compare\.", nothing_warm),
        (r"Without warm-up, each mean of (?P<steps>\d+) (?P<mode>\S+) steps? stays within \*\*(?P<bound>\S+) %\*\* of that after "
         r"warm-up\.", steady),
        (r"Without warm-up the mean of (?P<steps>\d+) (?P<mode>\S+) steps? is \*\*(?P<most_rise>[^*]+) times\*\* as high for "
         r"(?P<most>.+?)(?: and \*\*(?P<least_rise>[^*]+) times\*\* for (?P<least>.+?))?(?:, because a process's first step also "
         r"loads CUDA modules and initializes cuBLAS, \*\*(?P<causes>[^*]+) ms\*\*(?P<fixed> at any size)?)?\.(?= |$)", rises),
        (r"This run does not show why\.", without_reason),
        (r"One warm-up step is enough for the mean here(?:, yet timed steps of (?P<sizes>.+?) still called "
         r"`cudaMalloc`)?\.", one_enough),
        (r"One warm-up step is not enough for (?P<size>.+?), whose mean still changes after it\.", one_short)]}
