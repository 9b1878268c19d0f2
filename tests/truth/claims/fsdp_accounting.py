"""The claims about sharded weights, recomputed from each rank's memory and every gather."""
import re

from checks import near, near_bytes, number, true
from claims.optimizer_state_sharding_accounting import NETWORK, Scheme, losses

CELL_KINDS = {"sharding"}


def held_bytes(cell):
    """Returns the FP32 bytes of a rank's parameters, which its gradients equal, and of its AdamW state. Norms stay whole."""
    d, ranks = cell["d_model"], cell["ranks"]
    norms = 4 * d * (2 * cell["layers"] + 1)
    whole = 4 * cell.parameters()
    if cell["sharding"] == "weights":
        part = norms + (whole - norms) / ranks
        return part, 2 * part
    # Each rank owns whole parameters: they go, the largest first, to the rank that has least.
    owned = [0] * ranks
    sizes = [4 * d] * (2 * cell["layers"] + 1) + [4 * d * d] * 4 * cell["layers"]
    sizes += [4 * d * cell["d_ff"]] * 3 * cell["layers"] + [4 * d * cell["vocab"]] * 2
    for size in sorted(sizes, reverse=True):
        owned[owned.index(min(owned))] += size
    return whole, 2 * (max(owned) if cell["sharding"] == "optimizer" else whole)


def total_bytes(cell):
    parameters, state = held_bytes(cell)
    return 2 * parameters + state


def expected(run, size, precision, saving, other):
    sharding = "optimizer" if "optimizer" in other else "none"
    expected.sharded, expected.other = (Scheme(run, size, precision, one) for one in ("weights", sharding))
    expected.saving = total_bytes(expected.other.cell) - total_bytes(expected.sharded.cell)
    near_bytes(saving, expected.saving)
    true(sharding == "optimizer" or not run.of("sharding", sharding="optimizer", size=size,
                                               precision=expected.sharded.cell["precision"]))


def peaks(_run, after, before, saved, less, gradients):
    points = [[one.held(2, point)["peak_bytes"] for point in ("before_optimizer", "after_optimizer")]
              for one in (expected.sharded, expected.other)]
    high = [max(both) for both in points]
    near_bytes(after, high[0])
    near_bytes(before, high[1])
    near_bytes(saved, abs(high[1] - high[0]))
    true((less == "less") == (high[0] < high[1]))
    if gradients:
        missing = held_bytes(expected.other.cell)[0] - held_bytes(expected.sharded.cell)[0]
        near_bytes(gradients, missing)
        true(abs(expected.saving - (high[1] - high[0]) - missing) <= 0.05 * expected.saving, "gradients are not what is missing")
        true(all(before >= after for before, after in points), "the optimizer step peaks")


def without_other(run):
    true(any(not run.of("sharding", size=cell["size"], precision=cell["precision"], sharding=sharding)
             for cell in run.of("sharding", sharding="weights") for sharding in ("none", "optimizer")))


def fsdp_losses(run, size, precision, first, difference):
    losses(run, size, precision, first, difference, "weights")


def gathers(launch):
    """Returns forward's gathers of blocks' matrices: name in its block, ns waited, ns alone, and whether it was in time."""
    rows = [row for row in launch.table("gathers") if row["phase"] == "forward" and row["module"].startswith("layers.")
            and None not in (row["bytes"], row["wait_ns"], row["alone_ns"])]
    return [(row["module"].split(".", 2)[2], row["wait_ns"], row["alone_ns"],
             row["wait_ns"] <= max(10_000, 0.05 * row["alone_ns"])) for row in rows]


def nothing_gathered(run):
    true(any(not cell.ok_launch() or not gathers(cell.ok_launch()) or not sum(row[2] for row in gathers(cell.ok_launch()))
             for cell in run.of("sharding", sharding="weights")))


def in_time(run, verdict, size, precision, counts, late, wait, alone, computes, although, because):
    sharded = Scheme(run, size, precision, "weights")
    rows, blocks = gathers(sharded.launch), sharded.cell["layers"]
    done = sum(row[3] for row in rows)
    true(number(re.findall(r"[\d,]+", counts)[-1]) == len(rows))
    true({"Yes": done == len(rows), "Not all": 0 < done < len(rows), "No": done == 0}[verdict])
    if verdict == "Not all":
        true(number(re.findall(r"[\d,]+", counts)[0]) == done)
    if late:
        in_time_by_name = {name: [row[3] for row in rows if row[0] == name] for name in {row[0] for row in rows}}
        true(sorted(re.split(", | and ", late)) == sorted(name for name, ones in in_time_by_name.items() if sum(ones) < len(ones) / 2))
    near(wait, sum(row[1] for row in rows) / blocks / 1e6)
    alone_ms = sum(row[2] for row in rows) / blocks / 1e6
    near(alone, alone_ms)
    compute = computes or although or because
    if compute:
        compute_ms = Scheme(run, size, precision, "none").phase("forward") / blocks
        near(compute, compute_ms)
        true(not although or (compute_ms > alone_ms and done < len(rows)))
        true(not because or (compute_ms <= alone_ms and done < len(rows)), "the block is not too short")


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
