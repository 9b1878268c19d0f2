"""Recomputes what a training step of labreport's network needs at the limits of the GPU, by parts."""
from checks import median_limit
from gemms import fastest_gemm_rate

GEMM_PARTS = (("/ffn", "FFN"), ("lm_head", "LM head"), ("attention scores", "QKᵀ"), ("final matmul", "A·V"), ("_proj", "projections"))
OTHER_PARTS = (("softmax", "softmax"), ("rotary", "RoPE"), ("attention scores", "scale and mask"), ("ln", "RMSNorm"))


def part_of(row):
    """Names the part of the step that a row of the table `kernels` belongs to."""
    module, kind = row["module"] or "", row["class"]
    if row["phase"] == "optimizer":
        return "AdamW"
    if not module:
        return "loss"
    parts = GEMM_PARTS if kind.startswith("gemm") else OTHER_PARTS
    for word, part in parts:
        if word in module and not (kind == "memset" and part == "scale and mask"):
            return part
    if kind in ("copy", "memset"):
        return "copies" if kind == "copy" else "other"
    return {"layers": "RMSNorm"}.get(module, "SwiGLU" if module.endswith("/ffn") else "other")


def needs_of(cell):
    """Returns each part's FLOPs and bytes of a whole step, if it reads its inputs once and writes its results once."""
    layers, width, inner = cell["layers"], cell["d_model"], cell["d_ff"]
    tokens, vocabulary = cell["batch"] * cell["context"], cell["vocab"]
    e = 2 if cell["precision"] in ("bf16", "fp16") else 4
    x, g = layers * tokens * width, layers * tokens * inner
    scores = layers * tokens * cell["context"] * cell["heads"]
    normed, logits = (2 * layers + 1) * tokens * width, tokens * vocabulary
    square, ffn, head = layers * width * width, layers * width * inner, width * vocabulary
    weights = 4 * square + 3 * ffn + head
    return {
        "FFN": (18 * x * inner, e * (8 * x + 7 * g + 9 * ffn)),
        "projections": (24 * x * width, e * (20 * x + 12 * square)),
        "LM head": (6 * tokens * head, e * (3 * tokens * width + 2 * logits + 3 * head)),
        "QKᵀ": (6 * x * cell["context"], e * (6 * x + 2 * scores)),
        "A·V": (6 * x * cell["context"], e * (5 * x + 3 * scores)),
        "softmax": (9 * scores, 5 * e * scores),
        "scale and mask": (2 * scores, 4 * e * scores),
        "RoPE": (12 * x, 8 * e * x),
        "RMSNorm": (12 * normed + 4 * x, (12 + 2 * e) * normed + (16 + 2 * e) * x),
        "SwiGLU": (13 * g, 8 * e * g),
        "copies": (0, 2 * (4 + e) * weights if e == 2 else 0),
        "loss": (8 * logits, 3 * e * logits),
        "other": (tokens * width, 12 * tokens * width + 4 * head),
        "AdamW": (14 * cell.parameters(), 28 * cell.parameters()),
    }


class StepLimits:
    """The ms that each part of a profiled step takes and needs; `step_ms` is the whole step, unprofiled."""

    def __init__(self, run, cell, launch, step_ms):
        bandwidth, rate = median_limit(run, "copy", "bandwidth"), fastest_gemm_rate(run, cell["precision"])
        self.ms = {}
        for row in launch.table("kernels"):
            self.ms[part_of(row)] = self.ms.get(part_of(row), 0) + (row["total_ns"] or 0) / 1e6
        self.ms = {part: ms for part, ms in self.ms.items() if ms > 0}
        needs = needs_of(cell)
        self.needed = {part: 1e3 * max(needs[part][0] / rate, needs[part][1] / bandwidth) for part in self.ms}
        idle = step_ms - sum(self.ms.values())
        if idle > 0:
            self.ms["filling idle time"], self.needed["filling idle time"] = idle, 0
        self.saved = {part: max(0, ms - self.needed[part]) for part, ms in self.ms.items()}

    def needed_ms(self):
        return sum(min(self.needed[part], ms) for part, ms in self.ms.items())

    def most(self):
        return max(self.saved, key=self.saved.get)
