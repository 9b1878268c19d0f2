"""The claims about the benchmarking problem, recomputed from the steps' samples."""
import math
import re
import statistics

from checks import LESS_WORK, MODES, NO_ANSWER, PRECISION_WORDS, less_work, near, true
from timing import networks, setting, time_bound, typical, users_cells, variation, without_outlier

CELL_KINDS = {"timing", "kernels"}
ORDINALS = ["first", "second", "third", "fourth", "fifth"]
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


def durations(run, forward, sizes, size, ratio, rate, gemm_growth, rest_growth):
    """Checks mean ms of the smallest and the largest network's forward pass, the largest network's ratio of passes,
    and its reason: the ratio of the GEMMs' rates, beside which the profiled step may have another ratio of other kernels."""
    compared = compared_networks(run)
    for text, label, network in zip(both_ends(forward), both_ends(sizes), (compared[0], compared[-1])):
        near(text, statistics.fmean(network.phase("forward")))
        true(is_called(network, label))
    largest = compared[-1]
    true(is_called(largest, size))
    forward_ms, backward_ms = (typical(largest.phase(phase)) for phase in ("forward", "backward"))
    measured = backward_ms / forward_ms
    near(ratio, measured)
    if not rate and not gemm_growth:
        return
    profile = first_step_profile(run, largest) or max(
        (cell for cell in users_cells(run, "kernels")
         if setting(cell) == setting(largest.shape) and cell["steps"] != 0 and cell.ok_launch()),
        key=lambda cell: MODES.index(cell["mode"])).ok_launch()
    gemm_ms, other_ms = ({phase: sum(row["total_ns"] for row in profile.table("kernels")
                                     if row["phase"] == phase and row["class"].startswith("gemm") == gemm) / 1e6
                          for phase in ("forward", "backward")} for gemm in (True, False))
    growth = gemm_ms["backward"] / gemm_ms["forward"]
    if gemm_growth:
        other_growth = other_ms["backward"] / other_ms["forward"]
        near(gemm_growth, growth)
        true(bool(rest_growth) or abs(growth - measured) <= 0.051, "the rest is left out")
        if rest_growth:
            near(rest_growth, other_growth)
        true(min(growth, other_growth) - 0.051 <= measured <= max(growth, other_growth) + 0.051, "neither is the reason")
        return
    near(rate, 2 / growth)
    true(not largest.shape["implementation"], "unknown FLOPs")
    share = gemm_ms["forward"] / forward_ms
    true(share > 0.499)
    true(abs(measured - share * growth - (1 - share) * 2) <= max(0.051, 0.51 * abs(measured - 2)), "something else")


def spreads(run):
    """Returns coefficients of variation without an outlier: of each pass and whole step as (coefficient of variation,
    network, its words), and of each optimizer as (coefficient of variation, network)."""
    varying, optimizers = [], []
    for network in compared_networks(run):
        times = {"forward pass": network.phase("forward"), "backward pass": network.phase("backward")}
        times |= {MODE_WORDS[mode] + ("" if mode == "train_step" else " step"): network.whole_steps(mode)
                  for mode in network.modes}
        varying += [(variation(without_outlier(samples)), network, words) for words, samples in times.items() if samples]
        if network.phase("optimizer"):
            optimizers.append((variation(without_outlier(network.phase("optimizer"))), network))
    return varying, optimizers


def near_variation(words, value):
    near(words.split(" ")[0], value if "mean" in words else 100 * value)


def spread(run, words, most_size, most_time, why, less, size, optimizer_words, launches):
    """Checks the widest spread of passes and steps and that of optimizers, and that the CPU sets the time of an optimizer
    whose launches outlast its kernels."""
    varying, optimizers = spreads(run)
    most, most_network, time_words = max(varying, key=lambda one: one[0])
    near_variation(words, most)
    true(is_called(most_network, most_size) and most_time == time_words)
    if why == "which the CPU sets":
        phase = "backward" if "backward" in most_time else "forward"
        true(time_bound(run, most_network.longest_mode_cell(), [phase], most_network.phase(phase)) == "launch-bound")
    elif why:
        passes = [statistics.fmean(network.phase(phase)) for network in compared_networks(run)
                  for phase in ("forward", "backward") if network.phase(phase)]
        phase = most_time.removesuffix(" pass")
        true(math.isclose(statistics.fmean(most_network.phase(phase)), min(passes)), "another pass is shorter")
    widest, network = max(optimizers, key=lambda one: one[0], default=(0, None))
    true(bool(less) == (0 < widest <= most) and bool(size) == (widest > most))
    if not size:
        return
    true(is_called(network, size))
    near_variation(optimizer_words, widest)
    if launches:
        true(time_bound(run, network.modes["train_step"], ["optimizer"], network.phase("optimizer")) == "launch-bound")


def unanswered_durations(run):
    true(not compared_networks(run) or all(len(network.phase("forward")) < 2 for network in compared_networks(run)))


class Warmup:
    """Compares means of as many steps of one network with and without warm-up.

    `rise` is the mean without / the mean after warm-up, `after_one` the mean after one step / that after warm-up.
    `deviations` are in ms, after no, one and all warm-up steps, `noise` is the last one or 1 % of the mean.
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
        self.rise = statistics.fmean(window(0)) / warm_ms if warm_ms else 1
        self.after_one = statistics.fmean(window(1)) / warm_ms if warm_ms else 1
        self.deviations = [statistics.stdev(window(first)) if self.timed_steps > 1 else 0
                           for first in (0, 1, self.warmup_steps)]
        self.steps_ms = steps_ms
        self.spread = self.deviations[1] / self.deviations[2] if self.deviations[2] and self.warmup_steps > 1 else 0
        self.noise = max(0.01, self.deviations[2] / warm_ms) if warm_ms else 0.01
        self.settles_late = self.spread >= 3 and self.deviations[1] > 0.01 * statistics.fmean(window(1))
        later_ms = window(self.warmup_steps)
        self.is_judged = len(without_outlier(later_ms)) == len(later_ms) and self.noise <= 0.02

    def slow_step(self):
        """Returns the number of the warm-up step without which steps after one warm-up step deviate less than half as much;
        None if there is none."""
        later = self.steps_ms[1:1 + self.timed_steps]
        slow = later.index(max(later))
        others = later[:slow] + later[slow + 1:]
        makes_it = len(others) > 1 and slow + 1 < self.warmup_steps and 2 * statistics.stdev(others) < self.deviations[1]
        return slow + 2 if makes_it else None


def warmups_of(run, mode):
    """Returns the comparable Warmup of each network in one mode."""
    warmups = [Warmup(network, mode) for network in planned_networks(run) if mode in network.modes]
    return [warmup for warmup in warmups if warmup.comparable]


def comparable_warmups(run):
    """Returns each network's Warmup in forward+backward; if none is comparable, in the first mode that has some."""
    by_mode = {mode: warmups_of(run, mode) for mode in MODES[1:]}
    return by_mode["forward_backward"] or next((warmups for warmups in by_mode.values() if warmups), [])


def mode_of(words):
    """Returns the mode of "forward" or "training", which an answer has before "steps"."""
    return next(mode for mode, mode_words in MODE_WORDS.items() if mode_words in (words, f"{words} step"))


def first_step(run, size, steps, mode, rise, warm, cold, least, most, mostly):
    """Checks the mean that rises most without warm-up, its deviations in ms, that the first step alone raises it, and
    how much longer first steps take: mostly because of loading in profiled first steps."""
    warmups = comparable_warmups(run)
    true(all(warmup.timed_steps == int(steps) and mode_of(mode) in warmup.network.modes for warmup in warmups))
    slowest = max(warmups, key=lambda warmup: warmup.rise)
    true(is_called(slowest.network, size))
    near(rise, slowest.rise)
    near(cold, slowest.deviations[0])
    near(warm, slowest.deviations[2], 2)
    true(slowest.rise > 1.01 and slowest.deviations[1] < slowest.deviations[0] / 2, "later steps vary as much")
    extra_ms = [statistics.median(warmup.first_steps_ms) - warmup.steady_ms for warmup in warmups]
    near(least, min(extra_ms))
    near(most or least, max(extra_ms))
    for warmup, ms in zip(warmups, extra_ms):
        true(not mostly or ms / 2 <= initialization_ms(run, warmup) <= 2 * ms, "the first step is something else")


def second_allocations(network, mode):
    """Returns how often the second step calls cudaMalloc; 0 if it is unknown."""
    cell = network.modes.get(mode)
    launch = cell and cell["device_kind"] == "cuda" and cell.ok_launch()
    return next(iter(((launch and launch.metric("step", "device_allocations")) or [])[1:2]), 0)


def settles(warmup):
    return warmup.spread > 0 and not warmup.settles_late and abs(warmup.after_one - 1) <= 1.001 * warmup.noise


def is_late(run, warmups, mode, size, spread, reason):
    """Checks the network whose deviation after one step exceeds the later one most, and why: in training, the second step
    allocates more than in other modes, and steps without it deviate less than half as much."""
    most = max((warmup for warmup in warmups if warmup.settles_late), key=lambda warmup: warmup.spread)
    true(is_called(most.network, size))
    near(spread, most.spread, 2)
    others = max(second_allocations(network, other) for network in planned_networks(run)
                 for other in MODES if other not in ("inference", "train_step"))
    expected = second_allocations(most.network, mode) if mode == "train_step" else 0
    slow = most.slow_step()
    if reason is None:
        true(slow is None or slow > len(ORDINALS), f"step {slow} is slow")
    elif "allocates" in reason:
        true(slow == 2 and expected > others, "the second step allocates no more")
    else:
        true(reason == f", as the {ORDINALS[slow - 1]} is longer", f"step {slow} is slow")


def are_unjudged(text, warmups, mode):
    """Checks that the text names as uneven in a mode the networks whose later steps have an outlier or deviate by more than
    2 %, and no others."""
    named = re.search(rf"(?:^|'s uneven \S+ and )((?:(?!'s uneven).)+)'s uneven {re.escape(mode)}(?= and |$)", text)
    labels = re.sub(r", (?:\d[\d,]*|[A-Z]+\d+)(?![^, ])", "", named[1]) if named else ""
    expected = [warmup.network.size for warmup in warmups if not warmup.is_judged]
    true((re.split(", | and ", labels) if labels else []) == expected, f"uneven {mode}: {expected}")


def one_suffices(run, mode, training, unjudged, most, growth):
    """Checks that one warm-up step leaves every mean within the noise and no deviation much larger, in training steps, too,
    if they are named, or else that one of them changes or none was timed. The change is the most in all named steps.
    Networks whose later steps are uneven are left out, which the sentence names."""
    named = mode_of(mode)
    true(all(named in warmup.network.modes for warmup in comparable_warmups(run)))
    training_warmups = warmups_of(run, "train_step")
    compared = comparable_warmups(run) + (training_warmups if training else [])
    are_unjudged(unjudged or "", comparable_warmups(run), "training" if named == "train_step" else mode)
    if named != "train_step":
        are_unjudged(unjudged or "", training_warmups if training else [], "training")
    judged = [warmup for warmup in compared if warmup.is_judged]
    true(not any(warmup.settles_late for warmup in comparable_warmups(run) + training_warmups), "steps deviate more")
    for warmup in judged:
        true(settles(warmup), f"{warmup.network.size} changes")
    modes = [named, "train_step"] if training else [named]
    allocations = [second_allocations(warmup.network, each) for warmup in judged for each in modes]
    true((growth is not None) == (max(allocations) > 0), f"second steps allocate {allocations} times")
    if growth and "AdamW" in growth:
        true(max(second_allocations(warmup.network, named) for warmup in judged) == 0, "other second steps allocate, too")
    changes = [100 * (warmup.after_one - 1) for warmup in judged]
    largest = max(changes, key=abs)
    if most is None:
        true(abs(largest) < 0.05, f"{changes}")
    else:
        near(most[1:], abs(largest), 2)
        true((most[0] == "−") == (largest < 0), "of the other sign")
    if named != "train_step":
        steady = [warmup for warmup in training_warmups if warmup.is_judged]
        true(bool(training) == (bool(steady) and all(map(settles, steady))), "training steps")


def still_varies(run, size, mode, spread, reason):
    """Checks the answer's mode, or training steps if no network deviates more in that mode."""
    named = mode_of(mode)
    compared = comparable_warmups(run)
    of_mode = all(named in warmup.network.modes for warmup in compared) and any(warmup.settles_late for warmup in compared)
    true(of_mode or named == "train_step")
    is_late(run, compared if of_mode else warmups_of(run, "train_step"), named, size, spread, reason)


def first_step_profile(run, network):
    """Returns the launch that profiled a process's first step of the network; None without one."""
    return next((cell.ok_launch() for cell in users_cells(run, "kernels")
                 if (cell["warmup"], cell["steps"]) == (0, 0) and setting(cell) == setting(network.shape)), None)


def initialization_ms(run, warmup):
    """Returns the time for loading CUDA modules and initializing cuBLAS in a profiled first step."""
    launch = first_step_profile(run, warmup.network)
    return sum(launch.metric("first", name) for name in ("code_loading", "matrix_library")) / 1e6


def unanswered_warmup(run):
    """Checks that no deviation is much larger after one step, and that not all windows after one step resemble later ones."""
    warmups = comparable_warmups(run)
    true(not any(warmup.settles_late for warmup in warmups))
    judged = [warmup for warmup in warmups if warmup.is_judged]
    true(not judged or any(warmup.spread == 0 or abs(warmup.after_one - 1) > 0.999 * warmup.noise for warmup in judged))


CLAIMS = {
    "benchmarking_script.a": [
        (r"Each size and mode runs in a fresh process: (?P<warmup>\d+) warm-up steps?, then (?P<steps>\d+) timed steps?, on one "
         r"random batch of (?P<batch>\d+) sequences?, by the CPU's monotonic clock\.(?P<gpu> Each step ends with a "
         r"synchronization, because kernels are launched asynchronously\.)? \[The program\]\(program\.cpp\) is "
         r"`src/measure/timing`\. To reproduce \*(?P<row>[^*]+)\*: `(?P<command>[^`]+)`\.$", program)],
    "benchmarking_script.b": [
        (NO_ANSWER, unanswered_durations),
        (r"Forward takes \*\*(?P<forward>[^*]+) ms\*\* \((?P<sizes>[^)]+)\), (?P<size>.+?)'s backward \*\*(?P<ratio>\S+) times\*\* "
         r"as long(?:: twice the FLOPs at (?P<rate>\S+) times the rate|: profiled, GEMMs take "
         r"(?P<gemm_growth>\S+) times as long(?:, the rest (?P<rest_growth>[\d.]+\d))?)?\.", durations),
        (r"Outliers apart, passes and steps vary by up to \*\*(?P<words>[^*]+)\*\* \((?P<most_size>[^()]+)'s "
         r"(?P<most_time>[^(),]+)(?:, (?P<why>which the CPU sets|the shortest))?\)(?:(?P<less>, optimizers by less)|; "
         r"(?P<size>[^;]+?)'s optimizer varies by (?P<optimizer_words>\S+ (?:%|times the mean))(?P<launches>, set by the "
         r"CPU)?)?\.", spread),
        (LESS_WORK, less_work)],
    "benchmarking_script.c": [
        (NO_ANSWER, unanswered_warmup),
        (r"Without warm-up, the first step raises (?P<size>.+?)'s mean of (?P<steps>\d+) (?P<mode>\S+) steps? "
         r"\*\*(?P<rise>[\d.,]+)-fold\*\*, its deviation from (?P<warm>\S+) to \*\*(?P<cold>\S+) ms\*\*\. First steps take "
         r"\*\*(?P<least>\S+)(?: to (?P<most>\S+))? ms\*\* longer(?:(?P<mostly>, mostly loading CUDA modules and "
         r"initializing cuBLAS)|; (?:no profile shows why|they load CUDA modules, too))\.",
         first_step),
        (r"One warm-up step suffices for (?P<mode>[^ ;.:]+)(?P<training> and training)?(?: \(not judged: "
         r"(?P<unjudged>[^()]+)\))?: means differ \*\*(?:less than 0\.1|up to (?P<most>[−+]\S+)) %\*\* from later ones"
         r"(?P<growth>, though (?:the second allocates|AdamW's new state lets the second allocate))?\.", one_suffices),
        (r"One warm-up step is not enough: (?P<size>.+?)'s (?P<mode>\S+) steps then vary \*\*(?P<spread>\S+) times\*\* as much as "
         r"later(?P<reason>, as the \w+ (?:allocates beside AdamW's state|is longer))?\.", still_varies)]}
