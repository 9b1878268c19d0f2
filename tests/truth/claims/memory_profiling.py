"""The claims about the memory problem, recomputed from the peaks, the timelines and the allocations."""
import re

from checks import MODES, PRECISION_WORDS, bytes_in, near, near_bytes, number, true

CELL_KINDS = {"memory"}
STEP_MODES = {"inference forward": "inference", "forward with grad": "forward", "forward+backward": "forward_backward",
              "training step": "train_step"}
CATEGORIES = ["parameters", "gradients", "optimizer", "data", "activations", "weight_copies", "workspace", "temporary",
              "unknown"]
CATEGORY_WORDS = {"optimizer state": "optimizer", "inputs": "data"}


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

    def refused(self, context, mode="train_step", statuses=("oom",), precision=None):
        cell = self.cell(context, mode, precision)
        return bool(cell and cell.launches and not cell.ok_launch() and cell.launches[-1].data["outcome"]["status"] in statuses)


def total_bytes(row):
    return sum(row.get(name, 0) for name in CATEGORIES)


def timeline(launch):
    return sorted(launch.table("timeline"), key=lambda row: row["event"])


def last_row(rows, phase):
    return next(row for row in reversed(rows) if row["phase"] == phase)


# (a)
def starts_and_peaks(run, step, profile, at, start, peak, end, refused):
    """Checks one step. A later sentence tells only what differs from the one before."""
    network = Network(run)
    if profile:
        true(profile.startswith(network.shape["size"] + " at "))
        starts_and_peaks.context = int(number(profile.split(" ")[-1]))
        starts_and_peaks.timelines = {}
    starts_and_peaks.context = int(number(at)) if at else starts_and_peaks.context
    mode = STEP_MODES[step]
    cell = network.cell(starts_and_peaks.context, mode)
    launch = cell.ok_launch() or cell.launches[-1]
    rows = timeline(launch)
    near_bytes(start, rows[0]["allocated"])
    peak_row = max(rows, key=total_bytes)
    measured_peak = launch.metric("memory", "peak_allocated")
    near_bytes(peak, peak_row["allocated"] if measured_peak is None else measured_peak)
    true(not refused or network.refused(int(number(refused)), mode))
    true((end == " when memory runs out") == (cell.ok_launch() is None))
    true(not (end or "").startswith(" in") or peak_row["phase"] in end)
    starts_and_peaks.timelines[mode] = (cell, rows)


def stages(_run):
    cell, rows = starts_and_peaks.timelines["inference"]
    true(rows[0]["parameters"] >= 0.9 * total_bytes(rows[0]), "on more than parameters")
    most_temporary = max(row["temporary"] for row in rows)
    is_high = [row["temporary"] > most_temporary / 2 for row in rows]
    true(sum(a and not b for a, b in zip(is_high, is_high[1:])) >= cell["layers"], "fewer teeth than blocks")
    peak_row = max(rows, key=total_bytes)
    true(2 * peak_row["temporary"] > total_bytes(peak_row) - total_bytes(rows[0]), "not temporaries")
    _, rows = starts_and_peaks.timelines["train_step"]
    peak_row, backward_end = max(rows, key=total_bytes), last_row(rows, "backward")
    true(rows[0]["optimizer"] > 0, "no moments")
    true(2 * peak_row["activations"] > total_bytes(peak_row) - total_bytes(rows[0]), "not activations")
    true(total_bytes(backward_end) < total_bytes(peak_row) and backward_end["gradients"] > peak_row["gradients"])
    true(backward_end["activations"] < peak_row["activations"])
    true(total_bytes(last_row(rows, "optimizer")) <= 1.0101 * total_bytes(backward_end), "the optimizer keeps more")


def no_curve(run):
    network = Network(run)
    true(not any(launch.table("timeline") for cell in network.cells if cell["precision"] == network.precision
                 for launch in (cell.ok_launch() or (cell.launches or [None])[-1],) if launch))


# (b)
def peak(run, context, longest, step, name, size, first, first_bytes, second, second_bytes):
    """Checks one step. A later sentence tells only what differs from the one before."""
    network, mode = Network(run), STEP_MODES[step]
    true(not name or name == network.shape["size"])
    at = peak.context = int(number(context)) if context else peak.context
    near_bytes(size, network.peak(at, mode))
    longer = [one for one in network.contexts if one > at]
    true(all(network.peak(one, mode) is None for one in longer), "not the longest")
    true(bool(longest) == any(network.refused(one, mode=mode) for one in longer))
    if first:
        held = {name: network.launch(at, mode).metric("category", name) or 0 for name in CATEGORIES}
        for words, text in ((first, first_bytes), (second, second_bytes)):
            near_bytes(text, held.pop(CATEGORY_WORDS.get(words, words.replace(" ", "_"))))
        true(max(held.values()) <= 1.01 * bytes_in(second_bytes), "another category is larger")
        true(bytes_in(first_bytes) + bytes_in(second_bytes) >= 0.49 * network.peak(at, mode))


def formula_bytes(shape, context):
    """Returns (bytes at the last softmax's backward, bytes in the optimizer) of a training step in FP32."""
    B, S = shape["batch"], context
    h, d, d_ff, V, L = (shape[name] for name in ("heads", "d_model", "d_ff", "vocab", "layers"))
    parameters = 4 * (2 * V * d + L * (4 * d * d + 3 * d * d_ff + 2 * d) + d)
    block = B * S * (40 * d + 20 * d_ff + 8) + 8 * B * h * S**2 + 12 * B * h * S + S**2
    after_softmax = 4 * B * h * S**2 + B * S * (20 * d + 20 * d_ff + 4)
    gradients = 4 * (d * d + 3 * d * d_ff + V * d + 2 * d)
    backward = gradients + L * block - after_softmax + 4 * B * S * V + 20 * B * h * S**2 + 8 * B * S * d
    return 3 * parameters + backward, 4 * parameters + 4 * B * S * V + 16 * d * max(d, d_ff, V)


def moves(run, tokens):
    """Checks that the formulas' peaks, and the measured ones, move at this context from the optimizer to backward."""
    network, at = Network(run), int(number(tokens))
    for context, in_backward in ((at - 1, False), (at, True)):
        backward_bytes, optimizer_bytes = formula_bytes(network.shape, context)
        true((backward_bytes >= optimizer_bytes) == in_backward, f"at {context}")
    trained = [one for one in network.full_contexts() if network.peak(one, "train_step") is not None]
    true(trained[0] < at <= trained[-1])
    for one in trained:
        true(network.peak_phase(one) == ("backward" if one >= at else "optimizer"))


def nothing_ran(run):
    network = Network(run)
    true(all(network.peak(one, mode) is None for one in network.contexts for mode in ("inference", "train_step")))


# (c)
class PrecisionPair:
    def __init__(self, run):
        self.network = Network(run)
        self.step_percents = self.percents("train_step", self.network.contexts) if self.network.other_precision else {}

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


def verdict(run, word, precision, changes):
    pair = PrecisionPair(run)
    true(precision.lower() == pair.network.other_precision)
    matters = [abs(value) >= 5 for value in pair.step_percents.values()]
    true(word == ("Not much" if not any(matters) else "Yes" if all(matters) else "At some contexts"))
    told = {int(number(at)): share for share, at in re.findall(r"\*\*(\S+) %\*\* at ([\d,]*\d)", changes)}
    true(list(told) == list(pair.step_percents), "not every context")
    for at, share in told.items():
        near(share, pair.step_percents[at])


def copies(run, added, rise, longest, unfit):
    """Checks the longest context of the sentence before, and the longest one at which inference ran in both precisions."""
    pair = PrecisionPair(run)
    network, at = pair.network, list(pair.step_percents)[-1]
    activations_saved = -pair.category_change("train_step", at, "activations")
    copies_added = pair.category_change("train_step", at, "weight_copies")
    true(0 < copies_added < activations_saved)
    true(network.peak_phase(at) == network.peak_phase(at, network.other_precision), "two phases compared")
    unexplained_bytes = pair.peak_change("train_step", at) - copies_added + activations_saved
    true(abs(unexplained_bytes) <= 0.101 * activations_saved, "something else changes")
    copies.pair = pair
    inference_percents = pair.percents("inference", network.contexts)
    inference_at = int(number(longest)) if longest else at
    true(inference_at == list(inference_percents)[-1], "inference ran at a longer context")
    near(rise, inference_percents[inference_at])
    near_bytes(added, pair.category_change("inference", inference_at, "weight_copies"))
    inference_change = pair.peak_change("inference", inference_at)
    true(0 < 0.899 * inference_change <= pair.category_change("inference", inference_at, "weight_copies"))
    refused = [network.refused(inference_at, "train_step", precision=one) for one in (network.precision, network.other_precision)]
    true(bool(unfit) == all(refused), f"the steps at {inference_at}: {refused}")


def shorter(_run, outweighed, in_optimizer):
    """Checks all contexts but those whose peak falls outside of the optimizer. Without copies the others' would fall, too."""
    pair, kinds = copies.pair, {"copies": [], "optimizer": []}
    network, other = pair.network, pair.network.other_precision
    for at, percent in pair.step_percents.items():
        if network.peak_phase(at) == network.peak_phase(at, other) == "optimizer":
            kinds["optimizer"].append(at)
        elif percent > 0:
            true((network.peak_phase(at), network.peak_phase(at, other)) == ("optimizer", "backward"), "the peak stays")
            added = pair.category_change("train_step", at, "weight_copies")
            true(pair.peak_change("train_step", at) < added, "the peak rises without copies")
            kinds["copies"].append(at)
    true(kinds == {"copies": numbers_in(outweighed), "optimizer": numbers_in(in_optimizer)})


def nothing_to_compare(run):
    true(not PrecisionPair(run).step_percents)


# (d)
def measured_residual(network, context):
    launches = [cell.ok_launch() or cell.launches[-1] for mode in MODES if (cell := network.cell(context, mode)) and cell.launches]
    return next((size for launch in launches if (size := launch.metric("residual", "requested")) is not None), None)


def residual(run, context, name, batch, again, width, bytes, size):
    network = Network(run)
    true(context == again and name == network.shape["size"])
    true(int(number(batch)) == network.shape["batch"] and int(number(width)) == network.shape["d_model"])
    product = 4 * int(number(batch)) * int(number(context)) * int(number(width))
    true(int(number(bytes)) == product)
    near_bytes(size, product)
    residual.context, residual.bytes = int(number(context)), product


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


def allocations(run, context, no_grad, kind, bytes, places, layers, passes, kept):
    """Checks the largest size, or the next one if the largest is that of one tensor."""
    if context:
        network = Network(run)
        recorded = [one for one in network.contexts if largest_rows(network, one)[1]]
        asked = [one for one in recorded if one in network.full_contexts()] or recorded
        true(int(number(context)) == asked[-1], "another context is asked for")
        cell, rows = largest_rows(network, asked[-1])
        true(bool(no_grad) == (cell["mode"] == "inference"))
        with_grad = [found for found in (largest_rows(network, one) for one in recorded) if found[0]["mode"] != "inference"]
        allocations.drawn = (cell, rows) if not no_grad or not with_grad else with_grad[-1]
        allocations.cell, allocations.rows = cell, rows
    else:
        cell = allocations.cell
        true(sum(row["count"] for row in allocations.rows) == 1)
        smaller = [row for row in cell.ok_launch().table("largest") if row["bytes"] < allocations.rows[0]["bytes"]]
        rows = [row for row in smaller if row["bytes"] == max(one["bytes"] for one in smaller)]
    near_bytes(bytes, rows[0]["bytes"])
    true(not passes or int(passes) == cell.ok_launch().metric("occurrences", "forward"))
    widths = [4] if cell["precision"] in ("fp32", "tf32") else [4, 2]
    true(kind == "tensors" or rows[0]["bytes"] in [width * product_of(cell, MEANING_FORMULAS[kind]) for width in widths])
    count = sum(row["count"] for row in rows)
    factor = int(number(layers)) if layers else 1
    true(factor in (1, cell["layers"]))
    claimed = [(int(number(count)), place) for count, place in
            re.findall(r"([\d,]+) in (.+?)(?=, [\d,]+ in | and [\d,]+ in |$)", places)]
    true(sum(claimed_count for claimed_count, _ in claimed) * factor == count, f"{places}: {count}")
    for claimed_count, place in claimed:
        place, _, operations = place.replace("\\", "").rstrip(")").partition(" (")
        made = {row["operator"].split("::")[-1] for row in rows} | {row["operation"].split("::")[-1] for row in rows}
        true(not operations or set(re.split(", | and ", operations)) <= made, f"{operations}: {made}")
        if place in PLACE_MODULES and not cell["implementation"]:
            inside = [row for row in rows if row["module"].endswith(PLACE_MODULES[place])]
            true(sum(row["count"] for row in inside) == claimed_count * factor, f"{place}")
    saved = [row["operator"].split("::")[-1] for row in rows if row["category"] == "activations"
             and row["freed"] not in ("in the same module", "forward")]
    for name in re.findall(r"(\S+)’s", (kept or "").replace("\\", "")):
        true(name in saved or any(row["module"].endswith(name) for row in rows), f"{name} is not kept")


KEPT_NAMES = {"softmax exponentials": ("aten::exp", "attn/computing softmax"), "sigmoid": ("aten::sigmoid", "ffn"),
              "attention probabilities": ("aten::div", "attn/computing softmax"), "SwiGLU products": ("aten::mul", "ffn"),
              "w1 output": ("aten::mm", "ffn/w1"), "w3 output": ("aten::mm", "ffn/w3")}


def scores(_run, tokens, kept):
    """Checks that the largest tensors of the sentence before are scores or the FFN's activations, and which of them stay."""
    cell, rows = allocations.drawn
    true(rows[0]["bytes"] in (4 * product_of(cell, "B · h · S²"), 4 * product_of(cell, "B · S · d_ff")))
    true(int(number(tokens)) == cell["d_ff"] // cell["heads"])
    makers = {(row["operator"], row["module"].replace("scaled dot product attention/", "").rpartition("layers/")[2])
              for row in rows if row["category"] == "activations"}
    true({KEPT_NAMES[name] for name in re.split(", | and ", kept)} == makers, "others stay")


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


def block(run, name, first, context, second, later):
    true(name == Network(run).shape["size"])
    block.measured = [Block(run, int(number(one))) for one in (context, later) if one]
    for text, one in zip((first, second), block.measured):
        near_bytes(text, one.kept_bytes)


def tensors(run, first, second):
    """Checks the five largest tensors of each context, and those as large as the smallest of them."""
    before = []
    for one, text in zip(block.measured, (first, second)):
        context, names = re.match(r"at ([\d,]+) (.+)", text).groups()
        true(int(number(context)) == one.cell["context"])
        claimed = []
        for alike, share in re.findall(r"(.+?) \(([\d.]+) %(?: each)?\)(?:, )?", names):
            if alike.startswith("then "):
                true(len(set(before)) == 1 and alike == f"then those at {block.measured[0].cell['context']}")
                named = len(before)
            else:
                named = sum(int({"two": 2}.get(name.split(" ")[0], re.match(r"\d*", name)[0] or 1))
                            for name in re.split(", | and ", alike))
            claimed += [share] * named
        before = claimed
        kept_sizes = sorted((size for row in one.launch.table("block") if row["kind"] == "kept"
                             for size in [row["bytes"] / row["count"]] * row["count"]), reverse=True)
        true(len(claimed) == sum(size >= kept_sizes[:5][-1] for size in kept_sizes), names)
        for share, size in zip(claimed, kept_sizes):
            near(share, 100 * size / one.kept_bytes)


def change(run, first, second, gradients):
    for text, one in zip((first, second), block.measured):
        near_bytes(text, one.change_bytes)
    near_bytes(gradients, block.measured[0].change_bytes + block.measured[0].kept_bytes)


def formulas(run, tokens, spared, longest):
    for one in block.measured:
        true(abs(one.kept_bytes / one.formula_bytes() - 1) <= 0.0101)
        true(abs((one.change_bytes + one.kept_bytes) / one.gradient_bytes() - 1) <= 0.0101)
    one, cell = block.measured[-1], block.measured[-1].cell
    true(cell["precision"] in ("fp32", "tf32") and int(number(longest)) == cell["context"])
    true(int(number(tokens)) == (40 * cell["d_model"] + 20 * cell["d_ff"]) // (8 * cell["heads"]))
    written_out = product_of(cell, "B · h · S²") + 2 * product_of(cell, "B · S · d_ff")
    near(spared, 100 * 4 * written_out / one.kept_bytes)


SIZE = r"[−+]?[\d,.]+ (?:[GMK]i)?B"
STEP = "(?:" + "|".join(map(re.escape, STEP_MODES)) + ")"
BYTES = r"\*\*(?P<{}>" + SIZE + r")\*\*"


def step_peak(run, name, context, size, first, first_bytes, second, second_bytes):
    """Checks the training step at its longest context."""
    network = Network(run)
    refused = any(network.refused(one, mode="train_step") for one in network.contexts if one > int(number(context)))
    peak(run, context, refused, "training step", name, size, first, first_bytes, second, second_bytes)


CLAIMS = {
    "overview": [
        (rf"- \*\*A training step of (?P<name>[^*]+?) at context (?P<context>[\d,]+) peaks at (?P<size>{SIZE})\*\*"
         rf"(?:, mostly (?P<first>[\w ]+) \((?P<first_bytes>{SIZE})\) and (?P<second>[\w ]+) \((?P<second_bytes>{SIZE})\))?\.", step_peak)],
    "memory_profiling.a": [
        (r"No step was recorded, so there is no curve\.", no_curve),
        (rf"The (?P<step>{STEP})(?: of (?P<profile>.+? at context [\d,]+)| at (?P<at>[\d,]+))? starts at {BYTES.format('start')} and "
         rf"peaks at {BYTES.format('peak')}(?P<end> when memory runs out| in [\w ]+)?(?:; at (?P<refused>[\d,]+) memory runs out)?\.",
         starts_and_peaks),
        (r"Inference is a sawtooth: blocks free their temporaries\. Training's forward saves activations, backward replaces them "
         r"by gradients, the optimizer adds nothing lasting\.", stages)],
    "memory_profiling.b": [
        (r"Neither an inference forward nor a training step ran(?: \(.+\))?\.$", nothing_ran),
        (rf"(?:The|At context (?P<context>[\d,]*\d)(?P<longest>, the longest measured that fits,)? the) (?P<step>{STEP})(?: of (?P<name>.+?))? "
         rf"peaks at {BYTES.format('size')}(?:, mostly (?P<first>[\w ]+) \((?P<first_bytes>{SIZE})\) and "
         rf"(?P<second>[\w ]+) \((?P<second_bytes>{SIZE})\))?\.", peak),
        (r"By formula its peak moves from the optimizer to backward at \*\*(?P<tokens>[\d,]+) tokens\*\*, where activations "
         r"outgrow gradients\.", moves)],
    "memory_profiling.c": [
        (r"No training step ran in two precisions, so there is nothing to compare\.", nothing_to_compare),
        (r"(?P<word>[\w ]+): (?P<precision>\w+) changes the training step's peak by (?P<changes>\*\*.+?) tokens\.", verdict),
        (rf"There activations save more than weight copies add; with inference's "
         rf"\({BYTES.format('added')}\) its peak rises by \*\*(?P<rise>\S+) %\*\*(?: at (?P<longest>[\d,]*\d))?"
         r"(?P<unfit>, where neither step fits)?\.", copies),
        (r"At (?P<outweighed>[\d, and]+) copies outweigh savings; at (?P<in_optimizer>[\d, and]+) the "
         r"optimizer's FP32 state sets both\.", shorter)],
    "memory_profiling.d": [
        (r"At context (?P<context>[\d,]+) one tensor of (?P<name>.+?) takes (?P<batch>[\d,]+) · (?P<again>[\d,]+) · "
         rf"(?P<width>[\d,]+) · 4 = (?P<bytes>[\d,]+) bytes, or {BYTES.format('size')}\.", residual),
        (r"The tensor measured in this run has exactly this size\.",
         lambda run: true(measured_residual(Network(run), residual.context) == residual.bytes))],
    "memory_profiling.e": [
        (r"No forward pass was recorded\.",
         lambda run: true(not any(largest_rows(Network(run), one)[1] for one in Network(run).contexts))),
        (rf"(?:The largest allocations at context (?P<context>[\d,]*\d)(?P<no_grad>, without grad,)?|Next) are (?P<kind>[\w ]+?) of {BYTES.format('bytes')}: "
         r"(?:each of (?P<layers>\d+) layers makes|the pass makes|(?P<passes>\d+) forward passes make|all passes make) "
         r"(?P<places>.+?)(?:; of these backward keeps (?P<kept>[^.]+))?\.(?= Scores| Next|$)", allocations),
        (r"Scores, `B · h · S² · 4` bytes, outgrow FFN activations beyond (?P<tokens>[\d,]+) tokens\. Training keeps "
         r"(?P<kept>[\w ,]+)\.", scores)],
    "memory_profiling.f": [
        (r"No block's backward pass was recorded: no training step ran, or the model has no blocks in a list called layers\.", no_block),
        (rf"For backward one (?P<name>.+?) block saves {BYTES.format('first')} at (?P<context>[\d,]+)"
         rf"(?: and {BYTES.format('second')} at (?P<later>[\d,]+))? tokens\.", block),
        (r"The largest are (?P<first>at [\d,]+ .*?%(?: each)?\))(?:, (?P<second>at [\d,]+ .+?%(?: each)?\)))?\."
         r"(?= Backward)", tensors),
        (rf"Backward replaces them by {BYTES.format('gradients')} of gradients, changing memory by "
         rf"{BYTES.format('first')}(?: and {BYTES.format('second')})?\.", change),
        (r"Formulas give about \$[^$]+\$ bytes saved and \$[^$]+\$ of gradients; the quadratic part leads "
         r"beyond (?P<tokens>[\d,]+) tokens\. Fused kernels spare exponentials, sigmoid and SiLU, \*\*(?P<spared>\S+) %\*\* at (?P<longest>[\d,]*\d)\.", formulas)]}


def rises(run, start, peak, phase, end, step, profile):
    """Checks the rise of a step, which may be of another network than the one that answers describe."""
    starts_and_peaks(run, step, profile, None, start, peak, " when memory runs out" if end else f" in {phase}" if phase else None, None)
    true(bytes_in(start) < bytes_in(peak), "it does not rise")


TITLES = [(rf"\*\*Figure \d+[a-z]?\. Memory rises from (?P<start>{SIZE}) to (?P<peak>{SIZE})(?: in (?P<phase>[\w ]+?))?(?P<end>, then runs "
           rf"out)?, (?P<step>{STEP}) of (?P<profile>.+? at context [\d,]+)\*\*", rises)]
