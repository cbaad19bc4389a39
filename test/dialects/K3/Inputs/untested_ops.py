# Lists the ops of the generated header that lack <op>.mlir or <op>_errors.mlir. Usage: untested_ops.py K3Ops.h.inc FOLDER
import os
import re
import sys

header, folder = sys.argv[1:]
ops = sorted(set(re.findall(r'StringLiteral\("k3\.(\w+)"\)', open(header).read())))
missing = [name for op in ops for name in (op + ".mlir", op + "_errors.mlir")
           if not os.path.exists(os.path.join(folder, name))]
print(len(ops), "ops")
for name in missing:
    print("missing test/dialects/K3/" + name)
sys.exit(1 if missing or not ops else 0)
