"""The claims about attention's implementations, recomputed from the rows of their sweeps."""
from checks import PRECISIONS, always, median_limit, near, near_bytes, number, true

CELL_KINDS = {"attention", "limits"}
BACKEND_OF_NAME = {"SDPA flash": "flash", "SDPA efficient": "efficient", "SDPA cuDNN": "cudnn", "SDPA math": "math",
                   "eager": "eager"}


def sweep_rows(run, precision, d=None, method="do_bench"):
    found = []
    for cell in run.of("attention", method=method, precision=PRECISIONS[precision]):
        if d is not None and cell["head_dim"] != d:
            continue
        element_bytes = 2 if cell["precision"] in ("bf16", "fp16") else 4
        for row in cell.ok_launch().table("attention") if cell.ok_launch() else []:
            if row["length"]:
                score_bytes = element_bytes * cell["batch"] * cell["heads"] * row["length"] ** 2
                found.append({**row, "backend": cell["backend"], "d": cell["head_dim"], "heads": cell["heads"],
                              "score_bytes": score_bytes, "batch": cell["batch"]})
    return found


def total_ms(row):
    return row["end_to_end_median_ns"] / 1e6 if row["outcome"] == "ok" and row["end_to_end_median_ns"] else None


def clearly_faster(row, other):
    spreads_ns = row["end_to_end_stddev_ns"], other["end_to_end_stddev_ns"]
    return None not in spreads_ns and other["end_to_end_median_ns"] - row["end_to_end_median_ns"] > sum(spreads_ns)


def timed_by_backend(run, precision, d, length):
    timed = [row for row in sweep_rows(run, precision, int(d)) if row["length"] == number(length) and total_ms(row)]
    return {row["backend"]: row for row in timed}


def fastest(run, precision, d, length, implementation, verb, ratio, ms, eager_ms, moved=None, forward=None, last=None):
    timed = timed_by_backend(run, precision, d, length)
    own, eager = timed[BACKEND_OF_NAME.get(implementation, "custom")], timed["eager"]
    near(ms, total_ms(own))
    near(eager_ms, total_ms(eager))
    near(ratio, total_ms(eager) / total_ms(own), 2)
    true(total_ms(own) <= min(total_ms(row) for row in timed.values()), "another is faster")
    true(clearly_faster(own, eager))
    if verb == "is fastest for forward and backward,":
        true(all(clearly_faster(own, row) for row in timed.values() if row is not own), "it does not lead")
    if moved:
        traffic_ms = 14 * eager["score_bytes"] / median_limit(run, "copy", "bandwidth") * 1e3
        near(moved, traffic_ms)
        near(forward, eager["forward_median_ns"] / 1e6)
        true(0.4 * number(forward) <= traffic_ms * 1.01 and traffic_ms <= number(forward) * 1.01)
    if last:
        launch_bound(run, precision, d, last)


def launch_bound(run, precision, d, up_to):
    """Checks that lengths up to this one take more than twice the longest one's time, scaled by length squared."""
    length_and_ms = sorted((row["length"], total_ms(row)) for row in sweep_rows(run, precision, int(d))
                           if row["backend"] == "eager" and total_ms(row))
    longest, longest_ms = length_and_ms[-1]
    short = [(length, ms) for length, ms in length_and_ms if length <= number(up_to)]
    true(len(short) > 1 and all(ms > 2 * longest_ms * (length / longest) ** 2 for length, ms in short))


def none_is_faster(run, precision, d):
    for length in {row["length"] for row in sweep_rows(run, precision, int(d))}:
        timed = timed_by_backend(run, precision, d, f"{length}")
        if "eager" in timed:
            best = min(timed.values(), key=total_ms)
            true(best is timed["eager"] or not clearly_faster(best, timed["eager"]))


def out_of_memory(run, precision, length, tensor):
    oom = [row for row in sweep_rows(run, precision) if row["backend"] == "eager" and row["outcome"] == "out of memory"]
    at_length = [row for row in oom if row["length"] == number(length)]
    true(at_length)
    near_bytes(tensor, at_length[0]["score_bytes"])


def own_time(run, ms, precision, length, ratio=None, fastest_name=None, slower=None):
    own_rows = [row for row in sweep_rows(run, precision) if row["backend"] == "custom" and total_ms(row)
                and row["length"] == number(length)]
    true(any(abs(total_ms(row) - number(ms)) <= 0.006 * total_ms(row) for row in own_rows))


def own_failure(run, timed, precision):
    rows = sweep_rows(run, precision)
    d = 64 if any(row["d"] == 64 for row in rows) else rows[0]["d"] if rows else None
    own_rows = [row for row in rows if row["backend"] == "custom" and row["d"] == d]
    true(not any(total_ms(row) for row in own_rows), "it is timed")
    has_forward = bool(own_rows and own_rows[0]["forward_median_ns"])
    true(has_forward == (timed == "timed forward only"))


def leader(run, heads, d, length, implementation, verb, ms, rate):
    entries = [row for row in sum((sweep_rows(run, precision, method="leaderboard") for precision in PRECISIONS), [])
               if total_ms(row)]
    best = min(entries, key=total_ms)
    true((best["heads"], best["d"], best["length"]) == (int(heads), int(d), number(length)))
    near(ms, total_ms(best))
    flops = 3.5 * 4 * best["batch"] * best["heads"] * best["length"] ** 2 * best["d"] / 2
    near(rate, flops / (total_ms(best) / 1e3) / 1e12)
    true(implementation not in BACKEND_OF_NAME or best["backend"] == BACKEND_OF_NAME[implementation])
    if verb == "is fastest:":
        true(all(clearly_faster(best, row) for row in entries if row is not best))


def not_offered(run, implementations, precision):
    for name in implementations.replace(" and ", ", ").split(", "):
        backend = BACKEND_OF_NAME.get(name, "custom")
        refused = [row for method in ("do_bench", "leaderboard") for row in sweep_rows(run, precision, method=method)
                   if row["backend"] == backend and row["outcome"] == "not offered"]
        true(refused, f"{name} is offered")


CLAIMS = {
    "flash_benchmarking": [
        (r"No implementation ran: .+", always),
        (r"- \*\*(?P<precision>\w+), d = (?P<d>\d+)\*\*: at (?P<length>[\d,]+) tokens \*\*(?P<implementation>[^*]+)\*\* "
         r"(?P<verb>is fastest for forward and backward,|runs) \*\*(?P<ratio>\S+)×\*\* as fast as eager attention \((?P<ms>\S+) against "
         r"(?P<eager_ms>\S+) ms\)(?:, because it never writes scores to memory: at the measured copy bandwidth that traffic takes "
         r"(?P<moved>\S+) of the (?P<forward>\S+) ms of eager's forward pass)?\.(?: Up to (?P<last>[\d,]+) tokens eager attention is "
         r"launch-bound\.)?", fastest),
        (r"- \*\*(?P<precision>\w+), d = (?P<d>\d+)\*\*: no implementation is faster than eager attention by more than their "
         r"deviations\.", none_is_faster),
        (r"- Eager attention in (?P<precision>\w+) runs out of memory at (?P<length>[\d,]+) tokens, where a tensor of scores takes "
         r"(?P<tensor>\S+ \w+)\.", out_of_memory),
        (r"- \*\*[^*]+ \(yours\)\*\* takes (?P<ms>\S+) ms in (?P<precision>\w+) at (?P<length>[\d,]+) tokens(?:, \*\*(?P<ratio>\S+)×\*\* "
         r"as fast as eager attention)?(?:; (?P<fastest_name>.+?) is (?P<slower>\S+)× as fast)?\.", own_time),
        (r"- [^\n]+? \(yours\) is (?P<timed>not timed|timed forward only) in (?P<precision>\w+): [^\n]+", own_failure),
        (r"- In the leaderboard's configuration \((?P<heads>\d+) heads, d = (?P<d>\d+), (?P<length>[\d,]+) tokens, causal\) "
         r"(?P<implementation>.+?) (?P<verb>is fastest:|takes) \*\*(?P<ms>\S+) ms\*\*, (?P<rate>\S+) TFLOP/s\.", leader),
        (r"- PyTorch does not run (?P<implementations>.+?) in (?P<precision>\w+)\.", not_offered)]}
