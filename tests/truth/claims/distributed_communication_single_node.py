"""The claims about all-reduces, recomputed from each rank's times."""
from checks import near, near_fit, number, true
from collectives import latency_and_bandwidth, timings

CELL_KINDS = {"all_reduce"}
MB = 10**6
HANDOUT_BYTES = {"1 MB": MB, "10 MB": 10 * MB, "100 MB": 100 * MB, "1 GB": 1000 * MB}
COLLECTIVES = {"NCCL": "nccl", "Gloo": "gloo"}


def undisturbed_ns(run, library, ranks):
    """Returns {bytes: ns} of the planned, undisturbed sizes, from calls that are synchronized one by one."""
    cell = run.of("all_reduce", collectives=COLLECTIVES[library], ranks=int(ranks))[0]
    return {size: ns for size, (ns, disturbed, _) in timings(cell.ok_launch(), "synced").items()
            if not disturbed and size <= cell["largest_bytes"]}


def handout_ns(run, library, ranks):
    """Returns {bytes: ns} for the sizes that the problem names."""
    return {size: ns for size, ns in undisturbed_ns(run, library, ranks).items() if size in HANDOUT_BYTES.values()}


def none_measured(run):
    true(all(len(handout_ns(run, library, cell["ranks"])) < 2 for library, collectives in COLLECTIVES.items()
             for cell in run.of("all_reduce", collectives=collectives)))


def by_size(run, library, ranks, small, small_ms, large, large_ms, ratio, sizes, latency):
    """Checks two sizes' times. `sizes` is large / small in bytes; `latency` is α of the fitted line in ms."""
    ns = handout_ns(run, library, ranks)
    by_size.ns, by_size.group = ns, (library, int(ranks))
    small_bytes, large_bytes = HANDOUT_BYTES[small], HANDOUT_BYTES[large]
    true((small_bytes, large_bytes) == (min(ns), max(ns)))
    near(small_ms, ns[small_bytes] / 1e6)
    near(large_ms, ns[large_bytes] / 1e6)
    near(ratio, ns[large_bytes] / ns[small_bytes], 2)
    true(number(sizes) == large_bytes // small_bytes)
    if latency:
        cell = run.of("all_reduce", collectives=COLLECTIVES[library], ranks=int(ranks))[0]
        latency_ns, bytes_per_ns = latency_and_bandwidth(cell.ok_launch())
        near_fit(latency, latency_ns / 1e6)
        # Latency is the reason if the line predicts the small size's time within a factor of 1.5.
        predicted_ns = latency_ns + small_bytes / bytes_per_ns
        true(0.66 < predicted_ns / ns[small_bytes] < 1.51 and latency_ns >= 0.199 * ns[small_bytes],
             "latency is not the reason")


def busbw(_run, large, rate):
    ranks = by_size.group[1]
    near(rate, HANDOUT_BYTES[large] / by_size.ns[HANDOUT_BYTES[large]] * 2 * (ranks - 1) / ranks)


def by_ranks(run, many, size, ratio, few, ring):
    """Checks a size's times among many and few ranks. `ring` is the ratio of the bytes that a rank sends in a ring."""
    library, ranks = by_size.group
    true(int(few) == ranks)
    many_ns, few_ns = (undisturbed_ns(run, library, count)[HANDOUT_BYTES[size]] for count in (many, few))
    near(ratio, many_ns / few_ns)
    if ring:
        bus_factor = lambda count: 2 * (int(count) - 1) / int(count)
        near(ring, bus_factor(many) / bus_factor(few))
        true(abs(many_ns / few_ns / number(ring) - 1) < 0.21)


def by_library(run, low, small, high, large):
    """Checks the ratios of Gloo's time to that of by_size()."""
    gloo_ns = undisturbed_ns(run, "Gloo", by_size.group[1])
    for ratio, size in ((low, small), (high, large)):
        near(ratio, gloo_ns[HANDOUT_BYTES[size]] / by_size.ns[HANDOUT_BYTES[size]], 2)


def did_not_run(run, ranks, reason):
    failed = [cell for cell in run.of("all_reduce") if not cell.ok_launch()]
    listed_ranks = ranks.replace(" and", ",").split(", ")
    true(sorted(listed_ranks) == sorted({str(cell["ranks"]) for cell in failed}))
    outcomes = {str(cell.launches[0].data["outcome"]) for cell in failed if cell.launches}
    true(reason == "“What ran” gives the reasons" or len(outcomes) <= 1)
    if "this host has" in reason:
        true(all(reason in outcome for outcome in outcomes))


def left_out(run, what):
    """Checks what was not planned, as in "100 MB and 1 GB, and 6 ranks"."""
    for size_words, size in HANDOUT_BYTES.items():
        true((size_words in what) == all(cell["largest_bytes"] < size for cell in run.of("all_reduce")))
    for ranks in (2, 4, 6):  # No size is written with these digits.
        true((str(ranks) in what.rpartition("and 1")[2] or f"{ranks} " in what) or run.of("all_reduce", ranks=ranks))


def wrong_sums(run):
    true(any(wrong for cell in run.of("all_reduce")
             for _, _, wrong in timings(cell.ok_launch(), "synced").values()))


CLAIMS = {
    "distributed_communication_single_node": [
        (r"No all-reduce was measured; “What ran” gives the reasons\.", none_measured),
        (r"Over (?P<library>\w+) among (?P<ranks>\d+) ranks (?P<small>\d+ .B) takes \*\*(?P<small_ms>\S+) ms\*\* and "
         r"(?P<large>\d+ .B) \*\*(?P<large_ms>\S+) ms\*\*, (?P<ratio>\S+) times as long for (?P<sizes>\S+) times the "
         r"bytes(?:, because the latency α is (?P<latency>\S+) ms)?\.", by_size),
        (r"(?P<large>\d+ .B) reaches \*\*(?P<rate>\S+) GB/s\*\* busbw\.", busbw),
        (r"Among (?P<many>\d+) ranks (?P<size>\d+ .B) takes (?P<ratio>\S+) times as long as among (?P<few>\d+)"
         r"(?:, as a ring sends (?P<ring>\S+) times the bytes)?\.", by_ranks),
        (r"Gloo takes (?P<low>\S+) times as long at (?P<small>\d+ .B) and (?P<high>\S+) times at (?P<large>\d+ .B)\.",
         by_library),
        (r"(?P<ranks>\d[\d, and]*) ranks did not run: (?P<reason>[^.]+)\.", did_not_run),
        (r"This run left out (?P<what>[^.]+)\.", left_out),
        (r"Some sums are wrong, so their times mean nothing\.", wrong_sums)]}
