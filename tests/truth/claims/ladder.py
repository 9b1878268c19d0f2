"""The claims about the ladder, recomputed from its rungs' steps."""
import re
import statistics

from checks import NO_ANSWER, PRECISIONS, PRECISION_WORDS, near, number, true
from gemms import SHEET_BANDWIDTHS, peak_bandwidth, peak_flop_rate
from timing import LAUNCH_BOUND_BELOW, is_clear, near_ratio, ratio_of, typical

CELL_KINDS = {"ladder", "limits"}
VARIANTS = {"SDPA": "sdpa", "fused AdamW": "fused_adamw", "matmul": "matmul", "CUDA graph": "cuda_graph"}
CHANGE_PATTERN = r"(?P<change>[\w ,.]+)"
FIRST_AND_LAST_RE = r"(?P<first>\S+)(?: ± (?P<first_spread>\S+))? to (?P<last>\S+)(?: ± (?P<last_spread>\S+))?"


def timed_steps_ms(cell):
    samples = cell.ok_launch() and cell.ok_launch().metric("step", "total")
    return [sample / 1e6 for sample in samples[cell["warmup"]:cell["warmup"] + cell["steps"]]] if samples else []


def ran_rungs(run, network):
    """Returns (cell, ms per step) of each rung of "<size> in <precision>" or "<size>, FP32 to TF32" that ran."""
    size, *precisions = re.match(r"(.+?)(?: in (\w+)|, (FP32) to (TF32))$", network).groups()
    wanted = [PRECISIONS[precision] for precision in precisions if precision]
    cells = [cell for cell in run.of("ladder", size=size) if cell["precision"] in wanted]
    return [(cell, typical(timed_steps_ms(cell))) for cell in cells if timed_steps_ms(cell)]


def gpu_busy_ms(cell):
    value = cell.ok_launch().metric("profile", "busy")
    return None if value is None else value / 1e6


def idle_ms(cell, ms):
    return max(0, ms - gpu_busy_ms(cell))


def kernel_share(cell, ms):
    """Returns the share of the step that kernels fill; 1 if the step was not profiled."""
    return min(1, (ms if gpu_busy_ms(cell) is None else gpu_busy_ms(cell)) / ms)


def is_launch_bound(rung):
    return kernel_share(*rung) < LAUNCH_BOUND_BELOW


def scatter_ms(cell):
    steps_ms = timed_steps_ms(cell)
    return statistics.stdev(steps_ms) if len(steps_ms) > 1 else 0


def ladder(run, words, speedup, first, first_spread, last, last_spread, change, saved, reason, fewer, bytes_moved, what, before, after, fall, rise,
           bound, end, share_before, share_after, idle=None, all_saved=None):
    """Checks a ladder's sentences. `last` is the fastest step in ms; `what` is the time that falls with the change,
    `fewer` the number of kernels by which it falls, `bytes_moved` those of a parameter in AdamW after and before. `end`
    is the change that ends the launch-bound steps. `change` names several changes if steps between them are launch-bound."""
    rungs = ran_rungs(run, words)
    fastest_ms = min(ms for _, ms in rungs)
    fastest = next(cell for cell, ms in rungs if ms == fastest_ms)
    both = timed_steps_ms(rungs[0][0]), timed_steps_ms(fastest)
    true(is_clear(*both), "the fastest step is not clearly shorter")
    if speedup:
        near_ratio(speedup, *ratio_of(*both))
    for text, spread, cell in ((first, first_spread, rungs[0][0]), (last, last_spread, fastest)):
        near(text, statistics.fmean(timed_steps_ms(cell)) if speedup else typical(timed_steps_ms(cell)))
        near(spread or "0", scatter_ms(cell) if speedup else 0)
    if speedup:
        idle_ends(rungs[0], (fastest, fastest_ms), idle, all_saved)
    neighbours = list(zip(rungs, rungs[1:]))
    true(not end or is_launch_bound(rungs[0]), "the first step is not launch-bound")
    if end:
        old, new = next((old, new) for old, new in neighbours
                        if is_launch_bound(old) and gpu_busy_ms(new[0]) is not None and not is_launch_bound(new))
        true(end not in VARIANTS or VARIANTS[end] in (new[0]["variant"] or "") or new[0]["precision"] == "tf32")
        near(share_before, 100 * kernel_share(*old))
        near(share_after, 100 * kernel_share(*new))
    if not change:
        return
    ranked = [rung for rung in rungs if not is_launch_bound(rung)]
    neighbours = list(zip(ranked, ranked[1:]))
    fitting = [(old, new) for old, new in neighbours
               if abs(old[1] - new[1] - number(saved)) <= 0.006 * number(saved) + 0.006]
    true(fitting, f"no change saves {saved} ms")
    (old_cell, old_ms), (new_cell, new_ms) = fitting[0]
    changes = re.split(", | and ", change)
    changed = [cell for cell, _ in rungs]
    changed = changed[changed.index(old_cell) + 1:changed.index(new_cell) + 1]
    true(len(changes) == len(changed), "other changes")
    true(all(name not in VARIANTS or VARIANTS[name] in (cell["variant"] or "") for name, cell in zip(changes, changed)))
    saved_ms = old_ms - new_ms
    true(all(old[1] - new[1] <= saved_ms * 1.0001 for old, new in neighbours), "another change saves more")
    true(not is_launch_bound(rungs[0]), "a launch-bound step is ranked")
    true(None not in (gpu_busy_ms(old_cell), gpu_busy_ms(new_cell)), "a step without a profile is ranked")
    true(saved_ms >= scatter_ms(old_cell) + scatter_ms(new_cell), "the steps scatter by as much")
    kernels = [cell.ok_launch().metric("profile", "kernels") for cell in (old_cell, new_cell)]
    true((bound is not None) == (len(changes) > 1), "changes that count together are told apart")
    if bound:
        true(re.split(", | and ", bound) == changes[:-1], "another change ends it")
        true(all(is_launch_bound(rung) for rung in rungs if rung[0] in changed[:-1]), "a step between is not launch-bound")
    if fewer:
        near(fewer, kernels[0] - kernels[1])
    if reason and "scores" in reason:
        true(changes[-1] == "SDPA")
        peaks = [cell.ok_launch().metric("memory", "peak_allocated") for cell in (old_cell, new_cell)]
        true(peaks[1] < peaks[0], "attention's scores stay in memory")
    if reason and "tensor cores" in reason:
        true(old_cell["precision"] != new_cell["precision"], "GEMMs run as before")
    if bytes_moved:
        true(bytes_moved == "28 instead of 132" and changes[-1] == "fused AdamW")
    if not what:
        return
    parts = {"GPU idle time": lambda: [idle_ms(*rung) for rung in fitting[0]],
             "GPU idle time a kernel": lambda: [1e3 * idle_ms(*rung) / count for rung, count in zip(fitting[0], kernels)],
             "its GPU time": lambda: [cell.ok_launch().metric("busy", "optimizer") / 1e6 for cell, _ in fitting[0]],
             "GPU time": lambda: [gpu_busy_ms(cell) for cell, _ in fitting[0]]}[what]()
    if fall:
        near(fall, parts[0] - parts[1])
    else:
        near(before, parts[0])
        near(after, parts[1])
    true(parts[1] < parts[0], f"{what} does not fall")
    if what == "GPU time":
        old_idle_ms, new_idle_ms = (idle_ms(*rung) for rung in fitting[0])
        true(not fewer, "fewer kernels are no reason for GPU time")
        true(bool(rise) == (new_idle_ms - old_idle_ms >= 0.2 * saved_ms), "idle time takes something back")
        if rise:
            near(rise, new_idle_ms - old_idle_ms)
    if what == "its GPU time":
        true(parts[0] - parts[1] >= saved_ms / 2)
    if what.startswith("GPU idle time"):
        old_idle_ms, new_idle_ms = (idle_ms(*rung) for rung in fitting[0])
        true(old_idle_ms - new_idle_ms >= saved_ms / 2)


def idle_ends(first, fastest, idle, all_saved):
    """Checks that a fifth or more of what all changes save is idle time, if the sentence says so, and else that it is less."""
    if None in (gpu_busy_ms(first[0]), gpu_busy_ms(fastest[0])):
        return true(not idle, "a step without a profile")
    ended_ms, saved_ms = idle_ms(*first) - idle_ms(*fastest), first[1] - fastest[1]
    true(bool(idle) == (not is_launch_bound(first) and ended_ms >= 0.2 * saved_ms), f"{ended_ms} of {saved_ms} ms are idle time")
    if idle:
        near(idle, ended_ms)
        near(all_saved, saved_ms)


def first_and_fastest_ms(run, words):
    """Returns the times of the first rung's steps and of the fastest rung's."""
    rungs = ran_rungs(run, words)
    return [timed_steps_ms(cell) for cell in (rungs[0][0], min(rungs, key=lambda rung: rung[1])[0])]


def no_clear_gain(run, words, first, first_spread, last, last_spread):
    both = first_and_fastest_ms(run, words)
    true(not is_clear(*both), "the fastest step is clearly shorter")
    for text, spread, steps_ms in zip((first, last), (first_spread, last_spread), both):
        near(text, statistics.fmean(steps_ms))
        near(spread or "0", statistics.stdev(steps_ms) if len(steps_ms) > 1 else 0)


def together(run, words, first, last):
    """Checks the first and the fastest step; the claims of the ladder check the changes."""
    if first:
        both = first_and_fastest_ms(run, words)
        ratio, deviation = ratio_of(*both)
        true(is_clear(*both) and deviation <= 0.1 * ratio, "the ratio is not certain")
        near(first, typical(both[0]))
        near(last, typical(both[1]))


def losses_differ(run, words, difference, change):
    first_rungs_losses = None
    percents = []  # the largest difference in the first five steps, by rung
    for cell, _ in ran_rungs(run, words):
        losses = cell.ok_launch().metric("losses", "total")
        first_rungs_losses = first_rungs_losses or losses
        if losses and first_rungs_losses:
            percents.append(100 * max(abs(b / a - 1) for a, b in list(zip(first_rungs_losses, losses))[:5]))
    true(any(abs(percent - number(difference)) <= 0.06 for percent in percents) and number(difference) >= 0.9, change)


def unanswered(run):
    """Checks that no ladder has two rungs that ran."""
    for cell in run.of("ladder"):
        precision = PRECISION_WORDS[cell["precision"]]
        words = f"{cell['size']} in {precision}" if precision != "TF32" else f"{cell['size']}, FP32 to TF32"
        true(len(ran_rungs(run, words)) < 2, words)


def effect_pattern(bold):
    """Returns the pattern of a change and its effect; `bold` marks the change."""
    return (rf"{bold}{CHANGE_PATTERN}{bold}{{}}saves? most(?: together)?, (?P<saved>\S+) ms(?:, because "
            r"(?P<reason>GEMMs run on tensor cores: |attention writes no scores to memory: |(?P<fewer>\S+) fewer kernels run: "
            r"|AdamW moves (?P<bytes_moved>.+?) bytes a parameter: )?"
            r"(?P<what>GPU idle time a kernel|GPU idle time|its GPU time|GPU time) falls (?:from (?P<before>\S+) to (?P<after>\S+) µs"
            r"|by (?P<fall>\S+) ms)(?:, but GPU idle time rises by (?P<rise>\S+) ms)?)?(?:\. With (?P<bound>[\w ,.]+?) alone the step is launch-bound)?\."), (
            rf"{bold}(?P<end>[\w .]+){bold}{{}}ends the launch-bound steps: kernels fill "
            r"(?P<share_before>\S+) % of the step before it and (?P<share_after>\S+) % with it\.")


def effects(opening, bold, verb):
    """Returns the pattern of both kinds of effects, each optional, after `opening`; `verb` stands between change and effect."""
    return "".join(f"(?: {opening} {pattern.replace('{}', verb)})?" for pattern in effect_pattern(bold))


def foremost(run, words, first, last, factor, peaks, peak, **effect):
    """Checks the summary's sentences on the largest network, in 16 bits if it ran so."""
    ladder(run, words, None, first, None, last, None, **effect)
    ratio, deviation = ratio_of(*first_and_fastest_ms(run, words))
    near_ratio(factor or f"{ratio:.9f}", ratio, deviation)
    rungs = ran_rungs(run, words)
    cells = [cell for cell in run.of("ladder") if timed_steps_ms(cell)]
    ladders = [(cell["size"], cell["precision"] in ("fp32", "tf32")) for cell in cells]
    true(rungs[0][0].parameters() == max(cell.parameters() for cell, own in zip(cells, ladders) if ladders.count(own) > 1))
    if peak:
        cell, precision = rungs[0][0], run_precision(run, words)
        tokens, width = cell["batch"] * cell["context"], cell["d_model"]
        layer_flops = 2 * tokens * width * (4 * width + 3 * cell["d_ff"]) + 4 * tokens * cell["context"] * width
        flops = 3 * (cell["layers"] * layer_flops + 2 * tokens * width * cell["vocab"])
        seconds = flops / peak_flop_rate(run, precision) + 28 * cell.parameters() / peak_bandwidth(run)
        near(peak, 1e3 * seconds)
        has_sheet = run.data["devices"][0]["name"] in SHEET_BANDWIDTHS
        true(peaks == ("data-sheet peaks" if has_sheet else "measured peaks"))


def run_precision(run, words):
    """Returns the precision of the last rung of that ladder, whether it ran or not."""
    return "tf32" if words.endswith("TF32") else PRECISIONS[words.split(" in ")[1]]


CLAIMS = {
    "overview": [
        (r"- \*\*A training step of (?P<words>[^*]+?(?: in \w+|, FP32 to TF32)) falls from (?P<first>\S+) to (?P<last>\S+) ms"
         r"(?:, by a factor of (?P<factor>[^*]+))?\.\*\*"
         + effects("Among the changes,", "", " ") + r"(?: At (?P<peaks>data-sheet peaks|measured peaks|peak rates) its GEMMs and AdamW alone would take (?P<peak>\S+) ms\.)?", foremost),
        (r"- \*\*What saves most in (?P<words>[^*]+?(?: in \w+|, FP32 to TF32)): [^*]+\.\*\*"
         r"(?: All changes of the ladder together take its step from (?P<first>\S+) to (?P<last>\S+) ms\.)?", together)],
    "ladder": [
        (NO_ANSWER, unanswered),
        (rf"- \*\*(?P<words>[^*]+?(?: in \w+|, FP32 to TF32)): (?P<speedup>[^×*]+)×\*\*, from {FIRST_AND_LAST_RE} ms per "
         r"step(?:, where (?P<idle>\S+) of the (?P<all_saved>\S+) ms saved are GPU idle time that ends)?\." + effects("Begin with", r"\*\*", ", which "), ladder),
        (rf"- \*\*(?P<words>[^*]+?): no clear gain\*\*, from {FIRST_AND_LAST_RE} ms per step\.", no_clear_gain),
        (r"- The loss of (?P<words>.+?) differs from the first rung's by (?P<difference>\S+) % with (?P<change>.+?), more than "
         r"rounding explains\.", losses_differ)]}


def becomes(run, words, speedup, first, last):
    """Checks the ladder that clearly gains most of those but the one that the summary is about."""
    ladder(run, words, None, first, None, last, None, *[None] * 14)
    near_ratio(speedup, *ratio_of(*first_and_fastest_ms(run, words)))


TITLES = [(r"\*\*Figure \d+[a-z]?\. (?P<words>[^*]+?(?: in \w+|, FP32 to TF32)) becomes (?P<speedup>[\d. ±]+) times as fast, (?P<first>\S+) to "
           r"(?P<last>\S+) ms\*\*", becomes)]
