"""given.py FILE NAME=TYPE:SHAPE[:MODULUS] ...: a safetensors file of tensors in.NAME; values count up modulo 1 + MODULUS."""
import array
import json
import math
import struct
import sys

header, data = {}, b""
for argument in sys.argv[2:]:
    name, rest = argument.split("=")
    dtype, shape, *modulus = rest.split(":")
    shape = [int(extent) for extent in shape.split("x")]
    period = 1 + int(modulus[0]) if modulus else 7
    values = [i % period for i in range(math.prod(shape))]
    content = array.array({"F32": "f", "I32": "i"}[dtype], values).tobytes()
    header["in." + name] = {"dtype": dtype, "shape": shape, "data_offsets": [len(data), len(data) + len(content)]}
    data += content
text = json.dumps(header).encode()
text += b" " * (-len(text) % 8)
with open(sys.argv[1], "wb") as file:
    file.write(struct.pack("<Q", len(text)) + text + data)
