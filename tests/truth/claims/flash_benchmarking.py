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


def passes_agree(row):
    """True unless one of the medians was disturbed: both passes in one take about as long as the two apart."""
    both, *apart = (row[f"{name}_median_ns"] for name in ("end_to_end", "forward", "backward"))
    return None not in apart and sum(apart) / 5 <= both <= 5 * sum(apart)


def eager_loses(best, eager):
    return (eager is not None and best is not eager and clearly_faster(best, eager) and passes_agree(best)
            and passes_agree(eager))


def lengths_of(run, precision):
    return sorted({row["length"] for row in sweep_rows(run, precision, described_d(run))})


def fastest(run, precision, implementation, length, end, ratio, ms=None, d=None,
            first_ratio=None, first_length=None):
    """Checks the fastest at the longest length at which eager loses. At `end` eager has run out of memory. The gain
    grows with each length from `first_length` on."""
    true(not d or int(d) == described_d(run))
    won = [length for length in lengths_of(run, precision) if eager_loses(*winner(run, precision, length))]
    true(number(length) == won[-1])
    own, eager = winner(run, precision, won[-1])
    true(BACKEND_OF_NAME.get(implementation, "custom") == own["backend"] or total_ms(own) == total_ms(timed_by_backend(
        run, precision, described_d(run), length)[BACKEND_OF_NAME[implementation]]), "another is faster")
    near(ratio, total_ms(eager) / total_ms(own), 2)
    if ms:
        fastest.first = precision, won, own["backend"]
        near(ms, total_ms(own))
    ends = [row["length"] for row in sweep_rows(run, precision, described_d(run))
            if row["backend"] == "eager" and row["outcome"] == "out of memory"]
    true(not end or ends and won[-1] < min(ends) <= number(end), "eager did not run out of memory")
    if first_length:
        near(first_ratio, growing_gains(run, precision, [key for key in won if key >= number(first_length)],
                                        own["backend"])[0], 2)


def growing_gains(run, precision, lengths, backend):
    """Returns how much faster `backend`, the fastest, is than eager. It gains with each length."""
    grown = [winner(run, precision, length) for length in lengths]
    gains = [total_ms(eager) / total_ms(best) for best, eager in grown]
    true(len(gains) > 1 and all(shorter < longer for shorter, longer in zip(gains, gains[1:])), "the gain does not grow")
    true(all(best["backend"] == backend for best, _ in grown), "another is faster")
    return gains


def none_is_faster(run):
    for precision in PRECISIONS:
        true(not any(eager_loses(*winner(run, precision, length)) for length in lengths_of(run, precision)))


def nothing_ran(run):
    true(not any(row["outcome"] == "ok" for precision in PRECISIONS for row in sweep_rows(run, precision)))


def grows(run, length, eager_rate, implementation, rate):
    """Checks that the gain of the first precision's fastest grows, that its rate rises and eager's hardly, and that
    eager's time hardly grows with d where the two are compared."""
    precision, won, backend = fastest.first
    true(backend == BACKEND_OF_NAME.get(implementation, "custom"))
    rated = [winner(run, precision, key) for key in won if key >= number(length)]
    near(rate, tflops(rated[-1][0]))
    near(eager_rate, max(tflops(eager) for _, eager in rated))
    growing_gains(run, precision, [key for key in won if key >= number(length)], backend)
    ends = winner(run, precision, int(number(length))), winner(run, precision, won[-1])
    own_rise, eager_rise = ((won[-1] / number(length)) ** 2 * total_ms(first) / total_ms(last) for first, last in zip(*ends))
    true(own_rise >= 1.99 and eager_rise <= 1.26, "rates do not rise so")
    rows = {row["d"]: row for row in sweep_rows(run, precision)
            if row["backend"] == "eager" and row["length"] == won[-1] and total_ms(row)}
    true(max(rows) >= 2 * min(rows))
    true(0 <= total_ms(rows[max(rows)]) / total_ms(rows[min(rows)]) - 1 <= 0.0501, "it depends on d")


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


def winner_over_eager(run, length, precision, batch, implementation, ms, ratio):
    """Checks the time of both passes and the gain, and keeps the winner for the sentence that follows."""
    fastest(run, precision, implementation, length, None, ratio, ms)
    own, _ = winner(run, precision, int(number(length)))
    true(own["batch"] == number(batch))


FASTEST_RE = r"(?P<precision>\w+) \*\*(?P<implementation>[^*]+)\*\*"
END_RE = r"(?:; eager runs out of memory at (?P<end>[\d,]+))?"
GROWS_RE = (r"The gain grows from (?P<length>[\d,]+) tokens on: eager attention, held by S² scores, reaches at most "
            r"(?:\*\*)?(?P<eager_rate>\S+) TFLOP/s(?:\*\*)?, (?P<implementation>[^*]+?) (?:\*\*)?(?P<rate>[\d.,]*\d)(?:\*\*)?\.")

CLAIMS = {
    "overview": [
        (r"- \*\*At (?P<length>[\d,]+) tokens in (?P<precision>\w+), batch (?P<batch>\d+), (?P<implementation>[^*]+?) takes (?P<ms>\S+) ms, eager attention "
         r"(?P<ratio>\S+) times as long\.\*\*", winner_over_eager),
        (GROWS_RE, grows)],
    "flash_benchmarking": [
        (r"No implementation is clearly faster than eager attention\.", none_is_faster),
        (r"No implementation was compared: .+?\.(?= \*\*|$)", nothing_ran),
        (rf"In {FASTEST_RE} takes \*\*(?P<ms>\S+) ms\*\* for both passes at (?P<length>[\d,]+) "
         rf"tokens and d = (?P<d>\d+), eager \*\*(?P<ratio>\S+)×\*\* as long{END_RE}\.", fastest),
        (rf"In {FASTEST_RE} is \*\*(?P<ratio>\S+)×\*\* as fast at (?P<length>[\d,]*\d)"
         rf"(?:, up from (?P<first_ratio>\S+)× at (?P<first_length>[\d,]+))?{END_RE}\.", fastest),
        (GROWS_RE, grows),
        (r"\*\*(?P<name>[^*]+ \(yours\))\*\* in (?P<precision>\w+): (?:(?P<ms>\S+) ms at (?P<length>[\d,]+) tokens(?:, where "
         r"(?P<other>[^.]+?) takes (?P<other_ms>\S+) ms)?|(?P<timed>not timed|timed forward only), .+?)\.(?= \*\*|$)", own_time)]}


def tflops(row):
    """Returns the rate of forward and backward by the conventional FLOPs."""
    return 3.5 * 2 * row["batch"] * row["heads"] * row["d"] * row["length"] ** 2 / total_ms(row) / 1e9


def rates(run, implementation, rate, length, eager_rate, precision):
    """Checks the rates of the fastest and of eager at the longest length that eager loses, by the conventional FLOPs."""
    won = [one for one in lengths_of(run, precision) if eager_loses(*winner(run, precision, one))]
    true(number(length) == won[-1])
    own, eager = winner(run, precision, won[-1])
    true(BACKEND_OF_NAME.get(implementation, "custom") == own["backend"], "another is faster")
    near(rate, tflops(own))
    near(eager_rate, tflops(eager))


TITLES = [(r"\*\*Figure \d+[a-z]?\. (?P<implementation>[^*]+?) reaches (?P<rate>\S+) TFLOP/s at (?P<length>[\d,]+) tokens, eager attention "
           r"(?P<eager_rate>\S+), (?P<precision>\w+)\*\*", rates)]
