"""The claims about attention's implementations, recomputed from the rows of their sweeps."""
import re

from checks import PRECISIONS, near, number, true

CELL_KINDS = {"attention"}
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


def described_d(run):
    dims = [cell["head_dim"] for cell in run.of("attention", method="do_bench")]
    return 64 if 64 in dims else dims[0]


def fastest(run, precision, implementation, ms, length, d, ratio):
    true(int(d) == described_d(run))
    timed = timed_by_backend(run, precision, described_d(run), length)
    own, eager = timed[BACKEND_OF_NAME.get(implementation, "custom")], timed["eager"]
    near(ms, total_ms(own))
    near(ratio, total_ms(eager) / total_ms(own), 2)
    true(total_ms(own) <= min(total_ms(row) for row in timed.values()), "another is faster")
    true(clearly_faster(own, eager))
    if getattr(fastest, "run", None) is not run:
        fastest.run, fastest.rows = run, {}
    fastest.rows[precision] = own


def none_is_faster(run):
    for precision in PRECISIONS:
        for length in {row["length"] for row in sweep_rows(run, precision, described_d(run))}:
            timed = timed_by_backend(run, precision, described_d(run), f"{length}")
            if "eager" in timed:
                best = min(timed.values(), key=total_ms)
                true(best is timed["eager"] or not clearly_faster(best, timed["eager"]))


def nothing_ran(run):
    true(not any(row["outcome"] == "ok" for precision in PRECISIONS for row in sweep_rows(run, precision)))


def bound(run, shares, narrow):
    """Checks how much longer the fastest take than with narrower heads, whose FLOPs are at most half as many."""
    true(int(narrow) == min(cell["head_dim"] for cell in run.of("attention", method="do_bench")))
    true(2 * int(narrow) <= described_d(run))
    claimed = re.split(", | and ", shares)
    true(len(claimed) == len(fastest.rows))
    for text, (precision, own) in zip(claimed, fastest.rows.items()):
        same = timed_by_backend(run, precision, narrow, f"{own['length']}")[own["backend"]]
        near(text, 100 * (total_ms(own) / total_ms(same) - 1))
        true(0 < total_ms(own) / total_ms(same) - 1 < 0.2501)


def own_time(run, name, precision, timed=None, ms=None, length=None, other=None, other_ms=None):
    all_rows = sweep_rows(run, precision, described_d(run))
    rows = [row for row in all_rows if total_ms(row)]
    own_rows = [row for row in rows if row["backend"] == "custom"]
    if not ms:
        has_forward = any(row["forward_median_ns"] for row in all_rows if row["backend"] == "custom")
        return true(not own_rows and has_forward == (timed == "timed forward only"))
    longest = own_rows[-1]
    true(longest["length"] == number(length))
    near(ms, total_ms(longest))
    others = [row for row in rows if row["length"] == longest["length"] and row["backend"] != "custom"]
    true(bool(others) == bool(other))
    if other:
        best = min(others, key=total_ms)
        near(other_ms, total_ms(best))
        true(BACKEND_OF_NAME[other] == best["backend"] or total_ms(best) == min(
            total_ms(row) for row in others if row["backend"] == BACKEND_OF_NAME[other]))


CLAIMS = {
    "flash_benchmarking": [
        (r"No implementation is clearly faster than eager attention\.", none_is_faster),
        (r"No implementation was compared: .+?\.(?= \*\*|$)", nothing_ran),
        (r"In (?P<precision>\w+) \*\*(?P<implementation>[^*]+)\*\* takes \*\*(?P<ms>\S+) ms\*\* for forward and backward at "
         r"(?P<length>[\d,]+) tokens and d = (?P<d>\d+), \*\*(?P<ratio>\S+)×\*\* as fast as eager\.", fastest),
        (r"They are (?P<shares>[\d., and]+) % longer than at d = (?P<narrow>\d+), so FLOPs do not set them\.", bound),
        (r"\*\*(?P<name>[^*]+ \(yours\))\*\* in (?P<precision>\w+): (?:(?P<ms>\S+) ms at (?P<length>[\d,]+) tokens(?:, where "
         r"(?P<other>[^.]+?) takes (?P<other_ms>\S+) ms)?|(?P<timed>not timed|timed forward only), .+?)\.(?= \*\*|$)", own_time)]}
