"""The claims about the ladder, recomputed from its rungs' steps."""
import re
import statistics

from checks import PRECISIONS, always, near, number, true

CELL_KINDS = {"ladder", "limits"}
RUNGS = {"SDPA": "sdpa", "fused AdamW": "fused_adamw", "matmul": "matmul", "CUDA graph": "cuda_graph"}
CHANGES = r"(?P<change>[\w .]+)"


def steps_ms(cell):
    samples = cell.ok_launch() and cell.ok_launch().metric("step", "total")
    return [sample / 1e6 for sample in samples[cell["warmup"]:cell["warmup"] + cell["steps"]]] if samples else []


def rungs(run, words):
    """Returns the rungs that ran, in order. An FP32 ladder goes on in TF32."""
    size, precision = re.match(r"(.+) in (\w+)$", words).groups()
    wanted = {PRECISIONS[precision]} | ({"tf32"} if precision == "FP32" else set())
    cells = [cell for cell in run.of("ladder", size=size) if cell["precision"] in wanted]
    return [(cell, statistics.fmean(steps_ms(cell))) for cell in cells if steps_ms(cell)]


def busy(cell):
    value = cell.ok_launch().metric("profile", "busy")
    return None if value is None else value / 1e6


def ladder(run, words, speedup, first, last, change=None, saved=None, what=None, before=None, after=None):
    ran = rungs(run, words)
    best = min(ms for _, ms in ran)
    near(speedup, ran[0][1] / best)
    near(first, ran[0][1])
    near(last, best)
    if not change:
        return
    gains = [(one, two) for one, two in zip(ran, ran[1:])]
    fitting = [(one, two) for one, two in gains if abs(one[1] - two[1] - number(saved)) <= 0.006 * number(saved) + 0.006]
    true(fitting, f"no change saves {saved} ms")
    one, two = fitting[0]
    if change in RUNGS:
        true(two[0]["variant"] == RUNGS[change] or RUNGS[change] in (two[0]["variant"] or ""))
    saving = one[1] - two[1]
    idle = lambda rung: 1 - (busy(rung[0]) or rung[1]) / rung[1]
    for other, to in gains:  # A larger saving refutes the answer, but not between two mostly idle steps.
        larger = other[1] - to[1] > saving * 1.0001
        true(not larger or min(idle(other), idle(to)) > 0.5, "another change saves more")
    if what == "GPU idle time":
        ends = [max(0, rung[1] - busy(rung[0])) for rung in (one, two)]
        true(ends[0] - ends[1] >= saving / 2)
    elif what:
        ends = [busy(rung[0]) for rung in (one, two)]
    if what:
        near(before, ends[0])
        near(after, ends[1])
        true(ends[1] < ends[0], f"{what} does not fall")


def losses_differ(run, words, difference, change):
    first = None
    found = []
    for cell, _ in rungs(run, words):
        losses = cell.ok_launch().metric("losses", "total")
        first = first or losses
        if losses and first:
            found.append(100 * max(abs(b / a - 1) for a, b in list(zip(first, losses))[:5]))
    true(any(abs(value - number(difference)) <= 0.06 for value in found) and number(difference) >= 0.9, change)


CLAIMS = {
    "ladder": [
        (r"No ladder has two rungs that ran: .+", always),
        (rf"- \*\*(?P<words>.+? in \w+): (?P<speedup>\S+)×\*\*, from (?P<first>\S+) to (?P<last>\S+) ms per step\."
         rf"(?: \*\*{CHANGES}\*\* saves most, (?P<saved>\S+) ms(?:, because (?:GEMMs run on tensor cores: )?"
         r"(?P<what>GPU idle time|GPU time) falls from (?P<before>\S+) to (?P<after>\S+) ms"
         r"(?:, while GPU idle time rises from \S+ to \S+ ms)?)?\.)?", ladder),
        (r"- The loss of (?P<words>.+?) differs from the first rung's by (?P<difference>\S+) % with (?P<change>.+?), more than "
         r"rounding explains\.", losses_differ)]}
