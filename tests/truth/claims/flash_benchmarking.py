"""The claims about attention's implementations, recomputed from the rows of their sweeps."""
from checks import PRECISIONS, always, median_limit, near, near_bytes, number, true

CELL_KINDS = {"attention", "limits"}
BACKENDS = {"SDPA flash": "flash", "SDPA efficient": "efficient", "SDPA cuDNN": "cudnn", "SDPA math": "math",
            "eager": "eager"}


def rows(run, precision, d=None, method="do_bench"):
    found = []
    for cell in run.of("attention", method=method, precision=PRECISIONS[precision]):
        if d is not None and cell["head_dim"] != d:
            continue
        width = 2 if cell["precision"] in ("bf16", "fp16") else 4
        for row in cell.ok_launch().table("attention") if cell.ok_launch() else []:
            if row["length"]:
                scores = width * cell["batch"] * cell["heads"] * row["length"] ** 2
                found.append({**row, "backend": cell["backend"], "d": cell["head_dim"], "heads": cell["heads"],
                              "scores": scores, "batch": cell["batch"]})
    return found


def whole_ms(row):
    return row["end_to_end_median_ns"] / 1e6 if row["outcome"] == "ok" and row["end_to_end_median_ns"] else None


def clearly_faster(row, other):
    spreads = row["end_to_end_stddev_ns"], other["end_to_end_stddev_ns"]
    return None not in spreads and other["end_to_end_median_ns"] - row["end_to_end_median_ns"] > sum(spreads)


def at(run, precision, d, length):
    ran = [row for row in rows(run, precision, int(d)) if row["length"] == number(length) and whole_ms(row)]
    return {row["backend"]: row for row in ran}


def fastest(run, precision, d, length, implementation, verb, ratio, ms, eager_ms, moved=None, forward=None, last=None):
    beside = at(run, precision, d, length)
    own, eager = beside[BACKENDS.get(implementation, "custom")], beside["eager"]
    near(ms, whole_ms(own))
    near(eager_ms, whole_ms(eager))
    near(ratio, whole_ms(eager) / whole_ms(own), 2)
    true(whole_ms(own) <= min(whole_ms(row) for row in beside.values()), "another is faster")
    true(clearly_faster(own, eager))
    if verb == "is fastest for forward and backward,":
        true(all(clearly_faster(own, row) for row in beside.values() if row is not own), "it does not lead")
    if moved:
        traffic = 14 * eager["scores"] / median_limit(run, "copy", "bandwidth") * 1e3
        near(moved, traffic)
        near(forward, eager["forward_median_ns"] / 1e6)
        true(0.4 * number(forward) <= traffic * 1.01 and traffic <= number(forward) * 1.01)
    if last:
        launch_bound(run, precision, d, last)


def launch_bound(run, precision, d, last):
    """Checks that lengths up to `last` take more than twice as long as at the rate of the longest."""
    times = sorted((row["length"], whole_ms(row)) for row in rows(run, precision, int(d))
                   if row["backend"] == "eager" and whole_ms(row))
    longest = times[-1]
    early = [(length, ms) for length, ms in times if length <= number(last)]
    true(len(early) > 1 and all(ms > 2 * longest[1] * (length / longest[0]) ** 2 for length, ms in early))


def none_is_faster(run, precision, d):
    for length in {row["length"] for row in rows(run, precision, int(d))}:
        beside = at(run, precision, d, f"{length}")
        if "eager" in beside:
            best = min(beside.values(), key=whole_ms)
            true(best is beside["eager"] or not clearly_faster(best, beside["eager"]))


def out_of_memory(run, precision, length, tensor):
    out = [row for row in rows(run, precision) if row["backend"] == "eager" and row["outcome"] == "out of memory"]
    fitting = [row for row in out if row["length"] == number(length)]
    true(fitting)
    near_bytes(tensor, fitting[0]["scores"])


def own_time(run, ms, precision, length, ratio=None, fastest_name=None, slower=None):
    custom = [row for row in rows(run, precision) if row["backend"] == "custom" and whole_ms(row)
              and row["length"] == number(length)]
    true(any(abs(whole_ms(row) - number(ms)) <= 0.006 * whole_ms(row) for row in custom))


def leader(run, heads, d, length, implementation, verb, ms, rate):
    board = [row for row in sum((rows(run, precision, method="leaderboard") for precision in PRECISIONS), [])
             if whole_ms(row)]
    best = min(board, key=whole_ms)
    true((best["heads"], best["d"], best["length"]) == (int(heads), int(d), number(length)))
    near(ms, whole_ms(best))
    flops = 3.5 * 4 * best["batch"] * best["heads"] * best["length"] ** 2 * best["d"] / 2
    near(rate, flops / (whole_ms(best) / 1e3) / 1e12)
    true(implementation not in BACKENDS or best["backend"] == BACKENDS[implementation])
    if verb == "is fastest:":
        true(all(clearly_faster(best, row) for row in board if row is not best))


def not_offered(run, implementations, precision):
    for name in implementations.replace(" and ", ", ").split(", "):
        backend = BACKENDS.get(name, "custom")
        refused = [row for method in ("do_bench", "leaderboard") for row in rows(run, precision, method=method)
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
        (r"- .+ \(yours\) is not timed in \w+: [^\n]+", always),
        (r"- In the leaderboard's configuration \((?P<heads>\d+) heads, d = (?P<d>\d+), (?P<length>[\d,]+) tokens, causal\) "
         r"(?P<implementation>.+?) (?P<verb>is fastest:|takes) \*\*(?P<ms>\S+) ms\*\*, (?P<rate>\S+) TFLOP/s\.", leader),
        (r"- PyTorch does not run (?P<implementations>.+?) in (?P<precision>\w+)\.", not_offered)]}
