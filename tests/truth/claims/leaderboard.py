"""The claims about the leaderboard's steps, recomputed from every step and rank 0's traced one."""
from checks import near, true
from fake_runs import fake_run
from gemms import peak_flop_rate
from timing import typical

CELL_KINDS = {"leaderboard"}
RUNGS = {"replicated": "replicated", "sharded": "FSDP", "checkpointed": "checkpointed blocks", "fused_head": "head with loss",
         "cudnn": "cuDNN attention", "compiled": "torch.compile", "saved_attention": "attention kept",
         "saved_products": "GEMM outputs kept"}
KERNELS = ("gemms", "attention", "fused", "other", "copies", "optimizer")
SHAPE = ("d_model", "d_ff", "layers", "heads", "vocab")
HANDOUT_SHAPE = [4096, 11008, 34, 32, 151936]


def fake_runs(labreport):
    words = ["--edition", "2026", "--problems", "leaderboard"]
    return [fake_run(labreport, *words, "--preset", "full", gpu="NVIDIA H200"), fake_run(labreport, *words, "--preset", "demo")]


class Step:
    """The steps of a rung. A step of the user's has no rung, and none is in these runs."""

    def __init__(self, cell):
        self.cell, self.launch = cell, cell.ok_launch()
        self.rung = cell["implementation"].removeprefix("leaderboard-")
        samples = self.launch.metric("step", "total") if self.launch else None
        self.step_s = [ns / 1e9 for ns in (samples or [])[cell["warmup"]:]]

    def seconds(self):
        return typical(self.step_s)

    def network(self):
        return [self.cell[name] for name in SHAPE], self.cell["ranks"]

    def traced_s(self):
        """Returns rank 0's seconds of GEMMs, attention and the whole traced step; None without a trace."""
        classes = {row["class"]: row["total_ns"] for row in self.launch.table("step_classes") if row["rank"] == 0}
        ranks = self.launch.table("rank_steps")
        if not classes or not ranks or None in [ranks[0][name] for name in ("traced_ns", "communication_ns", "both_ns")]:
            return None
        exposed_ns = ranks[0]["communication_ns"] - ranks[0]["both_ns"]
        busy_ns = exposed_ns + sum(ns or 0 for name, ns in classes.items() if name in KERNELS)
        return [ns / 1e9 for ns in (classes.get("gemms") or 0, classes.get("attention") or 0, max(busy_ns, ranks[0]["traced_ns"]))]


def timed_steps(run):
    """Returns the steps that ran on the first network of which one ran, as the ladder climbs."""
    steps = [step for step in map(Step, run.of("leaderboard")) if step.step_s]
    same = [step for step in steps if step.network() == steps[0].network()]
    rungs = [step for step in same if not step.cell["repeats"]]
    return sorted(rungs or same, key=lambda step: list(RUNGS).index(step.rung))


def fastest(run):
    return min(timed_steps(run), key=Step.seconds)


def is_of_network(step, words):
    shape, layers = [step.cell[name] for name in SHAPE], step.cell["layers"]
    if words == "a tiny network":
        return shape[0] == 64
    return shape == HANDOUT_SHAPE if words == "the 8B network" else words == f"the 8B network with {layers} layers"


def is_fastest(run, network, seconds, count, device, rung):
    step = fastest(run)
    true(is_of_network(step, network), f"not {network}")
    near(seconds, step.seconds())
    true(str(step.cell["ranks"]) == {"one": "1", "two": "2"}.get(count, count))
    on_cpu = step.cell["device_kind"] == "cpu"
    true(device == ("CPU processes" if on_cpu else run.data["devices"][0]["name"]), f"not on {device}")
    true(rung == RUNGS[step.rung], f"{rung}: {step.rung}")


def takes(run, times=None, first=None, first_seconds=None, **claim):
    is_fastest(run, **claim)
    step, first_step = fastest(run), timed_steps(run)[0]
    true((first is None) == (first_step.rung == step.rung), "the first step that ran is told if it is not the fastest")
    if first:
        near(times, first_step.seconds() / step.seconds())
        true(first == RUNGS[first_step.rung], f"{first}: {first_step.rung}")
        near(first_seconds, first_step.seconds())


def spent(run, gemms, attention, floor):
    """Checks the traced parts of the fastest step, and the seconds of its FLOPs at the sheet's rate."""
    step = fastest(run)
    gemms_s, attention_s, _ = step.traced_s()
    near(gemms, gemms_s)
    near(attention, attention_s)
    d, d_ff, layers, _, vocab = step.network()[0]
    tokens, context = step.cell["batch"] * step.cell["context"], step.cell["context"]
    weights = layers * (4 * d * d + 3 * d * d_ff) + vocab * d
    attention_flops = 3.5 * layers * step.cell["batch"] * 4 * context ** 2 * d / 2
    near(floor, (6 * weights * tokens + attention_flops) / peak_flop_rate(run, "bf16"))


def titled(run, network, seconds, share):
    step = fastest(run)
    gemms_s, attention_s, traced_s = step.traced_s()
    true(is_of_network(step, network), f"not {network}")
    near(seconds, step.seconds())
    near(share, 100 * (gemms_s + attention_s) / traced_s)


def none_ran(run, rung, reason):
    """Checks that no step ran, and why the last rung did not."""
    true(not any(Step(cell).step_s for cell in run.of("leaderboard")), "a step ran")
    last = max(run.of("leaderboard"), key=lambda cell: (not cell["repeats"], list(RUNGS).index(Step(cell).rung)))
    true(rung == RUNGS[Step(last).rung], f"{rung}: {Step(last).rung}")
    outcome = last.launches[0].data["outcome"] if last.launches else {"status": "", "reason": "not measured yet"}
    told = {"oom": f"out of memory in {outcome.get('phase')}", "timeout": "timed out after", "error": outcome.get("message"),
            "ok": "no recorded times", "skipped": outcome.get("reason")}.get(outcome["status"], outcome.get("reason") or "")
    true(told in reason, f"{reason}: {outcome}")


NETWORK = r"(?P<network>the 8B network(?: with \d+ layers?)?|a tiny network)"
WITH = r", with (?P<rung>[^,*.]+?(?:\.compile)?)"

CLAIMS = {
    "overview": [
        (rf"- \*\*labreport’s training step of {NETWORK} takes (?P<seconds>\S+) s on (?P<count>one|two|\d+) (?P<device>[^*]+)\*\*{WITH}\.",
         is_fastest)],
    "leaderboard": [
        (rf"labreport’s step of {NETWORK} takes \*\*(?P<seconds>\S+) s\*\* on (?P<count>one|two|\d+) (?P<device>[^,]+?){WITH}"
         r"(?:, \*\*(?P<times>\S+) times\*\* as fast as (?P<first>.+?) at (?P<first_seconds>\S+) s)?\.(?=\s|$)", takes),
        (r"GEMMs take (?P<gemms>\S+) s of it and attention (?P<attention>\S+) s; their FLOPs at this GPU’s peak rate take "
         r"(?P<floor>\S+) s\.", spent),
        (rf"(?P<rung>{'|'.join(RUNGS.values())}): (?P<reason>.+)\.$", none_ran)]}

TITLES = [(rf"\*\*Figure \d+[a-z]?\. A step of {NETWORK}, (?P<seconds>\S+) s: GEMMs and attention take (?P<share>\S+) % of the "
           r"step\*\*", titled)]
