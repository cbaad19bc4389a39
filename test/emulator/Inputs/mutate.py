"""Leaves out one operation of a kernel at a time, of those that synchronise or move data, and runs what is left in k3-emulate:
mutate.py GRAPH.mlir TARGET KERNEL ALLOWED K3-EMULATE-ARGUMENTS...; ALLOWED: operations that may be missing unnoticed, by comma.
Operations that the grid never reaches are to be avoided by the choice of sizes."""
import re
import subprocess
import sys
import tempfile

OPS = re.compile(r"\s*tile\.(mbar_\w+|fence_proxy|\w+_sync|cp_async\w*|wgmma_\w+|bulk_\w+|cluster_\w+|pdl_wait|store\w*|stmatrix|map_\w+)\b")

graph, target, kernel, allowed = sys.argv[1:5]
with tempfile.TemporaryDirectory() as folder:
    tiles, mutant = folder + "/tile.mlir", folder + "/mutant.mlir"
    subprocess.run(["k3-compile", graph, "--target=" + target, "--emit=tile", "-o", tiles], check=True, stderr=subprocess.DEVNULL)
    head, *bodies = re.split(r"^(?=  tile\.kernel @)", open(tiles).read().rsplit("\n}", 1)[0], flags=re.M)
    tail = open(tiles).read().rsplit("\n}", 1)[1]
    body = next(b for b in bodies if b.startswith("  tile.kernel @%s(" % kernel)).split("\n")
    found = missed = 0
    for i, line in enumerate(body):
        op = OPS.match(line)
        if not op or "mbar_alloc" in line or "bulk_prefetch" in line:
            continue
        with open(mutant, "w") as file:
            file.write(head + "\n".join(body[:i] + body[i + 1 :]) + "\n}" + tail)
        run = subprocess.run(["k3-emulate", mutant] + sys.argv[5:], capture_output=True, text=True)
        good = run.returncode == 1 or (run.returncode == 0 and op[1] in allowed.split(","))
        # A product without its wait or commit may not even parse: its result is used.
        good |= run.returncode == 2 and "undeclared" in run.stderr
        found += run.returncode == 1
        missed += not good
        print("%s without %s: %s" % ("" if good else "MISSED", line.strip()[:60], (run.stdout + run.stderr).split("\n")[0][:150]), flush=True)
    print("%d found, %d missed" % (found, missed))
sys.exit(missed != 0 or found == 0)
