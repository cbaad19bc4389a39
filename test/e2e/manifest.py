"""manifest.py INDEX < k3-dump --manifest: the names are exactly those of the index's text tower; prints tensors and bytes."""
import json
import math
import sys

BITS = {"BF16": 16, "F32": 32, "U8": 8}
with open(sys.argv[1]) as file:
    wanted = {name for name in json.load(file)["weight_map"] if name.startswith("language_model.")}
names, total = set(), 0
for line in sys.stdin:
    parts = line.rstrip("\n").split("\t")
    if len(parts) != 3:
        continue  # the summary
    names.add(parts[0])
    total += math.prod(json.loads(parts[2])) * BITS[parts[1]] // 8
print(f"{len(names)} tensors, {total} bytes, {len(wanted - names)} missing, {len(names - wanted)} extra")
sys.exit(names != wanted)
