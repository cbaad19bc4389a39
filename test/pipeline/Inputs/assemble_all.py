"""Compiles the graphs of a folder for every architecture with --Werror=perf and counts the kernels that hold machine code."""
import re
import subprocess
import sys

folder, package = sys.argv[1:]
for target in ["sm_80", "sm_86", "sm_89", "sm_90a", "sm_100a", "sm_103a", "sm_120a"]:
    for graph in ["gemm_odd", "epilogues", "attn_res", "rms_norm"]:
        subprocess.run(["k3-compile", f"{folder}/{graph}.mlir", f"--target={target}", "--max-tokens=8192", "--Werror=perf",
                        "--no-cache", "-o", package], check=True)
        dump = subprocess.run(["k3-dump", package], check=True, capture_output=True, text=True).stdout
        kernels = re.findall(r"^kernel \d+ .* (\d+) registers", dump, re.M)
        if not kernels:
            sys.exit(f"{target} {graph}: no kernel with registers")
        print(f"{target} {graph}: {len(kernels)} kernels")
