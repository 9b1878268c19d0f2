"""Recomputes times and lines of all-reduces that ran without training."""
import math


def timings(launch, method):
    """Returns {size: (ns, disturbed, wrong elements)}. The time is that of the slowest rank."""
    slowest = {}
    for row in launch.table("all_reduce") if launch else []:
        if row["method"] != method or None in (row["bytes"], row["mean_ns"], row["lag_ns"]):
            continue
        typical_ns = row["mean_ns"] if row["median_ns"] is None else row["median_ns"]
        ns, wrong = slowest.get(row["bytes"], (0, 0))
        slowest[row["bytes"]] = max(ns, typical_ns), wrong + (row["wrong"] or 0)
    least_larger_ns, marked = math.inf, {}
    for size in sorted(slowest, reverse=True):
        ns, wrong = slowest[size]
        if ns > 0:
            marked[size] = ns, ns > 1.1 * least_larger_ns, wrong
            least_larger_ns = min(least_larger_ns, ns)
    return dict(sorted(marked.items()))


def latency_and_bandwidth(launch):
    """Returns α in ns and β in bytes a ns of the line with the least sum of absolute relative errors; None if there is
    none. Such a line runs through two of the points."""
    timed = timings(launch, "in_place") or timings(launch, "synced")
    points = [(size, ns) for size, (ns, _, _) in timed.items()]
    best = None
    for i, (size1, ns1) in enumerate(points):
        for size2, ns2 in points[i + 1:]:
            slope = (ns2 - ns1) / (size2 - size1)
            latency = ns1 - slope * size1
            error = sum(abs(latency + slope * size - ns) / ns for size, ns in points)
            if best is None or error < best[0]:
                best = error, latency, slope
    return (best[1], 1 / best[2]) if best and len(points) > 2 and best[1] > 0 and best[2] > 0 else None
