"""Writes a, b, column and nan.safetensors into the folder given: f32 tensors [1, n]."""
import json
import struct
import sys


def write(path, tensors):
    header, data = {}, b""
    for name, values in tensors.items():
        raw = struct.pack("<%df" % len(values), *values)
        header[name] = {"dtype": "F32", "shape": [1, len(values)], "data_offsets": [len(data), len(data) + len(raw)]}
        data += raw
    text = json.dumps(header).encode()
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + data)


folder = sys.argv[1]
write(folder + "/a.safetensors", {"x": (3, 4), "y": (1, 2)})
write(folder + "/b.safetensors", {"fp32.x": (3, 4.5), "bf16.y": (1, 2)})
write(folder + "/nan.safetensors", {"x": (3, float("nan"))})
write(folder + "/column.safetensors", {"y": (2,)})
