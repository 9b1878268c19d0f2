"""The claims about all-reduces, recomputed from each rank's times."""
from checks import near, number, true
from collectives import timings

CELL_KINDS = {"all_reduce"}
MB = 10**6
SIZES = {"1 MB": MB, "10 MB": 10 * MB, "100 MB": 100 * MB, "1 GB": 1000 * MB}
LIBRARIES = {"NCCL": "nccl", "Gloo": "gloo"}


def times(run, library, ranks):
    """Returns undisturbed times in ns by size, from calls that are synchronized one by one."""
    cell = run.of("all_reduce", collectives=LIBRARIES[library], ranks=int(ranks))[0]
    return {size: ns for size, (ns, disturbed, _) in timings(cell.ok_launch(), "synced").items()
            if not disturbed and size <= cell["largest"]}


def handout_times(run, library, ranks):
    return {size: ns for size, ns in times(run, library, ranks).items() if size in SIZES.values()}


def none_measured(run):
    true(all(len(handout_times(run, library, cell["ranks"])) < 2 for library, value in LIBRARIES.items()
             for cell in run.of("all_reduce", collectives=value)))


def by_size(run, library, ranks, small, small_ms, large, large_ms, ratio, sizes, least, latency):
    found = handout_times(run, library, ranks)
    by_size.found, by_size.group = found, (library, int(ranks))
    ends = SIZES[small], SIZES[large]
    true(ends == (min(found), max(found)))
    near(small_ms, found[ends[0]] / 1e6)
    near(large_ms, found[ends[1]] / 1e6)
    near(ratio, found[ends[1]] / found[ends[0]], 2)
    true(number(sizes) == ends[1] // ends[0])
    if latency:
        swept = times(run, library, ranks)
        true(min(swept) == 1024 * number(least))
        latency_ns = swept[min(swept)]
        near(latency, latency_ns / 1e6)
        # Latency and bandwidth must predict the small size's time within a factor of 1.5.
        expected = latency_ns + (found[ends[1]] - latency_ns) * ends[0] / ends[1]
        true(0.66 < expected / found[ends[0]] < 1.51 and latency_ns >= 0.2 * found[ends[0]], "latency is not the reason")


def busbw(_run, large, rate):
    ranks = by_size.group[1]
    near(rate, SIZES[large] / by_size.found[SIZES[large]] * 2 * (ranks - 1) / ranks)


def by_ranks(run, many, size, ratio, few, ring):
    library, ranks = by_size.group
    true(int(few) == ranks)
    measured = times(run, library, many)[SIZES[size]] / times(run, library, few)[SIZES[size]]
    near(ratio, measured)
    if ring:
        bus_factor = lambda ranks: 2 * (int(ranks) - 1) / int(ranks)
        near(ring, bus_factor(many) / bus_factor(few))
        true(abs(measured / number(ring) - 1) < 0.21)


def by_library(run, low, small, high, large):
    for ratio, size in ((low, small), (high, large)):
        near(ratio, times(run, "Gloo", by_size.group[1])[SIZES[size]] / by_size.found[SIZES[size]], 2)


def missing(run, ranks, reason):
    failed = [cell for cell in run.of("all_reduce") if not cell.ok_launch()]
    listed = ranks.replace(" and", ",").split(", ")
    true(sorted(listed) == sorted({str(cell["ranks"]) for cell in failed}))
    reasons = {str(cell.launches[0].data["outcome"]) for cell in failed if cell.launches}
    true(reason == "“What ran” gives the reasons" or len(reasons) <= 1)
    if "this host has" in reason:
        true(all(reason in one for one in reasons))


def left_out(run, what):
    for words, size in SIZES.items():
        true((words in what) == all(cell["largest"] < size for cell in run.of("all_reduce")))
    for ranks in (2, 4, 6):
        true((str(ranks) in what.rpartition("and 1")[2] or f"{ranks} " in what) or run.of("all_reduce", ranks=ranks))


def wrong(run):
    true(any(one[2] for cell in run.of("all_reduce") for one in timings(cell.ok_launch(), "synced").values()))


CLAIMS = {
    "distributed_communication_single_node": [
        (r"No all-reduce was measured; “What ran” gives the reasons\.", none_measured),
        (r"Over (?P<library>\w+) among (?P<ranks>\d+) ranks (?P<small>\d+ .B) takes \*\*(?P<small_ms>\S+) ms\*\* and "
         r"(?P<large>\d+ .B) \*\*(?P<large_ms>\S+) ms\*\*, (?P<ratio>\S+) times as long for (?P<sizes>\S+) times the "
         r"bytes(?:, because latency alone, the time of (?P<least>\S+) KiB, is (?P<latency>\S+) ms)?\.", by_size),
        (r"(?P<large>\d+ .B) reaches \*\*(?P<rate>\S+) GB/s\*\* busbw\.", busbw),
        (r"Among (?P<many>\d+) ranks (?P<size>\d+ .B) takes (?P<ratio>\S+) times as long as among (?P<few>\d+)"
         r"(?:, as a ring sends (?P<ring>\S+) times the bytes)?\.", by_ranks),
        (r"Gloo takes (?P<low>\S+) times as long at (?P<small>\d+ .B) and (?P<high>\S+) times at (?P<large>\d+ .B)\.",
         by_library),
        (r"(?P<ranks>\d[\d, and]*) ranks did not run: (?P<reason>[^.]+)\.", missing),
        (r"This run left out (?P<what>[^.]+)\.", left_out),
        (r"Some sums are wrong, so their times mean nothing\.", wrong)]}
