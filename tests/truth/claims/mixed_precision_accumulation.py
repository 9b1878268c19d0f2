"""The claims about the accumulation problem, recomputed from the running sums."""
from checks import NO_ANSWER, near, true

CELL_KINDS = {"accumulation", "limits"}
FP16, MIXED, CAST = "fp16+=fp16", "fp32+=fp16", "fp32+=float(fp16)"


def launch(run):
    return run.of("accumulation")[0].ok_launch()


def running_sums(run, loop):
    """Returns the sum after each addition of 0.01."""
    return launch(run).metric("running", loop)


def stored_addend(run, loop):
    """Returns 0.01 as the loop's precision stores it."""
    return launch(run).metric("addend", loop)


def error_parts(run, loop):
    """Returns the part of a loop's error that comes from its addend, and the rest, which comes from rounding sums."""
    sums = running_sums(run, loop)
    from_addend = len(sums) * (stored_addend(run, loop) - 0.01)
    return from_addend, sums[-1] - 0.01 * len(sums) - from_addend


def one_precision(run, fp32, fp16):
    """Checks the sums of the loops in one precision, and that their errors come from rounding sums, FP16's mostly."""
    near(fp32, running_sums(run, "fp32+=fp32")[-1])
    near(fp16, running_sums(run, FP16)[-1])
    for loop in ("fp32+=fp32", FP16):
        from_addend, from_sums = error_parts(run, loop)
        true(abs(from_sums) > abs(from_addend), "the addend is the reason")


def cancelling_errors(run, midway, last):
    """Checks by how much FP16's sum grows in the middle and at the end, and that most of its largest error goes again."""
    sums, addend = running_sums(run, FP16), stored_addend(run, FP16)
    half = (len(sums) - 1) // 2
    near(midway, sums[half] - sums[half - 1])
    near(last, sums[-1] - sums[-2])
    true(sums[half] - sums[half - 1] > addend > sums[-1] - sums[-2], "errors of one sign")
    errors = [value - 0.01 * (i + 1) for i, value in enumerate(sums)]
    true(abs(errors[-1]) <= max(map(abs, errors)) / 2, "they do not cancel")


def rounded_addend(run, mixed, addend):
    """Checks the reason of the loops with an FP32 sum and FP16 addends. `mixed` is their result."""
    near(mixed, running_sums(run, MIXED)[-1])
    true(running_sums(run, MIXED) == running_sums(run, CAST), "the cast changes the sum")
    near(addend, stored_addend(run, MIXED))
    from_addend, from_sums = error_parts(run, MIXED)
    true(abs(from_addend) >= abs(from_sums), "the sum is the reason")


def unanswered(run):
    """Checks that loops are missing, or that one errs for another reason than the answer would give."""
    known = launch(run) and all(running_sums(run, loop) and stored_addend(run, loop)
                                for loop in ("fp32+=fp32", FP16, MIXED, CAST))
    if not known or running_sums(run, MIXED) != running_sums(run, CAST):
        return
    parts = {loop: [abs(part) for part in error_parts(run, loop)] for loop in ("fp32+=fp32", FP16, MIXED)}
    by_sums = [parts[loop][1] > parts[loop][0] for loop in ("fp32+=fp32", FP16, MIXED)]
    true(by_sums != [True, True, False], "the usual reason holds")


CLAIMS = {"mixed_precision_accumulation": [
    (NO_ANSWER, unanswered),
    (r"FP32 gives \*\*(?P<fp32>\S+)\*\*, FP16 \*\*(?P<fp16>\S+)\*\*, because each addition rounds the sum to its "
     r"format's nearest number\.", one_precision),
    (r"FP16 thus adds (?P<midway>\S+) midway and (?P<last>\S+) at the end, errors that mostly cancel\.",
     cancelling_errors),
    (r"With an FP32 accumulator the result is \*\*(?P<mixed>\S+)\*\*, cast or not, as FP32 holds every FP16 number exactly; "
     r"what remains is 0\.01 itself, stored in FP16 as (?P<addend>[\d.]+)\.(?= |$)", rounded_addend)]}
