"""The claims about sharded weights, recomputed from each rank's memory and every gather."""
import collections

from checks import PRECISION_WORDS, near, near_bytes, true
from claims.optimizer_state_sharding_accounting import NETWORK, Scheme

CELL_KINDS = {"sharding"}
# The gathers of all blocks in one pass; `compute_ms` is the pass with nothing sharded.
Pass = collections.namedtuple("Pass", "rows wait_ms alone_ms compute_ms")


def parameter_and_state_bytes(cell):
    """Returns a rank's FP32 bytes of parameters, which are as many as its gradients', and of AdamW's state."""
    d, ranks = cell["d_model"], cell["ranks"]
    norm_bytes = 4 * d * (2 * cell["layers"] + 1)
    all_bytes = 4 * cell.parameters()
    if cell["sharding"] == "weights":  # Each rank has a part of every matrix, and all norms.
        own_bytes = norm_bytes + (all_bytes - norm_bytes) / ranks
        return own_bytes, 2 * own_bytes
    # Each rank owns whole parameters: they go, the largest first, to the rank that has least.
    owned_bytes = [0] * ranks
    sizes = [4 * d] * (2 * cell["layers"] + 1) + [4 * d * d] * 4 * cell["layers"]
    sizes += [4 * d * cell["d_ff"]] * 3 * cell["layers"] + [4 * d * cell["vocab"]] * 2
    for size in sorted(sizes, reverse=True):
        owned_bytes[owned_bytes.index(min(owned_bytes))] += size
    return all_bytes, 2 * (max(owned_bytes) if cell["sharding"] == "optimizer" else all_bytes)


def total_bytes(cell):
    parameter_bytes, state_bytes = parameter_and_state_bytes(cell)
    return 2 * parameter_bytes + state_bytes


def expected(run, size, precision, saving, other):
    """Checks the bytes that sharded weights save. `other` tells what they are compared with."""
    sharding = "optimizer" if "optimizer" in other else "none"
    expected.weights, expected.other = (Scheme.find(run, size, precision, part) for part in ("weights", sharding))
    expected.saved_bytes = total_bytes(expected.other.cell) - total_bytes(expected.weights.cell)
    near_bytes(saving, expected.saved_bytes)
    true(sharding == "optimizer" or not run.of("sharding", sharding="optimizer", size=size,
                                               precision=expected.weights.cell["precision"]))


def peaks(_run, after, before):
    """Checks a step's peaks with sharded weights (`after`) and with the other scheme (`before`)."""
    points = "before_optimizer", "after_optimizer"
    peaks.weights, peaks.other = ([scheme.memory_row(2, point)["peak_bytes"] for point in points]
                                  for scheme in (expected.weights, expected.other))
    near_bytes(after, max(peaks.weights))
    near_bytes(before, max(peaks.other))


def early(_run, gradients):
    """Checks that just the gradients' part of the expected saving is missing. They have as many bytes as parameters."""
    gradient_bytes = (parameter_and_state_bytes(expected.other.cell)[0]
                      - parameter_and_state_bytes(expected.weights.cell)[0])
    near_bytes(gradients, gradient_bytes)
    saved_bytes = max(peaks.other) - max(peaks.weights)
    true(abs(expected.saved_bytes - saved_bytes - gradient_bytes) <= 0.05 * expected.saved_bytes,
         "gradients are not what is missing")
    true(all(first >= second for first, second in (peaks.weights, peaks.other)), "the optimizer step peaks")


def without_other(run):
    true(any(not run.of("sharding", size=cell["size"], precision=cell["precision"], sharding=sharding)
             for cell in run.of("sharding", sharding="weights") for sharding in ("none", "optimizer")))


def gathers_of(run, size, precision, phase):
    """Returns one pass's gathers of the blocks' matrices. A gather is late if its layer waits for it."""
    weights, plain = (Scheme.find(run, size, precision, sharding) for sharding in ("weights", "none"))
    rows = [row for row in (weights.launch.table("gathers") if weights.launch else [])
            if row["phase"] == phase and row["module"].startswith("layers.")
            and None not in (row["wait_ns"], row["alone_ns"])]
    return Pass(rows, sum(row["wait_ns"] for row in rows) / 1e6, sum(row["alone_ns"] for row in rows) / 1e6,
                plain.phase_ms(phase) if plain.launch else None)


def nothing_gathered(run):
    true(any(not gathers_of(run, cell["size"], PRECISION_WORDS[cell["precision"]], "forward").alone_ms
             for cell in run.of("sharding", sharding="weights")))


def near_late(text, rows):
    """Checks which share of the gathers `rows` is late: "all", "none" or "1.6 %"."""
    share = 100 * sum(row["wait_ns"] > max(10_000, 0.05 * row["alone_ns"]) for row in rows) / len(rows)
    near({"all": "100", "none": "0"}.get(text, text.removesuffix(" %")), share, 2)


def late(run, size, precision, ffn, attention):
    late.size, late.forward = size, gathers_of(run, size, precision, "forward")
    near_late(ffn, [row for row in late.forward.rows if ".ffn." in row["module"]])
    near_late(attention, [row for row in late.forward.rows if ".ffn." not in row["module"]])


def waits(_run, share):
    near(share, 100 * late.forward.wait_ms / late.forward.compute_ms)


def half_precision(run, precision, share, forward, compute, gather):
    """Checks that 16 bits speed computation up by more than gathers, and that forward then waits longer."""
    half, full = gathers_of(run, late.size, precision, "forward"), late.forward
    near_late(share, half.rows)
    near(forward, 100 * half.wait_ms / half.compute_ms)
    near(compute, full.compute_ms / half.compute_ms)
    near(gather, full.alone_ms / half.alone_ms)
    true(full.compute_ms / half.compute_ms > full.alone_ms / half.alone_ms, "gathers gain as much")
    true(half.wait_ms / half.compute_ms > full.wait_ms / full.compute_ms, "forward waits no longer")


CLAIMS = {
    "fsdp_accounting.a": [
        (rf"With {NETWORK} we expect \*\*(?P<saving>[^*]+)\*\* less than with (?P<other>nothing sharded|a sharded optimizer), "
         r"because a rank holds only its share of each matrix and of its gradient\.", expected),
        (r"The step peaks at \*\*(?P<after>[^*]+)\*\* instead of \*\*(?P<before>[^*]+)\*\*\.", peaks),
        (r"Both peaks lie at the start of backward, where the (?P<gradients>\S+ .iB) of gradients that sharding saves are not "
         r"there yet\.", early),
        (r"This run does not answer this question\.", without_other)],
    "fsdp_accounting.b": [
        (r"This run does not answer this question\.", nothing_gathered),
        (rf"With {NETWORK} \*\*(?P<ffn>[^*]+)\*\* of FFN's gathers are late for their layer's forward, and "
         r"\*\*(?P<attention>[^*]+)\*\* of attention's\.", late),
        (r"Forward waits \*\*(?P<share>\S+) %\*\* as long as it computes\.", waits),
        (r"In (?P<precision>\w+) \*\*(?P<share>[^*]+)\*\* are late and it waits \*\*(?P<forward>\S+) %\*\* as long, because a block "
         r"computes (?P<compute>\S+) times as fast but gathers only (?P<gather>\S+) times as fast\.", half_precision)]}
