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
                later_bytes = {tag: launch.metric(tag, str(row["length"]))
                               for tag in ("forward_peak", "backward_peak", "refused_reserved")}
                found.append({**row, **later_bytes, "d": cell["head_dim"], "score_bytes": score_bytes,
                              "batch": cell["batch"], "element_bytes": element_bytes})
    return found


def saved_bytes(row):
    known = row["before_backward_bytes"] is not None and row["input_bytes"] is not None
    return row["before_backward_bytes"] - row["input_bytes"] if known else None


def first_out_of_memory(run, precision):
    failed = [row for row in sweep_rows(run, precision) if row["outcome"] == "out of memory"]
    return min(failed, key=lambda row: (row["length"], row["d"]))


def out_of_memory(run, precision, length, d=None, batch=None, width=None, tensor=None):
    first = first_out_of_memory(run, precision)
    true(first["length"] == number(length))
    if not tensor:
        return
    out_of_memory.precision = precision
    true(first["d"] == int(d))
    true((first["batch"], first["element_bytes"]) == (int(batch), int(width)))
    near_bytes(tensor, first["score_bytes"])


def refused(run, asked, phase, in_use, reserved):
    """Checks what the allocator was asked for and what it had. `asked` is empty if it was a tensor of scores."""
    first = first_out_of_memory(run, out_of_memory.precision)
    refused.row = first
    true(first["phase"] == phase)
    if asked:
        near_bytes(asked, first["requested_bytes"])
    else:
        true(abs(first["requested_bytes"] / first["score_bytes"] - 1) < 0.01, "another tensor")
    near_bytes(in_use, first["in_use_bytes"])
    if reserved:
        near_bytes(reserved, first["refused_reserved"])
    else:
        true(first["refused_reserved"] is None)


def unrecorded(run):
    capacity = max(device["memory_bytes"] for device in run.data["devices"])
    true(refused.row["refused_reserved"] is None)
    true(refused.row["in_use_bytes"] + refused.row["requested_bytes"] < capacity)


def needs(run, which, tensors, needed, capacity):
    first = first_out_of_memory(run, out_of_memory.precision)
    ran = [row for row in sweep_rows(run, out_of_memory.precision) if row["outcome"] == "ok" and row["d"] == first["d"]]
    longest = ran[-1]
    near(tensors, longest["peak_bytes"] / longest["score_bytes"])
    near_bytes(needed, longest["peak_bytes"] / longest["score_bytes"] * first["score_bytes"])
    true(bytes_in(needed) > bytes_in(capacity), "the GPU has as much")
    near_bytes(capacity, run.data["devices"][0]["memory_bytes"])
    forward_peak = longest["forward_peak"]
    true(which == ("A whole pass" if forward_peak is None else
                   "Backward" if forward_peak < longest["peak_bytes"] else "Forward"))


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
        slope = covariance / sum((a - mean_length) ** 2 for a in log_lengths)
        near(exponent or "2.00", slope)
        if two:
            longest = max(fitted, key=lambda row: row["length"])
            true(abs(saved_bytes(longest) / longest["score_bytes"] - 2) < 0.1, "not two tensors of scores")
        return
    raise AssertionError("no precision has two lengths")


CLAIMS = {
    "pytorch_attention": [
        (r"No configuration ran: .+", always),
        (r"(?P<precision>\w+) runs out of memory at \*\*(?P<length>\S+) tokens\*\* \(d = (?P<d>\d+)\), where one tensor of scores "
         r"takes (?P<batch>\d+) · S² · (?P<width>\d) B = \*\*(?P<tensor>\S+ \w+)\*\*\.", out_of_memory),
        (r"(?:One more is|(?P<asked>\S+ \w+) more are) refused in (?P<phase>\w+), with (?P<in_use>\S+ \w+) in use(?: and "
         r"(?P<reserved>\S+ \w+) reserved)?\.", refused),
        (r"What held the rest was not recorded\.", unrecorded),
        (r"(?P<which>A whole pass|Backward|Forward) needs (?P<tensors>\S+) of them, \*\*(?P<needed>\S+ \w+)\*\* of "
         r"(?P<capacity>\S+ \w+)\.", needs),
        (r"(?P<precision>\w+) runs out at (?P<length>[\d,]+)\.", out_of_memory),
        (r"(?P<precision>\w+) ran at every length, up to (?P<length>[\d,]+)(?: tokens)?\.", fits),
        (r"(?:(?P<two>Two tensors of scores), the softmax's exponentials and probabilities, are saved for backward and grow|What is saved for "
         r"backward grows) (?:quadratically|with the length to the power of \*\*(?P<exponent>\S+)\*\*)\.", growth),
        (r"FlashAttention removes them: it computes scores tile by tile, again in backward\.", always)]}
