"""Timing cells as answers speak of them: grouped by network and precision, their steps counted."""
import statistics

from checks import MODES

SETTING = ("size", "context", "batch", "precision", "implementation")


def setting(cell):
    return tuple(cell[name] for name in SETTING)


def users_cells(run, *kinds):
    """The cells of these kinds; in a run that measured two networks, those of the user's."""
    timed = {cell["implementation"] or "" for cell in run.cells if cell["size"]}
    model = max(timed, default="")
    both = len(timed) == 2 and "" in timed
    return [cell for cell in run.of(*kinds) if not both or (cell["implementation"] or "") == model]


class Network:
    """A network at one precision: for each mode the cell with the most steps, and cold steps beside it."""

    def __init__(self, cells):
        self.shape = cells[0]
        self.modes, self.cold = {}, {}
        for cell in cells:
            last = self.modes.get(cell["mode"])
            steps = lambda one: one["warmup"] + one["steps"]
            longer = last is None or steps(cell) > steps(last)
            if longer:
                self.modes[cell["mode"]] = cell
            other = last if longer else cell
            if other and (other["warmup"], other["steps"]) == (0, 1):
                self.cold[cell["mode"]] = other
        self.begins = cells[0]["mode"]
        self.size = self.shape["size"]

    def fullest(self):
        return next((self.modes[mode] for mode in reversed(MODES) if mode in self.modes and self.modes[mode].ok()), None)

    def whole(self, mode):
        cell = self.modes.get(mode)
        return counted(cell, "step", "total") if cell and cell.ok() else []

    def phase(self, name):
        """Milliseconds of a phase in steps that synchronize after each, from the fullest mode that has them."""
        for mode in reversed(MODES):
            cell = self.modes.get(mode)
            samples = cell and cell.ok() and counted(cell, "synced", name)
            if samples:
                return samples
        return self.whole("forward") if name == "forward" else []


def counted(cell, tag, name):
    samples = cell.ok().metric(tag, name) or []
    first = 0 if tag == "synced" else cell["warmup"]
    return [sample / 1e6 for sample in samples[first:first + cell["steps"]]]


def networks(run):
    groups = {}
    for cell in users_cells(run, "timing"):
        groups.setdefault(setting(cell), []).append(cell)
    return [Network(cells) for cells in groups.values()]


def variation(samples):
    return statistics.stdev(samples) / statistics.fmean(samples) if len(samples) > 1 else 0
