# Lists the ops of the generated header that no test round-trips. Usage: untested_ops.py TileOps.h.inc FOLDER
import glob
import os
import re
import sys

header, folder = sys.argv[1:]
ops = sorted(set(re.findall(r'StringLiteral\("tile\.(\w+)"\)', open(header).read())))
tests = [name for name in glob.glob(os.path.join(folder, "*.mlir")) if not name.endswith("_errors.mlir")]
used = set(re.findall(r"^\s*(?:%.* = )?tile\.(\w+)", "\n".join(open(name).read() for name in tests), re.M))
missing = [op for op in ops if op not in used]
print(len(ops), "ops")
for op in missing:
    print("no test round-trips tile." + op)
sys.exit(1 if missing or not ops else 0)
