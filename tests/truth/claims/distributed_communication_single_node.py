"""The claims about all-reduces, recomputed from each rank's times."""
import re
from checks import near, true
from collectives import latency_and_bandwidth, timings

CELL_KINDS = {"all_reduce"}
MB = 10**6
HANDOUT_BYTES = {"1 MB": MB, "10 MB": 10 * MB, "100 MB": 100 * MB, "1 GB": 1000 * MB}
SMALL_BYTES = {"1 MB": MB, "1.05 MB": 2**20}  # The sweep's 2²⁰ bytes stand in for 1 MB.
COLLECTIVES = {"NCCL": "nccl", "Gloo": "gloo"}


def usable_ns(run, library, ranks, method="synced", sizes=tuple(HANDOUT_BYTES.values())):
    """Returns {bytes: ns} of the handout's sizes, from calls that are synchronized one by one, without those that were
    disturbed or have a wrong sum."""
    cell = run.of("all_reduce", collectives=COLLECTIVES[library], ranks=int(ranks))[0]
    return {size: ns for size, (ns, disturbed, wrong) in timings(cell.ok_launch(), method).items()
            if not disturbed and not wrong and size <= cell["largest_bytes"] and size in sizes}


def none_measured(run):
    true(all(len(usable_ns(run, library, cell["ranks"])) < 2 for library, collectives in COLLECTIVES.items()
             for cell in run.of("all_reduce", collectives=collectives)))


def bus_factor(ranks):
    return 2 * (int(ranks) - 1) / int(ranks)


def by_size(run, library, ranks, small, small_ms, large, large_ms, busbw, link, rate):
    """Checks the smallest and the largest size that are used."""
    largest(run, library, ranks, large, large_ms, busbw, link, rate)
    ns = usable_ns(run, *by_size.group)
    true(HANDOUT_BYTES[small] == min(ns), "a smaller size is usable")
    near(small_ms, ns[min(ns)] / 1e6)


def bounds(run, size, c10d, nccl, fast):
    """Checks a small size's calls, made back to back: through c10d they take 1.5 times as long as through NCCL alone.
    From `fast` on, bandwidth sets the time."""
    c10d_ns, nccl_ns = (usable_ns(run, *by_size.group, method, SMALL_BYTES.values())[SMALL_BYTES[size]]
                        for method in ("in_place", "out_of_place"))
    near(c10d, c10d_ns / 1e3)
    near(nccl, nccl_ns / 1e3)
    true(c10d_ns > 1.49 * nccl_ns, "it is not launch-bound")
    bandwidth_sets(run, fast)


def as_long(text, ratio):
    if text == "about as long":
        true(0.9 < ratio < 1.11)
    else:
        near(text.split()[0], ratio, 2)


def ratios(run, other, size, large, small_size, small):
    """Checks how much longer than the described group another takes: `other` is its (library, ranks)."""
    as_long(large, usable_ns(run, *other)[HANDOUT_BYTES[size]] / by_size.ns[HANDOUT_BYTES[size]])
    if small_size:
        groups = by_size.group, other
        launches = [run.of("all_reduce", collectives=COLLECTIVES[library], ranks=int(ranks))[0].ok_launch()
                    for library, ranks in groups]
        methods = {"in_place" if timings(launch, "in_place") else "synced" for launch in launches}
        method = methods.pop() if len(methods) == 1 else "synced"
        described_ns, other_ns = (usable_ns(run, *group, method, SMALL_BYTES.values())[SMALL_BYTES[small_size]]
                                  for group in groups)
        as_long(small, other_ns / described_ns)


def by_ranks(run, many, ring, size, large, small_size, small):
    library, ranks = by_size.group
    ratios(run, (library, many), size, large, small_size, small)
    near(ring, bus_factor(many) / bus_factor(ranks))


def by_library(run, other, size, large, small_size, small):
    ratios(run, (other, by_size.group[1]), size, large, small_size, small)


def skipped(run, ranks, reason):
    """Checks which numbers of ranks the described library skipped. The last one's reason is told."""
    reasons = {cell["ranks"]: cell.launches[-1].data["outcome"]["reason"]
               for cell in run.of("all_reduce", collectives=COLLECTIVES[by_size.group[0]])
               if cell.launches and cell.ok_launch() is None and cell.launches[-1].data["outcome"]["status"] == "skipped"}
    true([int(one) for one in ranks.replace(" and ", ", ").split(", ")] == list(reasons), f"{ranks}: {reasons}")
    true(reason == list(reasons.values())[-1], "another reason")


AS_LONG_RE = r"(?:\S+ times as long|about as long)"
COMPARED_RE = rf"(?P<size>\d+ .B) takes (?P<large>{AS_LONG_RE})(?:, (?P<small_size>1(?:\.05)? MB) (?P<small>{AS_LONG_RE}))?\."


def largest(run, library, ranks, large, large_ms, busbw, link, rate):
    """Checks the largest size that is not disturbed, and keeps the group for the sentence that follows."""
    ns = by_size.ns = usable_ns(run, library, ranks)
    by_size.group = library, int(ranks)
    true(HANDOUT_BYTES[large] == max(ns))
    near(large_ms, ns[max(ns)] / 1e6)
    near(busbw, max(ns) / ns[max(ns)] * bus_factor(ranks))
    if link:
        true((link, rate) == ("NVLink", "450") and library == "NCCL")


def bandwidth_sets(run, fast):
    """Checks that on the fitted line the bytes of `fast`, and of no other size, take at least twice as long as α."""
    cell = run.of("all_reduce", collectives=COLLECTIVES[by_size.group[0]], ranks=by_size.group[1])[0]
    latency_ns, bytes_per_ns = latency_and_bandwidth(cell.ok_launch())
    named = [HANDOUT_BYTES[size] for size in re.split(", | and ", fast)]
    true(len(named) > 1)
    for size in usable_ns(run, *by_size.group, "in_place"):
        ratio = size / bytes_per_ns / latency_ns
        true(ratio > 1.95 if size in named else ratio < 2.05, f"{size} bytes take {ratio} times the latency")


def disturbed(run, size, ms, larger, fast):
    """Checks that the handout's smallest size took longer than the smallest one that is used."""
    launch = run.of("all_reduce", collectives=COLLECTIVES[by_size.group[0]], ranks=by_size.group[1])[0].ok_launch()
    slowest_ns = {size: ns for size, (ns, _, _) in timings(launch, "synced").items()}
    true(HANDOUT_BYTES[size] == min(HANDOUT_BYTES.values()) and HANDOUT_BYTES[larger] == min(by_size.ns))
    near(ms, slowest_ns[HANDOUT_BYTES[size]] / 1e6)
    true(slowest_ns[HANDOUT_BYTES[size]] > slowest_ns[HANDOUT_BYTES[larger]])
    bandwidth_sets(run, fast)


CLAIMS = {
    "overview": [
        (r"- \*\*Over (?P<library>\w+) an all-reduce of (?P<large>\d+ .B) among (?P<ranks>\d+) ranks takes (?P<large_ms>\S+) ms\*\*, "
         r"(?P<busbw>\S+) GB/s busbw(?: of (?P<link>\w+)’s (?P<rate>\d+) one way)?\.", largest),
        (r"Bandwidth bounds (?P<fast>[^.]+)\.", bandwidth_sets)],
    "distributed_communication_single_node": [
        (r"This run does not answer this question\.", none_measured),
        (r"Over (?P<library>\w+) among (?P<ranks>\d+) ranks (?P<small>\d+ .B) takes \*\*(?P<small_ms>\S+) ms\*\*, "
         r"(?P<large>\d+ .B) takes \*\*(?P<large_ms>\S+) ms\*\*, "
         r"\*\*(?P<busbw>\S+) GB/s\*\* busbw(?: of (?P<link>\w+)’s (?P<rate>\d+) one way)?\.", by_size),
        (r"Back to back, (?P<size>[\d.]+ MB) takes \*\*(?P<c10d>\S+) µs\*\* through c10d, (?P<nccl>\S+) µs through NCCL: it is "
         r"launch-bound\. "
         r"Bandwidth bounds (?P<fast>[^.]+)\.", bounds),
        (r"(?P<size>\d+ .B) took (?P<ms>\S+) ms, longer than (?P<larger>\d+ .B), so its time is not used\. "
         r"Bandwidth bounds (?P<fast>[^.]+)\.", disturbed),
        (rf"Among (?P<many>\d+) ranks a ring sends (?P<ring>\S+) times the bytes: {COMPARED_RE}", by_ranks),
        (rf"Over (?P<other>\w+) {COMPARED_RE}", by_library),
        (r"(?P<ranks>[\d, and]+) ranks did not run: (?P<reason>[^.]+)\.", skipped)]}
