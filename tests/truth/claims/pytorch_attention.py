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


def ends(run, words):
    """Checks where each precision ends; `words` are "FP32 runs out of memory at **24,576 tokens** and BF16 …"."""
    claimed = re.findall(r"(\w+) (runs out of memory at|runs at every length up to|did not run)(?: \*\*([\d,]+) tokens)?", words)
    for precision, end, length in claimed:
        rows = sweep_rows(run, precision)
        failed = [row["length"] for row in rows if row["outcome"] == "out of memory"]
        ran = [row["length"] for row in rows if row["outcome"] == "ok"]
        true((end == "did not run") == (not failed and not ran))
        true(not length or number(length) == (min(failed) if end == "runs out of memory at" else max(ran)))
        true(not length or bool(failed) == (end == "runs out of memory at"))
    ends.failed = next((precision for precision, end, _ in claimed if end == "runs out of memory at"), None)


def needs(run, precision, batch, width, tensor, d, tensors, needed, capacity):
    first = first_out_of_memory(run, precision)
    true(precision == ends.failed)
    true((first["d"], first["batch"], first["element_bytes"]) == (int(d), int(batch), int(width)))
    near_bytes(tensor, first["score_bytes"])
    ran = [row for row in sweep_rows(run, precision) if row["outcome"] == "ok" and row["d"] == first["d"]]
    longest = ran[-1]
    near(tensors, longest["peak_bytes"] / longest["score_bytes"])
    near_bytes(needed, longest["peak_bytes"] / longest["score_bytes"] * first["score_bytes"])
    true(bytes_in(needed) > bytes_in(capacity), "the GPU has as much")
    near_bytes(capacity, run.data["devices"][0]["memory_bytes"])


def refused(run, requested, phase, in_use, reserved):
    first = first_out_of_memory(run, ends.failed)
    true(first["phase"] == phase)
    near_bytes(requested, first["requested_bytes"])
    near_bytes(in_use, first["in_use_bytes"])
    near_bytes(reserved, first["refused_reserved"])


def growth(run):
    """Checks that some precision saves two tensors of scores at two lengths, so that their bytes grow quadratically."""
    def saves_two_tensors(precision):
        rows = [row for row in sweep_rows(run, precision) if row["outcome"] == "ok" and row["length"] >= 4096]
        return len({row["length"] for row in rows}) > 1 and all(
            abs((saved_bytes(row) or 0) / row["score_bytes"] - 2) < 0.101 for row in rows)
    true(any(map(saves_two_tensors, PRECISIONS)), "not two tensors of scores")


CLAIMS = {
    "pytorch_attention": [
        (r"(?P<words>\w+ (?:runs out of memory at|runs at every length up to|did not run).+?)\.(?= In \w+ one tensor| The allocator| Two|$)",
         ends),
        (r"In (?P<precision>\w+) one tensor of scores takes (?P<batch>\d+) · S² · (?P<width>\d) B = \*\*(?P<tensor>\S+ \w+)\*\* there "
         r"\(d = (?P<d>\d+)\), and a pass needs (?P<tensors>\S+) of them, \*\*(?P<needed>\S+ \w+)\*\* where the GPU has "
         r"(?P<capacity>\S+ \w+)\.", needs),
        (r"The allocator refused (?P<requested>\S+ \w+) in (?P<phase>\w+), with (?P<in_use>\S+ \w+) in use and (?P<reserved>\S+ \w+) "
         r"reserved\.", refused),
        (r"Two tensors of scores, the softmax's exponentials and probabilities, are saved for backward and grow quadratically\. "
         r"FlashAttention removes them: it computes scores tile by tile, again in backward\.", growth)]}
