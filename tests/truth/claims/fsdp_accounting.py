"""The claims about sharded weights, recomputed from each rank's memory and every gather."""
import collections

from checks import PRECISION_WORDS, near, near_bytes, true
from claims.optimizer_state_sharding_accounting import NETWORK, Scheme

CELL_KINDS = {"sharding"}
# The gathers of all blocks in one pass.
Pass = collections.namedtuple("Pass", "rows wait_ms alone_ms")


def parameter_and_state_bytes(cell):
    """Returns a rank's FP32 bytes of parameters, which are as many as its gradients', and of AdamW's state."""
    d, ranks = cell["d_model"], cell["ranks"]
    norm_bytes = 4 * d * (2 * cell["layers"] + 1)
    all_bytes = 4 * cell.parameters()
    if cell["sharding"] == "weights":  # Each rank has a part of every matrix, and all norms.
        own_bytes = norm_bytes + (all_bytes - norm_bytes) / ranks
        return own_bytes, 2 * own_bytes
    # Each rank owns whole parameters: they go, the largest first, to the rank that has least.
    owned_bytes = [0] * ranks
    sizes = [4 * d] * (2 * cell["layers"] + 1) + [4 * d * d] * 4 * cell["layers"]
    sizes += [4 * d * cell["d_ff"]] * 3 * cell["layers"] + [4 * d * cell["vocab"]] * 2
    for size in sorted(sizes, reverse=True):
        owned_bytes[owned_bytes.index(min(owned_bytes))] += size
    return all_bytes, 2 * (max(owned_bytes) if cell["sharding"] == "optimizer" else all_bytes)


def total_bytes(cell):
    parameter_bytes, state_bytes = parameter_and_state_bytes(cell)
    return 2 * parameter_bytes + state_bytes


def expected(run, size, precision, saving, other):
    """Checks the bytes that sharded weights save. `other` tells what they are compared with."""
    sharding = "optimizer" if "optimizer" in other else "none"
    expected.weights, expected.other = (Scheme.find(run, size, precision, part) for part in ("weights", sharding))
    expected.saved_bytes = total_bytes(expected.other.cell) - total_bytes(expected.weights.cell)
    near_bytes(saving, expected.saved_bytes)
    true(sharding == "optimizer" or not run.of("sharding", sharding="optimizer", size=size,
                                               precision=expected.weights.cell["precision"]))


def peaks(_run, after, before):
    """Checks a step's peaks with sharded weights (`after`) and with the other scheme (`before`)."""
    points = "before_optimizer", "after_optimizer"
    peaks.weights, peaks.other = ([scheme.memory_row(2, point)["peak_bytes"] for point in points]
                                  for scheme in (expected.weights, expected.other))
    near_bytes(after, max(peaks.weights))
    near_bytes(before, max(peaks.other))


def early(_run, gradients):
    """Checks that just the gradients' part of the expected saving is missing. They have as many bytes as parameters."""
    gradient_bytes = (parameter_and_state_bytes(expected.other.cell)[0]
                      - parameter_and_state_bytes(expected.weights.cell)[0])
    near_bytes(gradients, gradient_bytes)
    saved_bytes = max(peaks.other) - max(peaks.weights)
    true(abs(expected.saved_bytes - saved_bytes - gradient_bytes) <= 0.05 * expected.saved_bytes,
         "gradients are not what is missing")
    true(all(first >= second for first, second in (peaks.weights, peaks.other)), "the optimizer step peaks")


def without_other(run):
    true(any(not run.of("sharding", size=cell["size"], precision=cell["precision"], sharding=sharding)
             for cell in run.of("sharding", sharding="weights") for sharding in ("none", "optimizer")))


def gathers_of(run, size, precision, phase):
    """Returns one pass's gathers of the blocks' matrices. A gather is late if its layer waits for it."""
    weights = Scheme.find(run, size, precision, "weights")
    rows = [row for row in (weights.launch.table("gathers") if weights.launch else [])
            if row["phase"] == phase and row["module"].startswith("layers.")
            and None not in (row["wait_ns"], row["alone_ns"])]
    return Pass(rows, sum(row["wait_ns"] for row in rows) / 1e6, sum(row["alone_ns"] for row in rows) / 1e6)


def nothing_gathered(run):
    true(any(not gathers_of(run, cell["size"], PRECISION_WORDS[cell["precision"]], "forward").alone_ms
             for cell in run.of("sharding", sharding="weights")))


def is_late(row):
    return row["wait_ns"] > max(10_000, 0.05 * row["alone_ns"])


def near_late(text, rows):
    """Checks which share of the gathers `rows` is late: "all", "almost none" or "44 %"."""
    share = 100 * sum(map(is_late, rows)) / len(rows)
    ranges = {"none": share == 0, "almost none": 0 < share < 5, "almost all": 95 < share < 100, "all": share == 100}
    true(ranges[text], f"{text} is {share} %") if text in ranges else near(text.removesuffix(" %"), share, 2)


def late(run, size, precision, ffn, attention, backward):
    late.size, late.precision, late.forward = size, precision, gathers_of(run, size, precision, "forward")
    near_late(ffn, [row for row in late.forward.rows if ".ffn." in row["module"]])
    near_late(attention, [row for row in late.forward.rows if ".ffn." not in row["module"]])
    near_late(backward, gathers_of(run, size, precision, "backward").rows)


def least_gemm_ns(cell, precision):
    """Returns the time of an FFN's GEMM at the rate of NVIDIA's data sheets of H100 and H200."""
    flops_per_second = {"FP32": 67e12, "BF16": 989.5e12}[precision]
    return 2e9 * cell["batch"] * cell["context"] * cell["d_model"] * cell["d_ff"] / flops_per_second


def shared(run, alone, gemm):
    """Checks that w2's and w3's gathers are late though alone they take less than the GEMMs that they begin with."""
    cell = Scheme.find(run, late.size, late.precision, "weights").cell
    true("H100" in run.data["devices"][0]["name"] or "H200" in run.data["devices"][0]["name"])
    gemm_ns = least_gemm_ns(cell, late.precision)
    rows = [row for row in late.forward.rows if row["module"].endswith((".w2", ".w3"))]
    true(rows and all(is_late(row) and row["alone_ns"] < gemm_ns for row in rows), "no GEMM outlasts its gather")
    near(alone, max(row["alone_ns"] for row in rows) / 1e6)
    near(gemm, gemm_ns / 1e6)


def half(run, precision, forward, backward, gather, gemm):
    """Checks that more gathers are late in 16 bits, in both passes."""
    for phase, text in (("forward", forward), ("backward", backward)):
        passes = [gathers_of(run, late.size, name, phase) for name in (late.precision, precision)]
        near_late(text, passes[1].rows)
        late_shares = [sum(map(is_late, one.rows)) / len(one.rows) for one in passes]
        true(late_shares[1] > late_shares[0], "no more are late")
    if gather:
        rows = [row for phase in ("forward", "backward") for row in gathers_of(run, late.size, precision, phase).rows]
        shortest_ns = min(row["alone_ns"] for row in rows if ".ffn." in row["module"])
        gemm_ns = least_gemm_ns(Scheme.find(run, late.size, precision, "weights").cell, precision)
        near(gather, shortest_ns / 1e6)
        near(gemm, gemm_ns / 1e6)
        true(shortest_ns >= 1.99 * gemm_ns, "GEMMs take as long")


def is_near(text, value):
    try:
        near(text, value)
    except AssertionError:
        return False
    return True


def block_waits(run, wait, alone):
    """Checks the title of the figure: what one block of the described network waits for, and its gathers alone."""
    networks = [cell for cell in run.of("sharding", sharding="weights") if cell.ok_launch()]
    blocks = [(gathers_of(run, cell["size"], PRECISION_WORDS[cell["precision"]], "forward"), cell["layers"])
              for cell in networks]
    true(any(is_near(wait, one.wait_ms / layers) and is_near(alone, one.alone_ms / layers) for one, layers in blocks),
         f"no block waits {wait} ms")


def lower_peak(run, size, precision, before, after, held):
    """Checks the peak of a step with nothing and with everything sharded. What a rank no longer holds is the difference."""
    highest = []
    for text, sharding in ((before, "none"), (after, "weights")):
        scheme = Scheme.find(run, size, precision, sharding)
        rows = [scheme.memory_row(2, point) for point in ("before_optimizer", "after_optimizer")]
        highest.append(max(rows, key=lambda row: row["peak_bytes"]))
        near_bytes(text, highest[-1]["peak_bytes"])
    whole, sharded = highest
    true(whole["peak_bytes"] > sharded["peak_bytes"])
    if held:
        held_bytes = sum(whole[name] - sharded[name] for name in ("parameter_bytes", "optimizer_bytes"))
        near_bytes(held, held_bytes)
        true(abs(whole["peak_bytes"] - sharded["peak_bytes"] - held_bytes) <= 0.0501 * held_bytes, "it is not the difference")


CLAIMS = {
    "overview": [
        (rf"- \*\*labreport's sharding of weights, gradients and optimizer state lowers the peak of a step of {NETWORK} from (?P<before>\S+ \w+) to "
         r"(?P<after>\S+ \w+)\*\*(?:, because a rank holds (?P<held>\S+ \w+) less of parameters and AdamW's state)?\.", lower_peak)],
    "fsdp_accounting.a": [
        (rf"With {NETWORK} we expect \*\*(?P<saving>[^*]+)\*\* less than with (?P<other>nothing sharded|a sharded optimizer), "
         r"because a rank holds only its share of each matrix and gradient\.", expected),
        (r"With labreport the step peaks at \*\*(?P<after>[^*]+)\*\* instead of \*\*(?P<before>[^*]+)\*\*\.", peaks),
        (r"Both peaks lie at the start of backward, where the (?P<gradients>\S+ .iB) of gradients that sharding saves are not "
         r"there yet\.", early),
        (r"This run does not answer this question\.", without_other)],
    "fsdp_accounting.b": [
        (r"This run does not answer this question\.", nothing_gathered),
        (rf"In labreport's FSDP of {NETWORK} \*\*(?P<ffn>[^*]+)\*\* of FFN's gathers are late for forward, "
         r"\*\*(?P<attention>[^*]+)\*\* of attention's, \*\*(?P<backward>[^*]+)\*\* of a block's in backward\.", late),
        (r"GEMMs of (?P<gemm>\S+) ms or more delay w2's and w3's, alone at most (?P<alone>\S+)\.", shared),
        (r"In (?P<precision>\w+), \*\*(?P<forward>[^*]+)\*\* are late, \*\*(?P<backward>[^*]+)\*\* in "
         r"backward(?:: an FFN gather takes (?P<gather>\S+) ms or more, its GEMM (?P<gemm>\S+) at peak)?\.", half)]}
TITLES = [(r"A block’s forward waits (?P<wait>\S+) ms for gathers that take (?P<alone>\S+) ms alone", block_waits)]
