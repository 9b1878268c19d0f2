"""The claims about sharded weights, recomputed from each rank's memory and every gather."""
import collections
import re

from checks import near, near_bytes, number, true
from claims.optimizer_state_sharding_accounting import NETWORK, Scheme, losses

CELL_KINDS = {"sharding"}
# A gather of the matrix of this name in its block: its layer waits `wait_ns`, without compute it takes `alone_ns`.
Gather = collections.namedtuple("Gather", "matrix wait_ns alone_ns in_time")


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


def peaks(_run, after, before, saved, less, gradients):
    """Checks a step's peaks with sharded weights (`after`) and with the other scheme (`before`)."""
    points = "before_optimizer", "after_optimizer"
    weights_peaks, other_peaks = ([scheme.memory_row(2, point)["peak_bytes"] for point in points]
                                  for scheme in (expected.weights, expected.other))
    saved_bytes = max(other_peaks) - max(weights_peaks)
    near_bytes(after, max(weights_peaks))
    near_bytes(before, max(other_peaks))
    near_bytes(saved, abs(saved_bytes))
    true((less == "less") == (saved_bytes > 0))
    if gradients:
        # Gradients have as many bytes as parameters.
        gradient_bytes = (parameter_and_state_bytes(expected.other.cell)[0]
                          - parameter_and_state_bytes(expected.weights.cell)[0])
        near_bytes(gradients, gradient_bytes)
        true(abs(expected.saved_bytes - saved_bytes - gradient_bytes) <= 0.05 * expected.saved_bytes,
             "gradients are not what is missing")
        true(all(first >= second for first, second in (weights_peaks, other_peaks)), "the optimizer step peaks")


def without_other(run):
    true(any(not run.of("sharding", size=cell["size"], precision=cell["precision"], sharding=sharding)
             for cell in run.of("sharding", sharding="weights") for sharding in ("none", "optimizer")))


def fsdp_losses(run, size, precision, first, difference):
    losses(run, size, precision, first, difference, "weights")


def block_gathers(launch):
    """Returns forward's gathers of blocks' matrices. A gather is in time if its layer hardly waits for it."""
    rows = [row for row in launch.table("gathers") if row["phase"] == "forward" and row["module"].startswith("layers.")
            and None not in (row["bytes"], row["wait_ns"], row["alone_ns"])]
    return [Gather(row["module"].split(".", 2)[2], row["wait_ns"], row["alone_ns"],
                   row["wait_ns"] <= max(10_000, 0.05 * row["alone_ns"])) for row in rows]


def nothing_gathered(run):
    launches = [cell.ok_launch() for cell in run.of("sharding", sharding="weights")]
    true(any(not launch or not sum(gather.alone_ns for gather in block_gathers(launch)) for launch in launches))


def in_time(run, verdict, size, precision, counts, late, wait, alone, computes, although, because):
    """Checks gathers per block in ms. A block's compute time is in one of `computes`, `although` and `because`."""
    weights = Scheme.find(run, size, precision, "weights")
    gathers, blocks = block_gathers(weights.launch), weights.cell["layers"]
    in_time_count = sum(gather.in_time for gather in gathers)
    true(number(re.findall(r"[\d,]+", counts)[-1]) == len(gathers))
    true({"Yes": in_time_count == len(gathers), "Not all": 0 < in_time_count < len(gathers),
          "No": in_time_count == 0}[verdict])
    if verdict == "Not all":
        true(number(re.findall(r"[\d,]+", counts)[0]) == in_time_count)
    if late:
        in_time_by_matrix = {}
        for gather in gathers:
            in_time_by_matrix.setdefault(gather.matrix, []).append(gather.in_time)
        late_matrices = [matrix for matrix, in_times in in_time_by_matrix.items() if sum(in_times) < len(in_times) / 2]
        true(sorted(re.split(", | and ", late)) == sorted(late_matrices))
    near(wait, sum(gather.wait_ns for gather in gathers) / blocks / 1e6)
    alone_ms = sum(gather.alone_ns for gather in gathers) / blocks / 1e6
    near(alone, alone_ms)
    compute = computes or although or because
    if compute:
        compute_ms = Scheme.find(run, size, precision, "none").phase_ms("forward") / blocks
        near(compute, compute_ms)
        true(not although or (compute_ms > alone_ms and in_time_count < len(gathers)))
        true(not because or (compute_ms <= alone_ms and in_time_count < len(gathers)), "the block is not too short")


CLAIMS = {
    "fsdp_accounting.a": [
        (rf"With {NETWORK} we expect \*\*(?P<saving>[^*]+)\*\* less than (?P<other>with nothing sharded|with a sharded "
         r"optimizer, because parameters and gradients are sharded, too)\.", expected),
        (r"The step peaks at \*\*(?P<after>[^*]+)\*\* instead of \*\*(?P<before>[^*]+)\*\*, (?P<saved>\S+ .iB) "
         r"(?P<less>less|more)(?:: the peak lies at the start of backward, where the (?P<gradients>\S+ .iB) of gradients that "
         r"sharding saves are not there yet)?\.", peaks),
        (r"This run did not measure what FSDP compares with; the table has its own peaks\.", without_other),
        (rf"The losses of {NETWORK}(?P<first> in its first two steps)? differ by (?P<difference>\S+) % with and without "
         r"sharding\.", fsdp_losses)],
    "fsdp_accounting.b": [
        (r"No rank trained with sharded weights, so nothing was gathered\.", nothing_gathered),
        (rf"(?P<verdict>Yes|Not all|No): with {NETWORK} (?P<counts>all [\d,]+|none of the [\d,]+|\*\*[\d,]+ of [\d,]+\*\*) "
         r"gathers of the blocks' matrices had finished when their layer's forward began(?:; late in most blocks are "
         r"(?P<late>.+?))?\. A block waits \*\*(?P<wait>\S+) ms\*\* of the (?P<alone>\S+) ms that its gathers take alone"
         r"(?:, and computes for (?P<computes>\S+) ms|, although it computes for (?P<although>\S+) ms; this run does not show "
         r"why|, because it computes for only (?P<because>\S+) ms)?\.(?= |$)", in_time)]}
