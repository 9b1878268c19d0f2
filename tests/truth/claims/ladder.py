"""The claims about the ladder, recomputed from its rungs' steps."""
import re
import statistics

from checks import PRECISIONS, always, near, number, true

CELL_KINDS = {"ladder", "limits"}
VARIANTS = {"SDPA": "sdpa", "fused AdamW": "fused_adamw", "matmul": "matmul", "CUDA graph": "cuda_graph"}
CHANGE_PATTERN = r"(?P<change>[\w .]+)"


def timed_steps_ms(cell):
    samples = cell.ok_launch() and cell.ok_launch().metric("step", "total")
    return [sample / 1e6 for sample in samples[cell["warmup"]:cell["warmup"] + cell["steps"]]] if samples else []


def ran_rungs(run, network):
    """Returns (cell, mean ms per step) of each rung of "<size> in <precision>" that ran, in order."""
    size, precision = re.match(r"(.+) in (\w+)$", network).groups()
    # An FP32 ladder goes on in TF32, because that is one of its changes.
    wanted = {PRECISIONS[precision]} | ({"tf32"} if precision == "FP32" else set())
    cells = [cell for cell in run.of("ladder", size=size) if cell["precision"] in wanted]
    return [(cell, statistics.fmean(timed_steps_ms(cell))) for cell in cells if timed_steps_ms(cell)]


def gpu_busy_ms(cell):
    value = cell.ok_launch().metric("profile", "busy")
    return None if value is None else value / 1e6


def ladder(run, words, speedup, first, last, change=None, saved=None, what=None, before=None, after=None):
    """Checks a ladder's sentences. `last` is the fastest step in ms; `what` is the time that falls with the change."""
    rungs = ran_rungs(run, words)
    fastest_ms = min(ms for _, ms in rungs)
    near(speedup, rungs[0][1] / fastest_ms)
    near(first, rungs[0][1])
    near(last, fastest_ms)
    if not change:
        return
    neighbours = list(zip(rungs, rungs[1:]))
    fitting = [(old, new) for old, new in neighbours
               if abs(old[1] - new[1] - number(saved)) <= 0.006 * number(saved) + 0.006]
    true(fitting, f"no change saves {saved} ms")
    (old_cell, old_ms), (new_cell, new_ms) = fitting[0]
    if change in VARIANTS:
        true(new_cell["variant"] == VARIANTS[change] or VARIANTS[change] in (new_cell["variant"] or ""))
    saved_ms = old_ms - new_ms
    idle_share = lambda cell, ms: 1 - (gpu_busy_ms(cell) or ms) / ms
    for old, new in neighbours:  # A larger saving refutes the answer, but not between two mostly idle steps.
        larger = old[1] - new[1] > saved_ms * 1.0001
        true(not larger or min(idle_share(*old), idle_share(*new)) > 0.5, "another change saves more")
    if what == "GPU idle time":
        old_part_ms, new_part_ms = (max(0, ms - gpu_busy_ms(cell)) for cell, ms in fitting[0])
        true(old_part_ms - new_part_ms >= saved_ms / 2)
    elif what:
        old_part_ms, new_part_ms = gpu_busy_ms(old_cell), gpu_busy_ms(new_cell)
    if what:
        near(before, old_part_ms)
        near(after, new_part_ms)
        true(new_part_ms < old_part_ms, f"{what} does not fall")


def losses_differ(run, words, difference, change):
    first_rungs_losses = None
    percents = []  # the largest difference in the first five steps, by rung
    for cell, _ in ran_rungs(run, words):
        losses = cell.ok_launch().metric("losses", "total")
        first_rungs_losses = first_rungs_losses or losses
        if losses and first_rungs_losses:
            percents.append(100 * max(abs(b / a - 1) for a, b in list(zip(first_rungs_losses, losses))[:5]))
    true(any(abs(percent - number(difference)) <= 0.06 for percent in percents) and number(difference) >= 0.9, change)


CLAIMS = {
    "ladder": [
        (r"No ladder has two rungs that ran: .+", always),
        (rf"- \*\*(?P<words>.+? in \w+): (?P<speedup>\S+)×\*\*, from (?P<first>\S+) to (?P<last>\S+) ms per step\."
         rf"(?: \*\*{CHANGE_PATTERN}\*\* saves most, (?P<saved>\S+) ms(?:, because (?:GEMMs run on tensor cores: )?"
         r"(?P<what>GPU idle time|GPU time) falls from (?P<before>\S+) to (?P<after>\S+) ms"
         r"(?:, while GPU idle time rises from \S+ to \S+ ms)?)?\.)?", ladder),
        (r"- The loss of (?P<words>.+?) differs from the first rung's by (?P<difference>\S+) % with (?P<change>.+?), more than "
         r"rounding explains\.", losses_differ)]}
