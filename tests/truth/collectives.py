"""All-reduces by themselves, as several problems rest on them."""
import math


def timings(launch, method):
    """Size → (ns, disturbed, wrong): a collective ends with its slowest rank."""
    found = {}
    for row in launch.table("all_reduce") if launch else []:
        if row["method"] != method or None in (row["bytes"], row["mean_ns"], row["lag_ns"]):
            continue
        typical = row["mean_ns"] if row["median_ns"] is None else row["median_ns"]
        ns, wrong = found.get(row["bytes"], (0, 0))
        found[row["bytes"]] = max(ns, typical), wrong + (row["wrong"] or 0)
    least, marked = math.inf, {}
    for size in sorted(found, reverse=True):
        ns, wrong = found[size]
        if ns > 0:
            marked[size] = ns, ns > 1.1 * least, wrong
            least = min(least, ns)
    return dict(sorted(marked.items()))


def line(launch):
    """α in ns and β in bytes a ns of the line with the least absolute relative errors, which runs through two points;
    None where there is none."""
    swept = timings(launch, "in_place") or timings(launch, "synced")
    points = [(size, ns) for size, (ns, disturbed, _) in swept.items() if not disturbed]
    best = None
    for i, (s, t) in enumerate(points):
        for s2, t2 in points[i + 1:]:
            slope = (t2 - t) / (s2 - s)
            latency = t - slope * s
            error = sum(abs(latency + slope * size - ns) / ns for size, ns in points)
            if best is None or error < best[0]:
                best = error, latency, slope
    return (best[1], 1 / best[2]) if best and len(points) > 2 and best[1] > 0 and best[2] > 0 else None
