"""Groups timing cells by network and precision, and selects the steps that answers rest on."""
import math
import statistics

from checks import MODES, near, true

SETTING = ("size", "context", "batch", "precision", "implementation")


def setting(cell):
    return tuple(cell[name] for name in SETTING)


def users_cells(run, *kinds):
    """Returns the cells of these kinds. In a run of two networks, these are the cells of the user's model."""
    models = {cell["implementation"] or "" for cell in run.cells if cell["size"]}
    model = max(models, default="")
    both = len(models) == 2 and "" in models
    return [cell for cell in run.of(*kinds) if not both or (cell["implementation"] or "") == model]


class Network:
    """A network in one precision. `modes` has each mode's cell with the most steps; `cold_cells` has cells of a single
    cold step."""

    def __init__(self, cells):
        self.shape = cells[0]
        self.modes, self.cold_cells = {}, {}
        for cell in cells:
            known = self.modes.get(cell["mode"])
            steps = lambda timed: timed["warmup"] + timed["steps"]
            longer = known is None or steps(cell) > steps(known)
            if longer:
                self.modes[cell["mode"]] = cell
            other = known if longer else cell
            if other and (other["warmup"], other["steps"]) == (0, 1):
                self.cold_cells[cell["mode"]] = other
        self.first_mode = cells[0]["mode"]
        self.size = self.shape["size"]

    def longest_mode_cell(self):
        """Returns the cell of the longest mode that ran; None if none did."""
        return next((self.modes[mode] for mode in reversed(MODES) if mode in self.modes and self.modes[mode].ok_launch()), None)

    def whole_steps(self, mode):
        """Returns milliseconds of whole steps; empty if the mode did not run."""
        cell = self.modes.get(mode)
        return ms_after_warmup(cell, "step", "total") if cell and cell.ok_launch() else []

    def phase(self, name):
        """Returns milliseconds of a phase in steps that synchronize after each phase, of the longest mode that has them."""
        for mode in reversed(MODES):
            cell = self.modes.get(mode)
            samples = cell and cell.ok_launch() and ms_after_warmup(cell, "synced", name)
            if samples:
                return samples
        return self.whole_steps("forward") if name == "forward" else []


def ms_after_warmup(cell, tag, name):
    """Returns the milliseconds of a metric in the steps after the warm-up."""
    samples = cell.ok_launch().metric(tag, name) or []
    first = 0 if tag == "synced" else cell["warmup"]
    return [sample / 1e6 for sample in samples[first:first + cell["steps"]]]


def networks(run):
    groups = {}
    for cell in users_cells(run, "timing"):
        groups.setdefault(setting(cell), []).append(cell)
    return [Network(cells) for cells in groups.values()]


def without_outlier(samples):
    """Returns the samples without the longest one, if that is an outlier."""
    if len(samples) < 4:
        return samples
    median, longest = statistics.median(samples), max(samples)
    usual = statistics.median(abs(sample - median) for sample in samples)
    if longest - median <= 7 * usual or longest <= 1.05 * median:
        return samples
    return [sample for i, sample in enumerate(samples) if i != samples.index(longest)]


def typical(samples):
    """Returns the time of a step that comparisons use: the mean without an outlier."""
    return statistics.fmean(without_outlier(samples))


def variation(samples):
    """Returns the coefficient of variation."""
    return statistics.stdev(samples) / statistics.fmean(samples) if len(samples) > 1 else 0


def ratio_of(a, b):
    """Returns the ratio of two times and its standard deviation."""
    ratio = typical(a) / typical(b)
    return ratio, ratio * math.hypot(*(variation(without_outlier(samples)) for samples in (a, b)))


def is_clear(a, b):
    """Returns whether the ratio of two times differs from 1 by more than its standard deviation."""
    ratio, deviation = ratio_of(a, b)
    return abs(ratio - 1) > deviation


def near_ratio(text, ratio, deviation, digits=3):
    """Checks a ratio in a sentence, which has the deviation beside it if that is more than the ratio's difference from 1 or
    than a tenth of the ratio."""
    value, _, spread = text.partition(" ± ")
    near(value, ratio, digits)
    true(bool(spread) == (abs(ratio - 1) <= deviation or deviation > 0.1 * ratio), f"the deviation of {text} is {deviation}")
    if spread:
        near(spread, deviation, 2)


# A time is launch-bound if kernels fill less of it than the first, and GPU-bound if they fill the second or more.
LAUNCH_BOUND_BELOW, GPU_BOUND_FROM = 0.8, 0.9
WAITS_BELOW = 0.05  # A time without a profile is launch-bound if the GPU lags behind the CPU by less.
PHASES = {"inference": ["forward"], "forward": ["forward"], "forward_backward": ["forward", "loss", "backward"],
          "train_step": ["forward", "loss", "backward", "optimizer"]}


def profile_of(run, cell):
    """Returns the launch that profiled the cell's step, or a longer step if both have gradients; None without one."""
    return next((one.ok_launch() for one in users_cells(run, "kernels")
                 if setting(one) == setting(cell) and one["steps"] != 0 and one.ok_launch()
                 and MODES.index(one["mode"]) >= MODES.index(cell["mode"])
                 and (one["mode"] == "inference") == (cell["mode"] == "inference")), None)


class LaunchCosts:
    """What launches cost that run kernels for `kernels_ms` of a time of `time_ms`, a median without the profiler."""

    def __init__(self, launches, kernels_ms, time_ms):
        self.launches, self.kernels_ms, self.time_ms = launches, kernels_ms, time_ms
        self.kernel_us = 1e3 * kernels_ms / launches
        share = min(1, kernels_ms / time_ms)
        self.bound = ("launch-bound" if share < LAUNCH_BOUND_BELOW else "mixed" if share < GPU_BOUND_FROM
                      else "GPU-bound")
        # Each cost has a meaning only if its processor sets the time.
        self.gpu_idle_us = (1e3 * (time_ms - kernels_ms) / launches
                            if self.bound == "GPU-bound" and kernels_ms <= time_ms else None)
        self.cpu_us = 1e3 * time_ms / launches if self.bound == "launch-bound" else None


def launch_costs(profile, phases, times_ms):
    """Returns what the launches of these phases cost; None if the profile lacks one of the phases."""
    kernels = profile.table("kernels") if profile else []
    launches = [sum(row["instances"] or 0 for row in kernels if row["phase"] == phase) for phase in phases]
    busy_ns = [profile and profile.metric("busy", phase) for phase in phases]
    if min(launches) < 1 or None in busy_ns:
        return None
    return LaunchCosts(sum(launches), sum(busy_ns) / 1e6, statistics.median(times_ms))


def lag_shares(cell, phases):
    """Returns the GPU's median lag behind the CPU in each phase but the loss, as a share of the phase."""
    done_ms, shares = [0.0] * cell["steps"], []
    for phase in PHASES["train_step"]:
        gpu_ms, enqueued_ms = ms_after_warmup(cell, "event", phase), ms_after_warmup(cell, "enqueue", phase)
        if not gpu_ms or len(gpu_ms) != len(enqueued_ms):
            continue
        done_ms = [done + ms for done, ms in zip(done_ms, gpu_ms)]
        lags = [(done - enqueued) / ms for done, enqueued, ms in zip(done_ms, enqueued_ms, gpu_ms) if ms > 0]
        if phase in phases and phase != "loss" and lags:
            shares.append(statistics.median(lags))
    return shares


def joint_bound(bounds):
    """Returns the bound that all have, or "mixed"; None if there are none."""
    known = {bound for bound in bounds if bound}
    return known.pop() if len(known) == 1 else "mixed" if known else None


def time_bound(run, cell, phases, times_ms):
    """Returns "launch-bound", "mixed" or "GPU-bound" for the median of `times_ms`; None if that is unknown.

    A phase's kernels take no longer than the phase in whole steps, behind a full launch queue."""
    if not times_ms or statistics.median(times_ms) <= 0 or cell["device_kind"] == "cpu":
        return None
    costs = launch_costs(profile_of(run, cell), phases, times_ms)
    if costs:
        return costs.bound
    queued_ms = ms_after_warmup(cell, "event", phases[0]) if len(phases) == 1 else []
    if queued_ms and statistics.median(queued_ms) < LAUNCH_BOUND_BELOW * statistics.median(times_ms):
        return "launch-bound"
    return joint_bound("launch-bound" if lag < WAITS_BELOW else "GPU-bound" for lag in lag_shares(cell, phases))


def network_bound(run, network):
    """Returns the bound of a network's forward pass, backward pass and whole step together."""
    cell = network.longest_mode_cell()
    return cell and joint_bound([
        *(time_bound(run, cell, [phase], network.phase(phase)) for phase in ("forward", "backward")),
        time_bound(run, cell, PHASES[cell["mode"]], network.whole_steps(cell["mode"]))])


def is_profiled(run, network):
    """Returns whether a profile of the very step tells what sets the network's times."""
    cell = network.longest_mode_cell()
    return bool(cell and launch_costs(profile_of(run, cell), PHASES[cell["mode"]], network.whole_steps(cell["mode"])))
