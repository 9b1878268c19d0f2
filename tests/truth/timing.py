"""Groups timing cells by network and precision, and selects the steps that answers rest on."""
import statistics

from checks import MODES

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


def variation(samples):
    """Returns the coefficient of variation."""
    return statistics.stdev(samples) / statistics.fmean(samples) if len(samples) > 1 else 0
