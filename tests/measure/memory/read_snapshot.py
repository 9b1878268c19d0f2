"""Opens the snapshot of one_block_step() by PyTorch's own tools; exits with 0 if they can read it."""

import pickle
import sys

from torch.cuda import _memory_viz

with open(sys.argv[1], "rb") as file:
    snapshot = pickle.load(file)

alive_bytes = sum(block["requested_size"] for segment in snapshot["segments"]
            for block in segment["blocks"] if block["state"] == "active_allocated")
assert alive_bytes == 4000, alive_bytes
actions = [event["action"] for event in snapshot["device_traces"][0]]
assert actions.count("alloc") == 7 and actions.count("free_completed") == 6, actions
first_frames = snapshot["device_traces"][0][0]["frames"]
assert [frame["name"] for frame in first_frames] == ["aten::mm", "Linear", "layers.0/ffn/w1", "forward"]
for text in (_memory_viz.trace(snapshot), _memory_viz.segsum(snapshot),
             _memory_viz.trace_plot(snapshot)):
    assert text
