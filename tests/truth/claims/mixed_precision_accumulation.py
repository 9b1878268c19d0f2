"""The claims about the accumulation problem, recomputed from the running sums."""
import re

from checks import near, number, true

CELL_KINDS = {"accumulation", "limits"}
LOOPS = ["FP32 += FP32", "FP16 += FP16", "FP32 += FP16", "FP32 += FP16 cast to FP32"]


def launch(run):
    return run.of("accumulation")[0].ok_launch()


def sums(run, loop):
    return launch(run).metric("running", loop)


def rounding(run, loop):
    """Returns the part of a loop's error that comes from its addend, and the rest."""
    taken, addend = sums(run, loop), launch(run).metric("addend", loop)
    from_input = len(taken) * (addend - 0.01)
    return from_input, taken[-1] - 0.01 * len(taken) - from_input


def textbook(run, fp32, fp16):
    near(fp32, sums(run, "fp32+=fp32")[-1])
    near(fp16, sums(run, "fp16+=fp16")[-1])


def steps(run, middle, last):
    from_input, from_sum = rounding(run, "fp16+=fp16")
    true(abs(from_sum) > abs(from_input), "the addend is the reason")
    if not middle:
        return
    taken, addend = sums(run, "fp16+=fp16"), launch(run).metric("addend", "fp16+=fp16")
    half = (len(taken) - 1) // 2
    near(middle, taken[half] - taken[half - 1])
    near(last, taken[-1] - taken[-2])
    true(number(middle) > addend > number(last), "errors of one sign")
    errors = [abs(value - 0.01 * (i + 1)) for i, value in enumerate(taken)]
    true(errors[-1] <= max(errors) / 2, "they do not cancel")


def accumulated(run, mixed, addend):
    near(mixed, sums(run, MIXED)[-1])
    true(sums(run, MIXED) == sums(run, CAST), "the cast changes the sum")
    near(addend, launch(run).metric("addend", MIXED))
    from_input, from_sum = rounding(run, MIXED)
    true(abs(from_input) >= abs(from_sum), "the sum is the reason")


def otherwise(run, loops):
    claimed = re.findall(r"(FP[^.]*?) gives \*\*(\S+)\*\*\.", loops)
    for loop, value in claimed:
        near(value, sums(run, NAMES[loop])[-1])


def missing(run):
    true(launch(run) is None)


MIXED, CAST = "fp32+=fp16", "fp32+=float(fp16)"
NAMES = dict(zip(LOOPS, ["fp32+=fp32", "fp16+=fp16", MIXED, CAST]))
CLAIMS = {"mixed_precision_accumulation": [
    (r"FP32 gives \*\*(?P<fp32>\S+)\*\*, FP16 \*\*(?P<fp16>\S+)\*\*\.", textbook),
    (r"Each addition rounds the FP16 sum(?:: a step adds (?P<middle>\S+) half way and (?P<last>\S+) at the end, and these "
     r"errors nearly cancel)?\.", steps),
    (r"With an FP32 accumulator the result is \*\*(?P<mixed>\S+)\*\*, cast or not; what remains is 0\.01 itself, stored in "
     r"FP16 as (?P<addend>[\d.]+)\.(?= |$)", accumulated),
    (r"The exact sum is 10\.(?P<loops>(?: FP[^.]*? gives \*\*[^*]+\*\*\.)*) This run does not show why\.", otherwise),
    (r"The loops have no result: .*", missing)]}
