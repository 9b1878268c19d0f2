"""The claims about eager attention's memory, recomputed from the rows of its sweeps."""
import math

from checks import PRECISIONS, always, bytes_in, near, near_bytes, number, true

CELL_KINDS = {"attention"}


def sweep_rows(run, precision):
    """Returns the rows of the handout's sweeps, each with its head dimension, batch and bytes of scores."""
    found = []
    for cell in run.of("attention", method="synced", precision=PRECISIONS[precision]):
        launch = None if cell["implementation"] else cell.ok_launch()
        element_bytes = 2 if cell["precision"] in ("bf16", "fp16") else 4
        for row in launch.table("attention") if launch else []:
            if row["length"]:
                score_bytes = element_bytes * cell["batch"] * cell["heads"] * row["length"] ** 2
                found.append({**row, "d": cell["head_dim"], "score_bytes": score_bytes, "batch": cell["batch"],
                              "element_bytes": element_bytes})
    return found


def saved_bytes(row):
    known = row["before_backward_bytes"] is not None and row["input_bytes"] is not None
    return row["before_backward_bytes"] - row["input_bytes"] if known else None


def out_of_memory(run, precision, length, d=None, phase=None, batch=None, width=None, tensor=None, tensors=None,
                  needed=None, capacity=None):
    swept = sweep_rows(run, precision)
    failed = [row for row in swept if row["outcome"] == "out of memory"]
    first = min(failed, key=lambda row: (row["length"], row["d"]))
    true(first["length"] == number(length))
    if not tensor:
        return
    true(first["d"] == int(d) and first["phase"] == phase)
    true((first["batch"], first["element_bytes"]) == (int(batch), int(width)))
    near_bytes(tensor, first["score_bytes"])
    if tensors:
        longest_run = [row for row in swept if row["outcome"] == "ok" and row["d"] == first["d"]][-1]
        near(tensors, longest_run["peak_bytes"] / longest_run["score_bytes"])
        near_bytes(needed, longest_run["peak_bytes"] / longest_run["score_bytes"] * first["score_bytes"])
        true(bytes_in(needed) > bytes_in(capacity), "the GPU has as much")


def fits(run, precision, length):
    swept = sweep_rows(run, precision)
    true(not [row for row in swept if row["outcome"] == "out of memory"])
    true(max(row["length"] for row in swept if row["outcome"] == "ok") == number(length))


def growth(run, exponent, two):
    for precision in PRECISIONS:
        ran = [row for row in sweep_rows(run, precision) if row["outcome"] == "ok" and (saved_bytes(row) or 0) > 0]
        long_rows = [row for row in ran if row["length"] >= 4096]
        fitted = long_rows if len({row["length"] for row in long_rows}) > 1 else ran
        if len({row["length"] for row in fitted}) < 2:
            continue
        log_lengths, log_bytes = zip(*[(math.log(row["length"]), math.log(saved_bytes(row))) for row in fitted])
        mean_length, mean_bytes = sum(log_lengths) / len(log_lengths), sum(log_bytes) / len(log_bytes)
        covariance = sum((a - mean_length) * (b - mean_bytes) for a, b in zip(log_lengths, log_bytes))
        near(exponent, covariance / sum((a - mean_length) ** 2 for a in log_lengths))
        if two:
            longest = max(fitted, key=lambda row: row["length"])
            true(abs(saved_bytes(longest) / longest["score_bytes"] - 2) < 0.1, "not two tensors of scores")
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
