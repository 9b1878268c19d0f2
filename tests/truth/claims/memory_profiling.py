"""The claims about the memory problem, recomputed from the peaks, the timelines and the allocations."""
import re

from checks import MODES, PRECISION_WORDS, near, near_bytes, number, true

CELL_KINDS = {"memory"}
STEP_MODES = {"inference forward": "inference", "forward with grad": "forward", "forward+backward": "forward_backward",
              "training step": "train_step"}
CATEGORIES = ["parameters", "gradients", "optimizer", "data", "activations", "weight_copies", "workspace", "temporary",
              "unknown"]


def mode_of(words):
    return STEP_MODES.get(words.removeprefix("the "), words)


def numbers_in(text):
    return [int(number(one)) for one in re.split(", | and ", text)]


class Network:
    """The cells of the network that the answers describe, in their precision and in the one that they compare."""

    def __init__(self, run):
        model = max(cell["implementation"] or "" for cell in run.of("memory"))
        cells = [cell for cell in run.of("memory") if (cell["implementation"] or "") == model]
        precisions = [name for name in PRECISION_WORDS if any(cell["precision"] == name for cell in cells)]
        self.precision = precisions[0]
        self.other_precision = next((name for name in ("bf16", "fp16", "tf32") if name in precisions[1:]), None)
        own_cells = [cell for cell in cells if cell["precision"] == self.precision]
        ran = [cell for cell in own_cells if self.peak_bytes_of(cell) is not None]
        described = max([cell for cell in ran if cell["mode"] == "train_step"] or ran or own_cells,
                        key=lambda cell: cell.parameters())
        self.cells = [cell for cell in cells
                      if all(cell[name] == described[name] for name in ("layers", "d_model", "d_ff", "batch"))]
        self.shape = described
        self.contexts = sorted({cell["context"] for cell in self.cells if cell["precision"] == self.precision})

    @staticmethod
    def peak_bytes_of(cell):
        return cell.ok_launch().metric("memory", "peak_allocated") if cell and cell.ok_launch() else None

    def cell(self, context, mode, precision=None):
        found = [cell for cell in self.cells if (cell["context"], cell["mode"], cell["precision"]) == (
            context, mode, precision or self.precision)]
        return found[0] if found else None

    def peak(self, context, mode, precision=None):
        return self.peak_bytes_of(self.cell(context, mode, precision))

    def launch(self, context, mode, precision=None):
        return self.cell(context, mode, precision).ok_launch()

    def peak_phase(self, context, precision=None):
        launch = self.launch(context, "train_step", precision)
        peaks = {name: launch.metric("peak", name) for name in ("forward", "loss", "backward", "optimizer")}
        peaks = {name: value for name, value in peaks.items() if value is not None}
        highest = max(peaks, key=peaks.get, default=None)
        return highest if highest and peaks[highest] >= self.peak(context, "train_step", precision) else ""

    def full_contexts(self):
        """Returns the contexts that have both an inference and a training step; without any, all contexts."""
        return [context for context in self.contexts
                if self.cell(context, "inference") and self.cell(context, "train_step")] or self.contexts

    def refused(self, context, precision=None, statuses=("oom",)):
        cell = self.cell(context, "train_step", precision)
        return bool(cell and cell.launches and not cell.ok_launch() and cell.launches[-1].data["outcome"]["status"] in statuses)


def total_bytes(row):
    return sum(row.get(name, 0) for name in CATEGORIES)


def timeline(launch):
    return sorted(launch.table("timeline"), key=lambda row: row["event"])


def last_row(rows, phase):
    return next(row for row in reversed(rows) if row["phase"] == phase)


# (a)
def described_cell(run, step, profile, at):
    """Returns the cell that a sentence describes. Later sentences tell only what differs from the one before."""
    network = Network(run)
    if profile:
        true(profile.startswith(network.shape["size"] + " at "))
        described_cell.context = int(number(profile.split(" ")[-1]))
    described_cell.context = int(number(at)) if at else described_cell.context
    described_cell.mode = STEP_MODES[step] if step else described_cell.mode
    return network.cell(described_cell.context, described_cell.mode)


def sawtooth(run, step, profile, at, parameters):
    cell = described_cell(run, step, profile, at)
    rows = timeline(cell.ok_launch())
    near_bytes(parameters, rows[0]["parameters"])
    true(rows[0]["parameters"] >= 0.9 * total_bytes(rows[0]), "on more than parameters")
    most_temporary = max(row["temporary"] for row in rows)
    is_high = [row["temporary"] > most_temporary / 2 for row in rows]
    true(sum(a and not b for a, b in zip(is_high, is_high[1:])) >= cell["layers"], "fewer teeth than blocks")
    peak_row = max(rows, key=total_bytes)
    true(2 * peak_row["temporary"] > total_bytes(peak_row) - total_bytes(rows[0]), "not temporaries")


def climbs(run, step, profile, at, start, state, peak, falls):
    rows = timeline(described_cell(run, step, profile, at).ok_launch())
    peak_row = max(rows, key=total_bytes)
    near_bytes(start, total_bytes(rows[0]))
    near_bytes(peak, total_bytes(peak_row))
    true(bool(state) == (rows[0].get("optimizer", 0) > 0))
    true(2 * peak_row["activations"] > total_bytes(peak_row) - total_bytes(rows[0]), "not activations")
    if falls:
        backward_end = last_row(rows, "backward")
        true(total_bytes(backward_end) < total_bytes(peak_row) and backward_end["gradients"] > peak_row["gradients"])
        true(backward_end["activations"] < peak_row["activations"])


def starts_and_peaks(run, step, profile, at, start, peak, phase):
    rows = timeline(described_cell(run, step, profile, at).ok_launch())
    peak_row = max(rows, key=total_bytes)
    near_bytes(start, total_bytes(rows[0]))
    near_bytes(peak, total_bytes(peak_row))
    true(not phase or peak_row["phase"] in phase)


def stops(run, step, profile, at, peak, reason):
    launch = described_cell(run, step, profile, at).launches[-1]
    near_bytes(peak, max(map(total_bytes, timeline(launch))))
    true((launch.data["outcome"]["status"] == "oom") == (reason == "out of memory"))


def no_curve(run):
    network = Network(run)
    true(not any(launch.table("timeline") for cell in network.cells if cell["precision"] == network.precision
                 for launch in (cell.ok_launch() or (cell.launches or [None])[-1],) if launch))


# (b)
def peaks(run, context, name, step, inference=None, refused=None):
    network, longest = Network(run), int(number(context))
    true(name == network.shape["size"])
    near_bytes(step, network.peak(longest, "train_step"))
    true(all(network.peak(one, "train_step") is None for one in network.contexts if one > longest), "not the longest")
    if inference:
        near_bytes(inference, network.peak(longest, "inference"))
    unfit = [one for one in network.contexts if network.refused(one)]
    if refused and refused.startswith("from"):
        true(len(unfit) > 1 and unfit[0] == int(number(refused.split(" ")[1])) and unfit[0] > longest)
    else:
        true((numbers_in(refused[3:]) if refused else []) == unfit)


def no_step(run, context, name, peak):
    network = Network(run)
    true(name == network.shape["size"])
    near_bytes(peak, network.peak(int(number(context)), "inference"))
    true(all(network.peak(one, "train_step") is None for one in network.contexts))


def phases(run, short, long, phase, activations, gradients, up_to=None, on=None):
    network = Network(run)
    trained = [one for one in network.full_contexts() if network.peak(one, "train_step") is not None]
    first_context = int(number(long)) if long else trained[0]
    optimizer_contexts = [one for one in trained if one < first_context]
    true(all(network.peak_phase(one) == "optimizer" for one in optimizer_contexts))
    true(all(network.peak_phase(one) in phase for one in trained if one >= first_context) and phase)
    if long:
        true(optimizer_contexts[-1] == int(number(short)) and (len(optimizer_contexts) > 1) == (up_to == "Up to"))
        true((trained[-1] > first_context) == bool(on))
    if activations:
        launch = network.launch(first_context, "train_step")
        activation_bytes = launch.metric("category", "activations")
        gradient_bytes = last_row(timeline(launch), "backward")["gradients"]
        near_bytes(activations, activation_bytes)
        near_bytes(gradients, gradient_bytes)
        true(phase == "backward" and activation_bytes > gradient_bytes)


def nothing_ran(run):
    network = Network(run)
    true(all(network.peak(one, mode) is None for one in network.contexts for mode in ("inference", "train_step")))


# (c)
class PrecisionPair:
    def __init__(self, run):
        self.network = Network(run)
        self.step_percents = self.percents("train_step", self.network.contexts)

    def percents(self, mode, contexts):
        """Returns {context: percent by which the peak changes} of the contexts that ran in both precisions."""
        network, percents = self.network, {}
        for context in contexts:
            before, after = network.peak(context, mode), network.peak(context, mode, network.other_precision)
            if before and after is not None:
                percents[context] = 100 * (after / before - 1)
        return percents

    def category_change(self, mode, context, category):
        before, after = (self.network.launch(context, mode, one) for one in (None, self.network.other_precision))
        return after.metric("category", category) - before.metric("category", category)

    def peak_change(self, mode, context):
        return self.network.peak(context, mode, self.network.other_precision) - self.network.peak(context, mode)


def verdict(run, word, precision, changes, saved, added, reasonless):
    pair = PrecisionPair(run)
    true(precision.lower() == pair.network.other_precision)
    contexts = list(pair.step_percents)
    matters = [abs(value) >= 5 for value in pair.step_percents.values()]
    true(word == ("Not much" if not any(matters) else "Yes" if all(matters) else "It depends on the context"))
    told = {int(number(at)): share for share, at in re.findall(r"\*\*(\S+) %\*\* at (?:context )?([\d,]+)", changes)}
    for at, share in told.items():
        near(share, pair.step_percents[at])
    true((list(told)[0], list(told)[-1]) == (contexts[0], contexts[-1]))
    for earlier, later in zip(list(told), list(told)[1:]):
        between = [pair.step_percents[one] for one in contexts if earlier <= one <= later]
        true(between in (sorted(between), sorted(between)[::-1]), "a change between is no step towards the next")
    last = contexts[-1]
    verdict.traded = bool(saved)
    if saved:
        activations_saved = -pair.category_change("train_step", last, "activations")
        copies_added = pair.category_change("train_step", last, "weight_copies")
        near_bytes(saved, activations_saved)
        near_bytes(added, copies_added)
        other_phase = pair.network.peak_phase(last, pair.network.other_precision)
        true(pair.network.peak_phase(last) == other_phase, "two phases compared")
        unexplained_bytes = pair.peak_change("train_step", last) - copies_added + activations_saved
        true(abs(unexplained_bytes) <= 0.101 * activations_saved, "something else changes")
    true(not reasonless or matters[-1] and not saved)


def raised(run, same, step, context, share):
    pair, at, mode = PrecisionPair(run), int(number(context)), mode_of(step)
    near(share, pair.percents(mode, [at])[at])
    true(pair.peak_change(mode, at) > 0)
    true(0.899 * pair.peak_change(mode, at) <= pair.category_change(mode, at, "weight_copies"))
    true((same == "The same copies") == bool(pair.step_percents and verdict.traded))


def changed(run, step, context, share):
    at = int(number(context))
    near(share, PrecisionPair(run).percents(mode_of(step), [at])[at])


def fits(run, contexts, where):
    network = Network(run)
    for one in numbers_in(contexts):
        true(network.refused(one, statuses=("oom", "skipped")))
        if where == "neither precision":
            true(network.refused(one, network.other_precision, ("oom", "skipped")))
        else:
            true(where.split(" ")[0].lower() == network.other_precision and network.peak(one, "train_step", network.other_precision) is not None)


def alone(run, precision):
    network = Network(run)
    true(precision.lower() == network.precision)
    true(not any(cell["precision"] == network.other_precision for cell in network.cells) or not any(
        network.cell(one, mode) and network.cell(one, mode, network.other_precision) for one in network.contexts for mode in MODES))


def none_in_both(run):
    pair = PrecisionPair(run)
    true(not any(pair.percents(mode, pair.network.contexts) for mode in MODES))


# (d)
def measured_residual(network, context):
    launches = [cell.ok_launch() or cell.launches[-1] for mode in MODES if (cell := network.cell(context, mode)) and cell.launches]
    return next((size for launch in launches if (size := launch.metric("residual", "requested")) is not None), None)


def residual(run, context, name, batch, again, width, bytes, mebibytes):
    network = Network(run)
    true(context == again and name == network.shape["size"])
    true(int(number(batch)) == network.shape["batch"] and int(number(width)) == network.shape["d_model"])
    product = 4 * int(number(batch)) * int(number(context)) * int(number(width))
    true(int(number(bytes)) == product)
    near(mebibytes, product / 2**20)
    residual.context, residual.bytes = int(number(context)), product


def differs(run, bytes):
    true(measured_residual(Network(run), residual.context) == int(number(bytes)) != residual.bytes)


# (e)
MEANING_FORMULAS = {"attention scores": "B · h · S²", "FFN activations": "B · S · d_ff", "logits": "B · S · V",
                    "tensors of the residual stream": "B · S · d"}
PLACE_MODULES = {"the softmax": "computing softmax", "QKᵀ, scale and mask": "computing attention scores"}


def product_of(cell, formula):
    """Returns the product of the factors of a formula like "B · S · d · 4"."""
    values = {"B": cell["batch"], "h": cell["heads"], "S": cell["context"], "S²": cell["context"] ** 2, "d": cell["d_model"],
              "d_ff": cell["d_ff"], "V": cell["vocab"]}
    product = 1
    for factor in formula.split(" · "):
        product *= values[factor] if factor in values else int(factor)
    return product


def largest_rows(network, context):
    """Returns (the cell that the answer describes, rows of its largest allocations)."""
    for mode in ("forward", "train_step", "forward_backward", "inference"):
        if network.peak(context, mode) is not None:
            rows = network.launch(context, mode).table("largest")
            if rows:
                most_bytes = max(row["bytes"] for row in rows)
                return network.cell(context, mode), [row for row in rows if row["bytes"] == most_bytes]
    return None, []


def allocations(run, context, bytes, places, layers, each=None, meaning=None, formula=None):
    cell, rows = largest_rows(Network(run), int(number(context)))
    near_bytes(bytes, rows[0]["bytes"])
    count = sum(row["count"] for row in rows)
    if meaning:
        true(formula.startswith(MEANING_FORMULAS[meaning]) and product_of(cell, formula) == rows[0]["bytes"])
        true(bool(each) == (count > 1))
    factor = int(number(layers)) if layers else 1
    true(factor in (1, cell["layers"]))
    claimed = [(int(number(count)), place) for count, place in
            re.findall(r"([\d,]+) in (.+?)(?=, [\d,]+ in | and [\d,]+ in |$)", places)]
    true(sum(claimed_count for claimed_count, _ in claimed) * factor == count, f"{places}: {count}")
    for claimed_count, place in claimed:
        if place in PLACE_MODULES and not cell["implementation"]:
            inside = [row for row in rows if row["module"].endswith(PLACE_MODULES[place])]
            true(sum(row["count"] for row in inside) == claimed_count * factor, f"{place}")


def outgrown(run, contexts, meaning):
    for one in numbers_in(contexts):
        cell, rows = largest_rows(Network(run), one)
        sizes = [4] if cell["precision"] in ("fp32", "tf32") else [4, 2]
        true(rows[0]["bytes"] > sizes[-1] * product_of(cell, "B · h · S²"), "scores are as large")
        true(any(rows[0]["bytes"] == size * product_of(cell, MEANING_FORMULAS[meaning]) for size in sizes))


# (f)
class Block:
    """Measured bytes of one block: those it keeps for backward, and the change over its backward."""
    def __init__(self, run, context):
        network = Network(run)
        mode = "train_step" if network.peak(context, "train_step") is not None else "forward_backward"
        self.cell, self.launch = network.cell(context, mode), network.launch(context, mode)
        self.kept_bytes = self.launch.metric("block", "kept")
        before, after = (self.launch.metric("block", name) for name in ("before_backward", "after_backward"))
        self.change_bytes = after - before

    def formula_bytes(self):
        B, h, S, d, d_ff = (self.cell[name] for name in ("batch", "heads", "context", "d_model", "d_ff"))
        four_byte_elements = self.cell["precision"] in ("fp32", "tf32")
        linear = 40 * d + 20 * d_ff + 8 if four_byte_elements else 34 * d + 10 * d_ff + 8
        return B * S * linear + (8 if four_byte_elements else 6) * B * h * S**2 + 12 * B * h * S + S**2

    def gradient_bytes(self):
        return 4 * (4 * self.cell["d_model"] ** 2 + 3 * self.cell["d_model"] * self.cell["d_ff"] + 2 * self.cell["d_model"])


def no_block(run):
    network = Network(run)
    for one in network.contexts:
        mode = "train_step" if network.peak(one, "train_step") is not None else "forward_backward"
        true(network.peak(one, mode) is None or any(
            network.launch(one, mode).metric("block", name) is None for name in ("kept", "before_backward", "after_backward")))


def block(run, name, first, context, second, later, formula):
    true(name == Network(run).shape["size"])
    block.measured = [Block(run, int(number(one))) for one in (context, later) if one]
    for text, one in zip((first, second), block.measured):
        near_bytes(text, one.kept_bytes)
    agree = all(abs(one.kept_bytes / one.formula_bytes() - 1) <= 0.0101 for one in block.measured)
    true(not formula or agree == ("predicts" in formula))


def tensors(run, first, second):
    """Checks the five largest tensors of each context, and those as large as the fifth."""
    for one, text in zip(block.measured, (first, second)):
        context, names = re.match(r"at ([\d,]+) (.+)", text).groups()
        true(int(number(context)) == one.cell["context"])
        claimed = []
        for alike, share in re.findall(r"(.+?) \(([\d.]+) %(?: each)?\)(?:, )?", names):
            for name in re.split(", | and ", alike):
                claimed += [share] * int({"two": 2}.get(name.split(" ")[0], re.match(r"\d*", name)[0] or 1))
        kept_sizes = sorted((size for row in one.launch.table("block") if row["kind"] == "kept"
                             for size in [row["bytes"] / row["count"]] * row["count"]), reverse=True)
        true(len(claimed) == sum(size >= kept_sizes[4] for size in kept_sizes), names)
        for share, size in zip(claimed, kept_sizes):
            near(share, 100 * size / one.kept_bytes)


def change(run, first, context, second, later, gradients, equal):
    for text, at, one in zip((first, second), (context, later), block.measured):
        true(int(number(at)) == one.cell["context"])
        near_bytes(text, one.change_bytes)
    claimed = gradients.split(" and ")
    true(len(claimed) in (1, len({f"{one.change_bytes + one.kept_bytes:.3g}" for one in block.measured})))
    for text, one in zip(claimed if len(claimed) > 1 else claimed * 2, block.measured):
        near_bytes(text, one.change_bytes + one.kept_bytes)
    agree = all(abs((one.change_bytes + one.kept_bytes) / one.gradient_bytes() - 1) <= 0.0101 for one in block.measured)
    true(not equal or agree == ("equal" in equal))


SIZE = r"[−+]?[\d,.]+ (?:[GMK]i)?B"
STEP = "(?:" + "|".join(map(re.escape, STEP_MODES)) + ")"
SUBJECT = (rf"(?:The (?P<step>{STEP})(?: of (?P<profile>.+? at context [\d,]+))?|"
           rf"At (?:context )?(?P<at>[\d,]+) (?:it|the (?P<step2>{STEP})))")
BYTES = r"\*\*(?P<{}>" + SIZE + r")\*\*"


def with_step(check):
    """Passes the step as one argument, though the pattern has two groups that may name it."""
    return lambda run, step2=None, step=None, **groups: check(run, step=step or step2, **groups)


CLAIMS = {
    "memory_profiling.a": [
        (r"No step was recorded, so there is no curve\.", no_curve),
        (rf"{SUBJECT} is a sawtooth on {BYTES.format('parameters')} of parameters: each block frees its temporaries\.",
         with_step(sawtooth)),
        (rf"{SUBJECT} starts at {BYTES.format('start')}(?P<state> with optimizer state)?(?:,| and) climbs to "
         rf"{BYTES.format('peak')} as activations are saved(?P<falls>, and falls in backward as gradients replace them)?\.",
         with_step(climbs)),
        (rf"{SUBJECT} starts at {BYTES.format('start')} and peaks at {BYTES.format('peak')}(?: in (?P<phase>[\w ]+))?\.",
         with_step(starts_and_peaks)),
        (rf"{SUBJECT} stops at {BYTES.format('peak')}: (?P<reason>.+?)\.(?= [TA]|$)", with_step(stops))],
    "memory_profiling.b": [
        (r"Neither an inference forward nor a training step ran(?: \(.+\))?\.$", nothing_ran),
        (rf"At context (?P<context>[\d,]+) the training step of (?P<name>.+?) peaks at {BYTES.format('step')}"
         rf"(?:, inference at {BYTES.format('inference')})?(?:; (?P<refused>at [\d, and]+|from [\d,]+ on) the step does not fit)?\.", peaks),
        (rf"At context (?P<context>[\d,]+) the inference forward of (?P<name>.+?) peaks at {BYTES.format('peak')}; "
         r"no training step ran\.", no_step),
        (r"(?:(?P<up_to>Up to|At) (?P<short>[\d,]+) the optimizer sets the step's peak, (?:at|from) (?P<long>[\d,]+)(?P<on> on)?|"
         r"The step's peak lies in) (?P<phase>the optimizer|\w+)(?:, where "
         rf"(?P<activations>{SIZE}) of activations outweigh (?P<gradients>{SIZE}) of gradients)?\.", phases)],
    "memory_profiling.c": [
        (r"Only (?P<precision>\w+) was measured, so there is nothing to compare\.", alone),
        (r"No step ran in both precisions; the figure's data say why\.", none_in_both),
        (r"(?P<word>[\w ]+): (?P<precision>\w+) changes the training step's peak by (?P<changes>\*\*\S+ %\*\* at context "
         r"\d[\d,]*\d(?:(?:,| and) \*\*\S+ %\*\* at \d[\d,]*\d)*)(?:, where smaller activations save "
         rf"(?P<saved>{SIZE}) but copies of the weights add (?P<added>{SIZE}))?\."
         r"(?P<reasonless> This run does not show why\.)?", verdict),
        (rf"(?P<same>The same copies|Copies of the weights) raise the peak of (?P<step>inference|the {STEP}) at (?P<context>[\d,]+) by "
         r"\*\*(?P<share>\S+) %\*\*\.", raised),
        (rf"The peak of (?P<step>inference|the {STEP}) at (?P<context>[\d,]+) changes by \*\*(?P<share>\S+) %\*\*\.", changed),
        (r"At (?P<contexts>[\d, and]+) the step fits in (?P<where>neither precision|\w+ alone)\.", fits)],
    "memory_profiling.d": [
        (r"At context (?P<context>[\d,]+) one tensor of (?P<name>.+?) takes (?P<batch>[\d,]+) · (?P<again>[\d,]+) · "
         r"(?P<width>[\d,]+) · 4 = (?P<bytes>[\d,]+) bytes, or \*\*(?P<mebibytes>[\d.,]+) MiB\*\*\.", residual),
        (r"The tensor measured in this run has exactly this size\.",
         lambda run: true(measured_residual(Network(run), residual.context) == residual.bytes)),
        (r"The tensor measured in this run takes (?P<bytes>[\d,]+) bytes\.", differs),
        (r"This run measured none at that context\.",
         lambda run: true(measured_residual(Network(run), residual.context) is None))],
    "memory_profiling.e": [
        (r"No forward pass was recorded\.",
         lambda run: true(not any(largest_rows(Network(run), one)[1] for one in Network(run).contexts))),
        (rf"At context (?P<context>[\d,]+) (?P<meaning>[\w ]+?) are largest, {BYTES.format('bytes')}(?P<each> each)? "
         r"\(`(?P<formula>[^`]+)` bytes\): (?:each of (?P<layers>\d+) layers|the pass) makes (?P<places>.+?)\.(?= At|$)", allocations),
        (rf"At context (?P<context>[\d,]+) the largest allocation takes {BYTES.format('bytes')}: "
         r"(?:each of (?P<layers>\d+) layers|the pass) makes (?P<places>.+?)\.(?= At|$)", allocations),
        (r"At context (?P<contexts>[\d, and]+) (?P<meaning>[\w ]+?) are larger, because scores grow with \$S\^2\$\.", outgrown)],
    "memory_profiling.f": [
        (r"No backward pass was recorded; part \(b\) says what ran\.", no_block),
        (r"Either no backward pass was recorded, or the model has no blocks in a list called layers\.", no_block),
        (rf"For backward one block of (?P<name>.+?) saves {BYTES.format('first')} at context (?P<context>[\d,]+)"
         rf"(?: and {BYTES.format('second')} at (?P<later>[\d,]+))?(?P<formula>, as \(b\)'s formula predicts|, unlike \(b\)'s "
         r"formula)?\.", block),
        (r"Its largest tensors are (?P<first>at [\d,]+ .+?%(?: each)?\))(?:, (?P<second>at [\d,]+ .+?%(?: each)?\)))?\."
         r"(?= Over)", tensors),
        (rf"Over its backward memory changes by {BYTES.format('first')} at (?P<context>[\d,]+)"
         rf"(?: and {BYTES.format('second')} at (?P<later>[\d,]+))?: what was saved is freed, and the difference, "
         r"\*\*(?P<gradients>.+?)\*\*, are gradients(?P<equal>, equal to|, unlike)?(?: \$[^$]+\$ bytes)?\.", change)]}
