"""Recomputes the rates of GEMMs from the kernels of profiled steps, and knows the peaks of data sheets."""
from checks import median_limit

# Dense FLOP/s and bytes a second, from NVIDIA's data sheets.
SHEET_RATES = {"fp32": 67e12, "tf32": 494.5e12, "bf16": 989.5e12, "fp16": 989.5e12}
SHEET_BANDWIDTHS = {"NVIDIA H200": 4.8e12, "NVIDIA H100 80GB HBM3": 3.35e12}


def gemm_flops(module, cell):
    """Returns the FLOPs of one GEMM in a module of the network; 0 for other modules."""
    tokens, width = cell["batch"] * cell["context"], cell["d_model"]
    if module.endswith("_proj"):
        return 2 * tokens * width * width
    if "/ffn" in module:
        return 2 * tokens * width * cell["d_ff"]
    if "computing attention scores" in module or "final matmul" in module:
        return 2 * tokens * cell["context"] * width
    return 2 * tokens * width * cell["vocab"] if module == "lm_head" else 0


def rates(cell, launch):
    """Returns the FLOP/s of each module's GEMMs in each phase, by (phase, module)."""
    flops, ns = {}, {}
    for row in launch.table("kernels"):
        if row["class"].startswith("gemm"):
            key = row["phase"], row["module"]
            ns[key] = ns.get(key, 0) + (row["total_ns"] or 0)
            if row["class"] == "gemm":  # The others split or finish one of these.
                flops[key] = flops.get(key, 0) + (row["instances"] or 0) * gemm_flops(row["module"], cell)
    return {key: flops.get(key, 0) / ns[key] * 1e9 for key in ns if ns[key] > 0}


def fastest_gemm_rate(run, precision):
    """Returns the FLOP/s of the fastest GEMM in a precision, measured by itself or in a profiled step of labreport's
    network; None if none was measured by itself."""
    if median_limit(run, "matrix_rate", precision) is None:
        return None
    found = [rate for cell in run.of("limits") for launch in cell.launches if launch.data["outcome"]["status"] == "ok"
             for rate in launch.metric("matrix_rate", precision) or []]
    for cell in run.of("kernels", precision=precision):
        for launch in cell.launches:
            if launch.data["outcome"]["status"] == "ok" and not cell["implementation"]:
                found += rates(cell, launch).values()
    return max(found)


def peak_flop_rate(run, precision):
    """Returns the data sheet's FLOP/s; for a device without a known sheet, the fastest GEMM's."""
    if run.data["devices"][0]["name"] in SHEET_BANDWIDTHS:
        return SHEET_RATES[precision]
    return fastest_gemm_rate(run, precision)


def peak_bandwidth(run):
    """Returns the data sheet's bytes a second; for a device without a known sheet, those of a copy."""
    return SHEET_BANDWIDTHS.get(run.data["devices"][0]["name"]) or median_limit(run, "copy", "bandwidth")
