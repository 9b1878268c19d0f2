"""The claims about checkpoints: the arrangements by running them, the peaks from the measured choices."""
import math
import re
import statistics

from checks import near, near_bytes, number, true

CELL_KINDS = {"checkpointing"}


def halves(blocks, inputs_held=0):
    """Runs the answer's sketch; returns (most inputs held at once, block forwards run again)."""
    if blocks == 1:
        return inputs_held + 1, 1
    first_blocks = blocks // 2
    second_half = halves(blocks - first_blocks, inputs_held + 1)
    first_half = halves(first_blocks, inputs_held)
    return max(second_half[0], first_half[0]), first_blocks + second_half[1] + first_half[1]


def prefix_forwards(blocks):
    """Returns the block forwards run again if only the network's input is kept."""
    return sum(range(1, blocks + 1))


class Network:
    def __init__(self, run, described):
        name, context, precision = re.match(r"(.+) at context ([\d,]+) in (\w+)$", described).groups()
        self.cells = sorted(run.of("checkpointing", size=name, context=int(number(context)), precision=precision.lower()),
                            key=lambda cell: cell["checkpoint_group"] or cell["layers"])
        self.shape = self.cells[0]

    def cell(self, choice):
        """Returns the cell that "single blocks", "groups of 2 blocks" or "steps without checkpoints" name."""
        group = 1 if "ingle" in choice else int(number(choice.split(" ")[2])) if "of" in choice else None
        return next(cell for cell in self.cells if cell["checkpoint_group"] == group)

    def ranked(self):
        ran = [cell for cell in self.cells if peak_bytes(cell) is not None and forward_backward_bytes(cell) is not None]
        return sorted(ran, key=lambda cell: (peak_bytes(cell), forward_backward_bytes(cell)))

    def next_to(self, cell, larger):
        """Returns the cell with the next larger or smaller groups. The cell without checkpoints precedes them."""
        groups = [one for one in self.cells if not one["checkpoint_group"]] + [one for one in self.cells if one["checkpoint_group"]]
        position = groups.index(cell) + (1 if larger else -1)
        return groups[position] if 0 <= position < len(groups) else None

    def gradient_bytes(self):
        return 4 * (4 * self.shape["d_model"] ** 2 + 3 * self.shape["d_model"] * self.shape["d_ff"] + 2 * self.shape["d_model"])

    def input_bytes(self):
        return 4 * self.shape["batch"] * self.shape["context"] * self.shape["d_model"]


def described_launch(cell):
    """Returns the launch that the answer describes, which may have run out of memory; None if there is none."""
    return cell.ok_launch() or (cell.launches[-1] if cell.launches else None)


def peak_bytes(cell):
    return described_launch(cell) and described_launch(cell).metric("memory", "peak_allocated")


def forward_backward_bytes(cell):
    peaks = [described_launch(cell) and described_launch(cell).metric("peak", phase) for phase in ("forward", "loss", "backward")]
    return max((peak for peak in peaks if peak is not None), default=None)


# (a)
def lowest(_run):
    true(all(prefix_forwards(2 * blocks) / prefix_forwards(blocks) > 3.8 for blocks in (32, 64, 128)))


def nested(_run):
    for blocks in (8, 16, 32, 64):
        true(halves(2 * blocks)[0] == halves(blocks)[0] + 1)
        true(halves(blocks)[1] == blocks + blocks // 2 * math.log2(blocks))


def nested_example(run, blocks, words, inputs, again, whole):
    count = int(number(blocks))
    true(count == Network(run, words).shape["layers"])
    true(halves(count) == (int(number(inputs)), int(number(again))) and prefix_forwards(count) == int(number(whole)))


# (b)
def best(run, words, groups, lowest, how):
    best.network = network = Network(run, words)
    ranked = network.ranked()
    best.cell = network.cell(groups)
    if how.startswith("by"):
        return true(not ranked and best.cell is min(network.cells, key=lambda cell: cell["checkpoint_group"] or cell["layers"]))
    true(best.cell is ranked[0])
    near_bytes(lowest, peak_bytes(best.cell))
    true((best.cell["mode"] == "train_step") == (how == "in a training step"))


def neighbor(_run, none, groups, blocks, kept, peak, reason):
    """Checks the choice above or below the best: its peak or why it has none, and the residuals that it keeps if it has no
    checkpoints."""
    network = best.network
    cell = network.cell(groups)
    above, below = network.next_to(best.cell, True), network.next_to(best.cell, False)
    true(cell in (above, below))
    true(not none or cell is below and best.cell["checkpoint_group"] == 1, "a group is smaller")
    true((peak_bytes(cell) is None) == bool(reason))
    if peak:
        near_bytes(peak, peak_bytes(cell))
    if reason:
        launch = described_launch(cell)
        true(("out of memory" in reason) == (launch is not None and launch.data["outcome"]["status"] == "oom"))
        true(" in " not in reason or "out of" not in reason or reason.endswith(launch.data["outcome"]["phase"]))
    if blocks:
        true(not cell["checkpoint_group"] and int(number(blocks)) == cell["layers"])
        near_bytes(kept, cell["layers"] * recomputed_block_bytes())


def recomputed_block_bytes():
    first = best.network.cells[0]
    return described_launch(first).metric("checkpoints", "recomputed") / first["checkpoint_group"]


def why(_run, residuals, gradients):
    """Checks what groups of two add and save. Backward starts with every group's input; it ends with one input and the
    gradients of the other groups."""
    network, layers = best.network, best.network.shape["layers"]
    two = network.next_to(best.cell, True)
    true((best.cell["checkpoint_group"], two["checkpoint_group"]) == (1, 2))
    added = recomputed_block_bytes()
    near_bytes(residuals, added)
    near_bytes(gradients, network.gradient_bytes())
    for group in (1, 2):
        start = -(-layers // group) * network.input_bytes()
        true((layers - group) * network.gradient_bytes() + network.input_bytes() > start, "the peak is not at the end")
    less = network.gradient_bytes()
    true(less < added and abs((added - less) / (peak_bytes(two) - peak_bytes(best.cell)) - 1) <= 0.0201, "not the reason")


def recomputed_shares(network):
    """Returns recomputation in % of the step without it, for each measured group."""
    shares = []
    for cell in network.cells:
        launch, first = described_launch(cell), cell["warmup"] or 0
        recompute_ns = launch.metric("step", "recompute") if launch else None
        if recompute_ns:
            steps_ns = statistics.fmean(launch.metric("step", "total")[first:first + cell["steps"]])
            shares.append(100 * recompute_ns / (steps_ns - recompute_ns))
    return shares


def recomputed(_run, least, most, share):
    timed = {cell["checkpoint_group"]: described_launch(cell).metric("step", "recompute") for cell in best.network.cells
             if described_launch(cell)}
    times_ms = {group: ns / 1e6 for group, ns in timed.items() if ns}
    own_launch, warmup, steps = described_launch(best.cell), best.cell["warmup"], best.cell["steps"]
    own_ms = own_launch.metric("step", "recompute") / 1e6
    forward_ms = statistics.fmean(own_launch.metric("event", "forward")[warmup:warmup + steps]) / 1e6
    near(least, min(times_ms.values()))
    near(most or least, max(times_ms.values()))
    near(share, max(recomputed_shares(best.network)))
    true(len(times_ms) > 1 and all(abs(one / own_ms - 1) <= 0.0201 for one in times_ms.values()), "it depends on the group")
    true(abs(own_ms / forward_ms - 1) <= 0.0201, "not one forward pass")


SIZE = r"[\d,.]+ (?:[GMK]i)?B"
NETWORK = r"(?P<words>.+? at context [\d,]+ in \w+)"
GROUPS = r"(?P<groups>[Ss]ingle blocks|[Gg]roups of \d+ blocks|[Ss]teps without checkpoints)"
END = rf"(?:peak at \*\*(?P<peak>{SIZE})\*\*|(?P<reason>run out of memory(?: in \w+)?|have no peak(?:: .+?)?))"


def recomputation(_run, share):
    """Checks what recomputation adds to the step without it, and that it is one forward pass."""
    launch, warmup, steps = described_launch(best.cell), best.cell["warmup"], best.cell["steps"]
    again_ms = launch.metric("step", "recompute") / 1e6
    step_ms, forward_ms = (statistics.fmean(launch.metric(*name)[warmup:warmup + steps]) / 1e6
                           for name in (("step", "total"), ("event", "forward")))
    near(share, 100 * again_ms / (step_ms - again_ms))
    true(abs(again_ms / forward_ms - 1) <= 0.0201, "not one forward pass")


NEIGHBOR = (rf"(?P<none>No group is smaller\. )?{GROUPS} (?:keep all (?P<blocks>\d+) blocks?' residuals, (?P<kept>{SIZE}), and )?"
            rf"{END}\.(?=\s+[A-Z]|\s*$)")

CLAIMS = {
    "overview": [
        (rf"- \*\*Of all sizes of checkpointed groups, {GROUPS} give {NETWORK} the lowest peak, (?P<lowest>{SIZE}) (?P<how>in a training step|in forward "
         r"and backward)\.\*\*", best),
        (r"Recomputation adds (?P<share>\S+) % to the step, because every block runs forward once more\.", recomputation)],
    "gradient_checkpointing.a": [
        (r"The lowest peak keeps nothing but the network's input: .+? \*\*O\(\$N\^2\$\)\*\* block forwards\.", lowest),
        (r"Nesting by halves, .+?\*\*O\(log \$N\$\)\*\* memory and \*\*O\(\$N\$ log \$N\$\)\*\* compute\.", nested),
        (rf"For the (?P<blocks>\d+) blocks of {NETWORK}, halves hold (?P<inputs>[\d,]+) inputs? and run "
         r"(?P<again>[\d,]+) block forwards again, the prefixes (?P<whole>[\d,]+)\.", nested_example),
        (r"```.+?```", nested)],
    "gradient_checkpointing.b": [
        (rf"For {NETWORK} \*\*{GROUPS}\*\* peak lowest, at \*\*(?P<lowest>{SIZE})\*\* (?P<how>in a training step|in forward and "
         r"backward|by the formula, as no choice has a peak)\.", best),
        (NEIGHBOR, neighbor),
        (rf"Backward peaks in its last group\. A second block there adds (?P<residuals>{SIZE}) of residuals and saves only "
         rf"(?P<gradients>{SIZE}) of gradients\.", why),
        (r"Recomputation takes \*\*(?P<least>\S+)(?: to (?P<most>\S+))? ms\*\*, at most \*\*(?P<share>\S+) %\*\* of the step without it, as every block runs forward again\.", recomputed)]}


def lowest_peak(run, groups, lowest, words):
    cell = run.of("checkpointing")[0]
    network = words or f"{cell['size']} at context {cell['context']} in {cell['precision']}"
    best(run, network, groups, lowest, "in a training step" if cell["mode"] == "train_step" else "in forward and backward")


TITLES = [(rf"\*\*Figure \d+[a-z]?\. {GROUPS} peak lowest, at (?P<lowest>{SIZE})(?:, {NETWORK})?\*\*", lowest_peak)]
