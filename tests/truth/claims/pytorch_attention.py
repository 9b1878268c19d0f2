"""The claims about eager attention's memory, recomputed from the rows of its sweeps."""
import math

from checks import PRECISIONS, always, bytes_in, near, near_bytes, number, true

CELL_KINDS = {"attention"}


def rows(run, precision):
    """Returns the rows of the handout's sweeps with their head dimension and score bytes."""
    found = []
    for cell in run.of("attention", method="synced", precision=PRECISIONS[precision]):
        if cell["implementation"] or not cell.ok_launch():
            continue
        width = 2 if cell["precision"] in ("bf16", "fp16") else 4
        for row in cell.ok_launch().table("attention"):
            if row["length"]:
                scores = width * cell["batch"] * cell["heads"] * row["length"] ** 2
                found.append({**row, "d": cell["head_dim"], "scores": scores, "batch": cell["batch"], "width": width})
    return found


def saved(row):
    known = row["before_backward_bytes"] is not None and row["input_bytes"] is not None
    return row["before_backward_bytes"] - row["input_bytes"] if known else None


def out_of_memory(run, precision, length, d=None, phase=None, batch=None, width=None, tensor=None, tensors=None,
                  needed=None, capacity=None):
    own = rows(run, precision)
    out = [row for row in own if row["outcome"] == "out of memory"]
    first = min(out, key=lambda row: (row["length"], row["d"]))
    true(first["length"] == number(length))
    if not tensor:
        return
    true(first["d"] == int(d) and first["phase"] == phase)
    true((first["batch"], first["width"]) == (int(batch), int(width)))
    near_bytes(tensor, first["scores"])
    if tensors:
        held = [row for row in own if row["outcome"] == "ok" and row["d"] == first["d"]][-1]
        near(tensors, held["peak_bytes"] / held["scores"])
        near_bytes(needed, held["peak_bytes"] / held["scores"] * first["scores"])
        true(bytes_in(needed) > bytes_in(capacity), "the GPU has as much")


def fits(run, precision, length):
    own = rows(run, precision)
    true(not [row for row in own if row["outcome"] == "out of memory"])
    true(max(row["length"] for row in own if row["outcome"] == "ok") == number(length))


def growth(run, exponent, two):
    for precision in PRECISIONS:
        ran = [row for row in rows(run, precision) if row["outcome"] == "ok" and (saved(row) or 0) > 0]
        far = [row for row in ran if row["length"] >= 4096]
        fitted = far if len({row["length"] for row in far}) > 1 else ran
        if len({row["length"] for row in fitted}) < 2:
            continue
        x, y = zip(*[(math.log(row["length"]), math.log(saved(row))) for row in fitted])
        middle = sum(x) / len(x), sum(y) / len(y)
        slope = (sum((a - middle[0]) * (b - middle[1]) for a, b in zip(x, y)) / sum((a - middle[0]) ** 2 for a in x))
        near(exponent, slope)
        if two:
            longest = max(fitted, key=lambda row: row["length"])
            true(abs(saved(longest) / longest["scores"] - 2) < 0.1, "not two tensors of scores")
        return
    raise AssertionError("no precision has two lengths")


CLAIMS = {
    "pytorch_attention": [
        (r"No configuration ran: .+", always),
        (r"(?P<precision>\w+) runs out of memory at \*\*(?P<length>\S+) tokens\*\* \(d = (?P<d>\d+), in (?P<phase>\w+)\), where one "
         r"tensor of scores takes (?P<batch>\d+) · S² · (?P<width>\d) B = \*\*(?P<tensor>\S+ \w+)\*\*(?: and a pass holds "
         r"(?P<tensors>\S+) of them at its peak, \*\*(?P<needed>\S+ \w+)\*\* of the GPU's (?P<capacity>\S+ \w+))?\.", out_of_memory),
        (r"(?P<precision>\w+) runs out at (?P<length>[\d,]+)\.", out_of_memory),
        (r"(?P<precision>\w+) ran at every length, up to (?P<length>[\d,]+)(?: tokens)?\.", fits),
        (r"(?:(?P<two>Two tensors of scores), the softmax's exponentials and probabilities, are saved for backward and grow|What is "
         r"saved for backward grows) with the length to the power of \*\*(?P<exponent>\S+)\*\*\.", growth),
        (r"FlashAttention removes them: it computes scores tile by tile and recomputes each tile in "
         r"backward\.", always)]}
