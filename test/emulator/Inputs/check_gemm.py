"""y = x w^T of bf16 tensors of a safetensors file, against sums in double precision: check_gemm.py FILE X W Y."""
import json
import struct
import sys


def tensor(data, header, begin, name):
    entry = header[name]
    low, high = (begin + offset for offset in entry["data_offsets"])
    words = struct.unpack("<%dH" % ((high - low) // 2), data[low:high])
    values = [struct.unpack("<f", struct.pack("<I", word << 16))[0] for word in words]
    rows, cols = entry["shape"]
    return [values[r * cols : (r + 1) * cols] for r in range(rows)]


data = open(sys.argv[1], "rb").read()
size = struct.unpack("<Q", data[:8])[0]
header = json.loads(data[8 : 8 + size])
x, w, y = (tensor(data, header, 8 + size, name) for name in sys.argv[2:5])
worst = 0.0
for row, got in zip(x, y):
    for column, value in zip(w, got):
        terms = [a * b for a, b in zip(row, column)]
        # One rounding to bf16, half of 2^-7 of the value; sums in f32 add 2^-20 of the magnitude.
        allowed = abs(sum(terms)) * 2.0**-8 + sum(map(abs, terms)) * 2.0**-20
        worst = max(worst, abs(sum(terms) - value) / allowed)
if len(y) != len(x) or len(y[0]) != len(w) or worst > 1:
    sys.exit("check_gemm: worst error is %g of what is allowed" % worst)
