"""The claims about all-reduces, recomputed from each rank's times."""
from checks import near, near_fit, number, true
from collectives import latency_and_bandwidth, timings

CELL_KINDS = {"all_reduce"}
MB = 10**6
HANDOUT_BYTES = {"1 MB": MB, "10 MB": 10 * MB, "100 MB": 100 * MB, "1 GB": 1000 * MB}
COLLECTIVES = {"NCCL": "nccl", "Gloo": "gloo"}


def usable_ns(run, library, ranks):
    """Returns {bytes: ns} of the handout's sizes, from calls that are synchronized one by one, without those that were
    disturbed or have a wrong sum."""
    cell = run.of("all_reduce", collectives=COLLECTIVES[library], ranks=int(ranks))[0]
    return {size: ns for size, (ns, disturbed, wrong) in timings(cell.ok_launch(), "synced").items()
            if not disturbed and not wrong and size <= cell["largest_bytes"] and size in HANDOUT_BYTES.values()}


def none_measured(run):
    true(all(len(usable_ns(run, library, cell["ranks"])) < 2 for library, collectives in COLLECTIVES.items()
             for cell in run.of("all_reduce", collectives=collectives)))


def bus_factor(ranks):
    return 2 * (int(ranks) - 1) / int(ranks)


def by_size(run, library, ranks, small, small_ms, large, large_ms, busbw, link, rate):
    ns = usable_ns(run, library, ranks)
    by_size.ns, by_size.group = ns, (library, int(ranks))
    small_bytes, large_bytes = HANDOUT_BYTES[small], HANDOUT_BYTES[large]
    true((small_bytes, large_bytes) == (min(ns), max(ns)))
    near(small_ms, ns[small_bytes] / 1e6)
    near(large_ms, ns[large_bytes] / 1e6)
    near(busbw, large_bytes / ns[large_bytes] * bus_factor(ranks))
    if link:  # The H100 SXM and the H200 have NVLink with 900 GB/s in both directions.
        true((link, rate) == ("NVLink", "450") and library == "NCCL")


def latency(run, small, ms):
    """Checks that α is more than half of the fitted time of the small size, which the line predicts within 1.5 times."""
    library, ranks = by_size.group
    latency_ns, bytes_per_ns = latency_and_bandwidth(
        run.of("all_reduce", collectives=COLLECTIVES[library], ranks=ranks)[0].ok_launch())
    near_fit(ms, latency_ns / 1e6)
    transfer_ns = HANDOUT_BYTES[small] / bytes_per_ns
    true(latency_ns >= 0.99 * transfer_ns, "it is not latency-bound")
    true(0.66 < (latency_ns + transfer_ns) / by_size.ns[HANDOUT_BYTES[small]] < 1.51)


def by_ranks(run, many, ring, size, ratio):
    library, ranks = by_size.group
    near(ratio, usable_ns(run, library, many)[HANDOUT_BYTES[size]] / by_size.ns[HANDOUT_BYTES[size]], 2)
    near(ring, bus_factor(many) / bus_factor(ranks))


def by_library(run, other, size, ratio):
    near(ratio, usable_ns(run, other, by_size.group[1])[HANDOUT_BYTES[size]] / by_size.ns[HANDOUT_BYTES[size]], 2)


def measured_ranks(run, ranks):
    cells = run.of("all_reduce", collectives=COLLECTIVES[by_size.group[0]])
    true(ranks.replace(" and", ",").split(", ") == [str(cell["ranks"]) for cell in cells if cell.ok_launch()])


CLAIMS = {
    "distributed_communication_single_node": [
        (r"This run does not answer this question\.", none_measured),
        (r"Over (?P<library>\w+) among (?P<ranks>\d+) ranks (?P<small>\d+ .B) takes \*\*(?P<small_ms>\S+) ms\*\* and "
         r"(?P<large>\d+ .B) \*\*(?P<large_ms>\S+) ms\*\*, \*\*(?P<busbw>\S+) GB/s\*\* busbw"
         r"(?: of (?P<link>\w+)’s (?P<rate>\d+) one way)?\.", by_size),
        (r"(?P<small>\d+ .B) is latency-bound: the latency α is (?P<ms>\S+) ms\.", latency),
        (r"Among (?P<many>\d+) ranks, where a ring sends (?P<ring>\S+) times the bytes, (?P<size>\d+ .B) takes "
         r"(?P<ratio>\S+) times as long\.", by_ranks),
        (r"Over (?P<other>\w+) (?P<size>\d+ .B) takes (?P<ratio>\S+) times as long\.", by_library),
        (r"The handout asks for 2, 4 and 6 ranks; this run has times among (?P<ranks>[\d, and]+) ranks\.",
         measured_ranks)]}
