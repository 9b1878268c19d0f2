"""Times linear layers written as einsum("... i, o i -> ... o") against matmul, in eager Python on a GPU, in turns.

compare_einsum.py [--json FILE]     needs a python3 with torch; takes about a minute with 80 GiB.
Times forward and backward of the whole network, the moving of gradients to `.grad` (einsum's gradients are transposed
and are copied there), and the seven linear layers of one block by themselves.
"""

import argparse
import json
import statistics
import sys
import time
from pathlib import Path

import torch

sys.path.insert(0, str(Path(__file__).parents[2] / "src" / "python"))
import labreport_transformer as transformer  # noqa: E402

SHAPE = dict(d_model=2560, d_ff=10240, layers=32, heads=32, vocab=10_000)
CONTEXT, BATCH = 512, 4
WARMUP, STEPS = 2, 5
LAYERS_REPEATED = 20
STYLES = {
    "einsum": lambda x, weight: torch.einsum("... i, o i -> ... o", x, weight),
    "matmul": lambda x, weight: torch.nn.functional.linear(x, weight),
}
ACCUMULATION_NODE = "torch::autograd::AccumulateGrad"


def use_style(style):
    transformer.Linear.forward = lambda self, x: STYLES[style](x, self.weight)


def autocast(precision):
    return torch.autocast("cuda", torch.bfloat16, enabled=precision == "bf16")


def timed_ms(work):
    torch.cuda.synchronize()
    start = time.perf_counter_ns()
    work()
    torch.cuda.synchronize()
    return (time.perf_counter_ns() - start) / 1e6


def compare_styles(work):
    """Returns the median milliseconds of `work` in each style, and its memory peaks in GiB."""
    samples, peaks = {style: [] for style in STYLES}, {}
    for i in range(WARMUP + STEPS):
        for style in STYLES:
            use_style(style)
            torch.cuda.reset_peak_memory_stats()
            elapsed_ms = timed_ms(work)
            peaks[style] = torch.cuda.max_memory_allocated() / 2**30
            if i >= WARMUP:
                samples[style].append(elapsed_ms)
    return {style: statistics.median(durations) for style, durations in samples.items()}, peaks


def accumulation_ms(work, style):
    """Returns the device time of one step in moving weights' gradients to `.grad`, in milliseconds."""
    use_style(style)
    with torch.profiler.profile() as profile:
        work()
        torch.cuda.synchronize()
    events = (event for event in profile.key_averages() if event.key == ACCUMULATION_NODE)
    return sum(event.device_time_total for event in events) / 1e3


def network(precision):
    ids, targets = torch.randint(SHAPE["vocab"], (2, BATCH, CONTEXT), device="cuda")
    model = transformer.Transformer(**SHAPE, context=CONTEXT, device="cuda")

    def step():
        with autocast(precision):
            loss = transformer.cross_entropy(model(ids), targets)
        loss.backward()
        model.zero_grad(set_to_none=True)

    medians, peaks = compare_styles(step)
    copies = {style: accumulation_ms(step, style) for style in STYLES}
    return row(f"einsum_{precision}", f"2.7B {precision} forward_backward", medians,
               **keys_by_style("copies_ms", copies), **keys_by_style("peak_gib", peaks))


def linears(precision):
    wide, narrow = SHAPE["d_ff"], SHAPE["d_model"]
    shapes = [(narrow, narrow)] * 4 + [(narrow, wide)] * 2 + [(wide, narrow)]
    layers = [transformer.Linear(*shape, device="cuda") for shape in shapes]
    inputs = [torch.randn(BATCH, CONTEXT, d_in, device="cuda", requires_grad=True) for d_in, _ in shapes]

    def step():
        for _ in range(LAYERS_REPEATED):
            with autocast(precision):
                outputs = [layer(x) for layer, x in zip(layers, inputs)]
            torch.autograd.backward(outputs, [torch.ones_like(output) for output in outputs])
            for tensor in [*inputs, *(layer.weight for layer in layers)]:
                tensor.grad = None

    medians, _ = compare_styles(step)
    medians = {style: median / LAYERS_REPEATED for style, median in medians.items()}
    return row(f"einsum_linears_{precision}", f"linear layers of a 2.7B block, {precision}", medians)


def keys_by_style(what, values):
    return {f"{style}_{what}": value for style, value in values.items()}


def row(name, what, medians, **more):
    ratio = medians["einsum"] / medians["matmul"]
    return dict(name=name, what=f"einsum over matmul, {what}", ratio=ratio, limit=None, **keys_by_style("ms", medians), **more)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", type=Path, help="write the rows to this file instead of printing them")
    options = parser.parse_args()
    torch.backends.cuda.matmul.allow_tf32 = False
    rows = []
    for precision in ("fp32", "bf16"):
        rows += [network(precision), linears(precision)]
        torch.cuda.empty_cache()
    text = json.dumps(rows, indent=2)
    options.json.write_text(text + "\n") if options.json else print(text)


if __name__ == "__main__":
    main()
