"""The claims about eager attention's memory, recomputed from the rows of its sweeps."""
import re

from checks import PRECISIONS, bytes_in, near, near_bytes, number, true

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
                found.append({**row, "d": cell["head_dim"], "score_bytes": score_bytes,
                              "batch": cell["batch"], "element_bytes": element_bytes})
    return found


def saved_bytes(row):
    known = row["before_backward_bytes"] is not None and row["input_bytes"] is not None
    return row["before_backward_bytes"] - row["input_bytes"] if known else None


def first_out_of_memory(run, precision):
    failed = [row for row in sweep_rows(run, precision) if row["outcome"] == "out of memory"]
    return min(failed, key=lambda row: (row["length"], row["d"]))


def ends(run, words):
    """Checks where each precision ends; `words` are "FP32 runs out of memory at **24,576 tokens** and BF16 …"."""
    claimed = re.findall(r"(\w+) (runs out of memory at|runs up to|did not run|at|up to)(?: \*\*([\d,]+) tokens)?", words)
    for place, (precision, end, length) in enumerate(claimed):
        if end in ("at", "up to"):  # The verb is that of the precision before.
            true(claimed[place - 1][1].endswith(end))
            claimed[place] = (precision, claimed[place - 1][1], length)
    for precision, end, length in claimed:
        rows = sweep_rows(run, precision)
        failed = [row["length"] for row in rows if row["outcome"] == "out of memory"]
        ran = [row["length"] for row in rows if row["outcome"] == "ok"]
        true((end == "did not run") == (not failed and not ran))
        true(not length or number(length) == (min(failed) if end == "runs out of memory at" else max(ran)))
        true(not length or bool(failed) == (end == "runs out of memory at"))
    lengths = [number(length) for _, end, length in claimed if end == "runs out of memory at"]
    ends.are_beyond = bool(lengths) and min(lengths) > 16384
    ends.failed = next((precision for precision, end, _ in claimed if end == "runs out of memory at"), None)


def all_ends(run, words, beyond):
    ends(run, words)
    true(bool(beyond) == ends.are_beyond, "the handout's lengths")


def times(run, length, d, forward, backward, precision):
    """Checks the widest heads at the longest of the handout's lengths that ran."""
    ran = [row for row in sweep_rows(run, precision) if row["outcome"] == "ok" and row["length"] <= 16384]
    row = max(ran, key=lambda row: (row["length"], row["d"]))
    true((row["length"], row["d"]) == (number(length), int(d)))
    near(forward, row["forward_mean_ns"] / 1e6)
    near(backward, row["backward_mean_ns"] / 1e6)


def refused_reserved_bytes(run, precision, row):
    """Returns what the allocator had reserved when it refused an allocation of this row; None if that was not recorded."""
    cells = run.of("attention", method="synced", precision=PRECISIONS[precision], head_dim=row["d"])
    known = [cell.ok_launch().metric("refused_reserved", str(row["length"])) for cell in cells
             if not cell["implementation"] and cell.ok_launch()]
    return next((value for value in known if value is not None), None)


def needs(run, precision, phase, ordinal, batch, width, tensor, in_use, capacity, reserved, spare, tensors, names, length,
          needed):
    """Checks the first refused allocation, and that a whole pass would not fit."""
    first = first_out_of_memory(run, precision)
    true((first["batch"], first["element_bytes"]) == (int(batch), int(width)))
    true(bool(names) == (number(tensors) == 6), "six tensors have names")
    true(first["phase"] == phase)
    near_bytes(tensor, first["score_bytes"])
    near_bytes(tensor, first["requested_bytes"])
    near_bytes(in_use, first["in_use_bytes"])
    others = ["first", "second", "third", "fourth", "fifth", "sixth"].index(ordinal)
    true(abs((first["in_use_bytes"] - first["input_bytes"]) / first["score_bytes"] - others) <= 0.0501, "not this tensor")
    recorded = refused_reserved_bytes(run, precision, first)
    true((recorded is None) == (reserved is None))
    spare_bytes = run.data["devices"][0]["memory_bytes"] - first["in_use_bytes"] - first["score_bytes"]
    true(bool(spare) == (recorded is None and spare_bytes >= 0), "the bytes explain it")
    if spare:
        near(spare, spare_bytes / 2 ** 30, 2)
    if reserved:
        near_bytes(reserved, recorded)
    ran = [row for row in sweep_rows(run, precision) if row["outcome"] == "ok" and row["d"] == first["d"]]
    true(ran[-1]["length"] == number(length))
    takes(run, precision, tensors, needed, capacity)


def growth(run, saved, length):
    """Checks that some precision saves two tensors of scores at two lengths, so that their bytes grow quadratically, and
    those of the widest heads at the longest of the handout's lengths that ran."""
    def saves_two_tensors(precision):
        rows = [row for row in sweep_rows(run, precision) if row["outcome"] == "ok" and row["length"] >= 4096]
        return len({row["length"] for row in rows}) > 1 and all(
            abs((saved_bytes(row) or 0) / row["score_bytes"] - 2) < 0.101 for row in rows)
    true(any(map(saves_two_tensors, PRECISIONS)), "not two tensors of scores")
    precision = next(one for one in PRECISIONS if sweep_rows(run, one))
    ran = [row for row in sweep_rows(run, precision) if row["outcome"] == "ok" and row["length"] <= 16384]
    whole = max(ran, key=lambda row: (row["length"], row["d"]))
    true(whole["length"] == number(length))
    near_bytes(saved, saved_bytes(whole))


def end(run, out, length, precision, batch):
    """Checks where the first precision that ran at all ends."""
    ran = [one for one in PRECISIONS if any(row["outcome"] in ("ok", "out of memory") for row in sweep_rows(run, one))]
    true(precision == ran[0])
    ends(run, f"{precision} {out} **{length} tokens")
    true({row["batch"] for row in sweep_rows(run, precision) if row["length"] == number(length)} == {number(batch)})
    end.precision = precision


def takes(run, precision, tensors, needed, capacity):
    first = first_out_of_memory(run, precision)
    true(precision == ends.failed)
    ran = [row for row in sweep_rows(run, precision) if row["outcome"] == "ok" and row["d"] == first["d"]]
    true(number(tensors) == ran[-1]["peak_bytes"] // ran[-1]["score_bytes"])
    near_bytes(needed, number(tensors) * first["score_bytes"])
    true(bytes_in(needed) > bytes_in(capacity), "the GPU has as much")
    near_bytes(capacity, run.data["devices"][0]["memory_bytes"])


CLAIMS = {
    "overview": [
        (r"- \*\*Eager attention (?P<out>runs out of memory at|runs up to) (?P<length>[\d,]+) tokens in "
         r"(?P<precision>\w+), batch (?P<batch>\d+)\.\*\*", end),
        (r"A pass would then peak at (?P<tensors>\S+) tensors of scores, (?P<needed>\S+ \w+), and the GPU has "
         r"(?P<capacity>\S+ \w+)\.", lambda run, **needed: takes(run, end.precision, **needed))],
    "pytorch_attention": [
        (r"At (?P<length>[\d,]+) tokens \(d = (?P<d>\d+)\) forward takes \*\*(?P<forward>\S+)\*\*, backward "
         r"\*\*(?P<backward>\S+) ms\*\* in (?P<precision>\w+)\.", times),
        (r"(?P<words>\w+ (?:runs out of memory at|runs up to|did not run).+?)"
         r"(?P<beyond>, beyond the handout's lengths)?\.(?= \w+'s|$| Forward saves)", all_ends),
        (r"(?P<precision>\w+)'s (?P<phase>\w+) asks for a (?P<ordinal>\w+) tensor of scores, `(?P<batch>\d+) · S² · (?P<width>\d) B` = "
         r"\*\*(?P<tensor>\S+ \w+)\*\*, with (?P<in_use>\S+ \w+) of (?P<capacity>\S+ \w+) in use"
         r"(?: \(reserved: (?P<reserved>\S+ [KMG]?i?B)\)| and at least (?P<spare>\S+) GiB "
         r"outside tensors)?\. A pass peaks at "
         r"(?P<tensors>\w+)(?P<names> \(exponentials, probabilities' gradient, division's four temporaries\))?, as at "
         r"(?P<length>[\d,]+) tokens: \*\*(?P<needed>\S+ \w+)\*\*\.", needs),
        (r"Forward saves exponentials and probabilities, quadratic in length: \*\*(?P<saved>\S+ \w+)\*\* at "
         r"(?P<length>[\d,]+)\. "
         r"FlashAttention recomputes them\.", growth)]}
