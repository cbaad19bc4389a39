"""The elements of an f32 tensor in a safetensors file, in one line: print_f32.py FILE NAME."""
import json
import struct
import sys

data = open(sys.argv[1], "rb").read()
size = struct.unpack("<Q", data[:8])[0]
low, high = json.loads(data[8 : 8 + size])[sys.argv[2]]["data_offsets"]
print(*("%g" % v for v in struct.unpack("<%df" % ((high - low) // 4), data[8 + size + low : 8 + size + high])))
