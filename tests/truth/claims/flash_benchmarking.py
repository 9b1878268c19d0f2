"""The claims about attention's implementations, recomputed from the rows of their sweeps."""
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


def winner(run, precision, length):
    """Returns the fastest row and eager's row at a length; None for a row that was not timed."""
    timed = timed_by_backend(run, precision, described_d(run), f"{length}")
    return min(timed.values(), key=total_ms, default=None), timed.get("eager")


def eager_loses(best, eager):
    return eager is not None and best is not eager and clearly_faster(best, eager)


def lengths_of(run, precision):
    return sorted({row["length"] for row in sweep_rows(run, precision, described_d(run))})


def fastest(run, precision, implementation, ms, length, d, ratio, at, first_ratio, first_length):
    """Checks the fastest at the longest length at which eager loses, or, with `at`, beyond the last such length, where
    eager has run out of memory. The gain grows with each length from `first_length` on."""
    true(not d or int(d) == described_d(run))
    won = [length for length in lengths_of(run, precision) if eager_loses(*winner(run, precision, length))]
    true(number(at or length) == won[-1])
    fastest.first = fastest.first if getattr(fastest, "run", None) is run else (precision, won[-1])
    fastest.run = run
    own, eager = winner(run, precision, won[-1])
    near(ratio, total_ms(eager) / total_ms(own), 2)
    if at:
        own, eager = winner(run, precision, int(number(length)))
        true(number(length) > won[-1] and eager is None)
        ends = [row["length"] for row in sweep_rows(run, precision, described_d(run))
                if row["backend"] == "eager" and row["outcome"] == "out of memory"]
        true(ends and min(ends) <= number(length), "eager did not run out of memory")
    near(ms, total_ms(own))
    true(BACKEND_OF_NAME.get(implementation, "custom") == own["backend"] or total_ms(own) == total_ms(timed_by_backend(
        run, precision, described_d(run), length)[BACKEND_OF_NAME[implementation]]), "another is faster")
    if first_length:
        grown = [winner(run, precision, length) for length in won if length >= number(first_length)]
        gains = [total_ms(eager) / total_ms(best) for best, eager in grown]
        near(first_ratio, gains[0], 2)
        true(len(gains) > 1 and all(shorter < longer for shorter, longer in zip(gains, gains[1:])), "the gain does not grow")
        true(all(best["backend"] == own["backend"] for best, _ in grown), "another is faster")


def none_is_faster(run):
    for precision in PRECISIONS:
        true(not any(eager_loses(*winner(run, precision, length)) for length in lengths_of(run, precision)))


def nothing_ran(run):
    true(not any(row["outcome"] == "ok" for precision in PRECISIONS for row in sweep_rows(run, precision)))


def scores(run, precision, more, narrow, wide):
    """Checks that eager's time hardly grows with d where the first precision's fastest is compared with it."""
    first_precision, length = fastest.first
    true(precision == first_precision)
    rows = {row["d"]: row for row in sweep_rows(run, precision)
            if row["backend"] == "eager" and row["length"] == length and total_ms(row)}
    true((int(narrow), int(wide)) == (min(rows), max(rows)) and int(wide) >= 2 * int(narrow))
    growth = total_ms(rows[int(wide)]) / total_ms(rows[int(narrow)]) - 1
    near(more, 100 * growth)
    true(0 <= growth <= 0.0501, "it depends on d")


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


def winner_over_eager(run, length, precision, implementation, ms, ratio):
    fastest(run, precision, implementation, ms, length, None, ratio, None, None, None)


def scores_set_eager(run, more, narrow, wide):
    scores(run, fastest.first[0], more, narrow, wide)


CLAIMS = {
    "overview": [
        (r"- \*\*At (?P<length>[\d,]+) tokens in (?P<precision>\w+) (?P<implementation>[^*]+?) takes (?P<ms>\S+) ms, eager attention "
         r"(?P<ratio>\S+) times as long\.\*\*", winner_over_eager),
        (r"Eager's S² scores set its time, which grows only (?P<more>\S+) % from d = (?P<narrow>\d+) to (?P<wide>\d+)\.",
         scores_set_eager)],
    "flash_benchmarking": [
        (r"No implementation is clearly faster than eager attention\.", none_is_faster),
        (r"No implementation was compared: .+?\.(?= \*\*|$)", nothing_ran),
        (r"In (?P<precision>\w+) \*\*(?P<implementation>[^*]+)\*\* takes \*\*(?P<ms>\S+) ms\*\* at (?P<length>[\d,]+) "
         r"tokens(?: and d = (?P<d>\d+) for forward and backward)?, (?:eager |where eager runs out of memory \()"
         r"\*\*(?P<ratio>\S+)×\*\*(?: as long| at (?P<at>[\d,]+)\))(?:, up from (?P<first_ratio>\S+)× at (?P<first_length>[\d,]+))?\.", fastest),
        (r"Eager's (?P<precision>\w+) time grows (?P<more>\S+) % from d = (?P<narrow>\d+) to (?P<wide>\d+): its S² scores set it\.",
         scores),
        (r"\*\*(?P<name>[^*]+ \(yours\))\*\* in (?P<precision>\w+): (?:(?P<ms>\S+) ms at (?P<length>[\d,]+) tokens(?:, where "
         r"(?P<other>[^.]+?) takes (?P<other_ms>\S+) ms)?|(?P<timed>not timed|timed forward only), .+?)\.(?= \*\*|$)", own_time)]}
