"""Compiles a graph for a GPU and runs every kernel in k3-emulate with the grid its program states, at the least and a larger odd
number of rows it serves: run_kernels.py GRAPH.mlir TARGET SEEDS [NAME-PART [--no-values]]. Values are compared with double precision."""
import json
import math
import re
import struct
import subprocess
import sys
import tempfile


def signature(text):
    """The parameters of a tile.kernel: (type, role)."""
    depth, parameters, current = 0, [], ""
    for c in text:
        if c in "<{([":
            depth += 1
        elif c in ">})]":
            depth -= 1
        if c == "," and depth == 0:
            parameters.append(current)
            current = ""
        else:
            current += c
    return [(re.search(r": (!?[\w.]+(?:<[^>]*>)?)", p).group(1), (re.search(r"arg_role<(\w+)>", p) or [0, ""])[1])
            for p in parameters + [current]]


def tensors(path):
    data = open(path, "rb").read()
    size = struct.unpack("<Q", data[:8])[0]
    result = {}
    for name, entry in json.loads(data[8 : 8 + size]).items():
        low, high = (8 + size + offset for offset in entry["data_offsets"])
        if entry["dtype"] == "F32":
            values = struct.unpack("<%df" % ((high - low) // 4), data[low:high])
        else:
            words = struct.unpack("<%dH" % ((high - low) // 2), data[low:high])
            values = struct.unpack("<%df" % len(words), b"".join(b"\0\0" + struct.pack("<H", w) for w in words))
        width = entry["shape"][-1]
        result[int(name[3:])] = [values[i : i + width] for i in range(0, len(values), width)]
    return result


def gemm(p, t):
    y = [[sum(a * b for a, b in zip(row, column)) for column in t[1]] for row in t[0]]
    if p["epilogue"] == "residual_add":
        return {2: [[a + b for a, b in zip(*rows)] for rows in zip(y, t[3])]}
    if p["epilogue"] == "sigmoid_gate":
        return {2: [[o / (1 + math.exp(-a)) for a, o in zip(*rows)] for rows in zip(y, t[3])]}
    if p["epilogue"] == "situ_glu":
        return None
    return {2: y}


def normed(row, w, eps):
    scale = 1 / math.sqrt(sum(v * v for v in row) / len(row) + eps)
    return [v * scale * f for v, f in zip(row, w)]


def rms_norm(p, t):
    return {2: [normed(row, t[1][0], p["eps"]) for row in t[0]]}


def attn_res(p, t):
    mixed, sums = [], []
    banks = [t[i] for i in sorted(t) if i > 5]
    for r in range(len(t[0])):
        total = [struct.unpack("<f", struct.pack("<I", (struct.unpack("<I", struct.pack("<f", a + b))[0] + 0x8000) & 0xFFFF0000))[0]
                 for a, b in zip(t[0][r], t[1][r])]
        sources = [bank[r] for bank in banks] + [total]
        logits = [sum(v * c for v, c in zip(s, t[2][0])) / math.sqrt(sum(v * v for v in s) / len(s) + p["eps"]) for s in sources]
        weights = [math.exp(x - max(logits)) for x in logits]
        x = [sum(w * s[i] for w, s in zip(weights, sources)) / sum(weights) for i in range(len(total))]
        mixed.append(normed(x, t[3][0], p["eps"]))
        sums.append(total)
    return {4: sums, 5: mixed}


def check(problem, got):
    # A dozen rows, spread over all and with the last one; operands that are no rows stay whole.
    count = len(got[max(got)])
    picked = sorted({count - 1 - i * count // 12 for i in range(12)})
    weights = {"gemm": (1,), "rms_norm": (1,), "attn_res": (2, 3)}[problem["family"]]
    got = {n: rows if n in weights else [rows[i] for i in picked] for n, rows in got.items()}
    expected = {"gemm": gemm, "rms_norm": rms_norm, "attn_res": attn_res}[problem["family"]](problem, got)
    for argument, rows in (expected or {}).items():
        for want, have in zip(rows, got[argument]):
            # Four bf16 ulp of the largest element of the row.
            worst, allowed = max(abs(a - b) for a, b in zip(want, have)), 4 * max(map(abs, want)) * 2.0**-8
            if not worst <= allowed:
                return "argument %d is wrong by %g, allowed are %g" % (argument, worst, allowed)
    return "" if expected else "values not compared"


graph, target, seeds = sys.argv[1:4]
part = sys.argv[4] if len(sys.argv) > 4 else ""
with tempfile.TemporaryDirectory() as folder:
    tiles, out = folder + "/tile.mlir", folder + "/out.safetensors"
    for kind in "tile", "exec":
        subprocess.run(["k3-compile", graph, "--target=" + target, "--emit=" + kind, "-o", "%s/%s.mlir" % (folder, kind)], check=True,
                       stderr=subprocess.DEVNULL)
    # A file per kernel: the layouts of all the others are not for each run to prove.
    head, *bodies = re.split(r"^(?=  tile\.kernel @)", open(tiles).read().rsplit("\n}", 1)[0], flags=re.M)
    tail = open(tiles).read().rsplit("\n}", 1)[1]
    for body in bodies:
        with open(folder + "/%s.mlir" % re.match(r"  tile\.kernel @(\w+)", body)[1], "w") as file:
            file.write(head + body + "\n}" + tail)
    text = open(tiles).read() + open(folder + "/exec.mlir").read()
    kernels = {m[1]: signature(m[2]) for m in re.finditer(r"tile\.kernel @(\w+)\((.*)\) (?:attributes )?\{", text)}
    clusters = {m[1]: int(m[2]) for m in re.finditer(r"tile\.kernel @(\w+)\(.*cluster = array<i32: (\d+)", text)}
    problems = {m[1]: json.loads(m[2].replace("\\22", '"')) for m in re.finditer(r'exec\.kernel @(\w+) .*exec\.problem = "(.*?)"\}', text)}
    launches = [(m[1], m[2]) for m in re.finditer(r"exec\.gpu_launch @(\w+)\(.* grid \[([^\]]*)\]", text)]
    failed = not launches
    for i, (name, formula) in enumerate(launches):
        if part not in name:
            continue
        first = int(re.search(r"_r(\d+)$", name)[1])
        after = re.search(r"^(.*_r)(\d+)$", launches[i + 1][0]) if i + 1 < len(launches) else None
        last = int(after[2]) - 1 if after and name.startswith(after[1]) else first + 72
        for rows in sorted({first, min(last, first + 70 if first > 64 else first + 6)}):
            # "(T ceildiv 8) * 9", or the factors as a list.
            size = 1
            for factor in formula.split(","):
                size *= eval(re.sub(r"(\w+) ceildiv (\w+)", r"-(-\1 // \2)", factor), {"T": rows})
            # A few CTAs, so that persistent ones get several tiles; a kernel without such a loop shows unwritten outputs.
            cluster = clusters.get(name, 1)
            if "max_ctas [SM" in text[text.index("exec.gpu_launch @" + name + "(") :].split("\n")[0]:
                size = max(cluster, min(size, 3 // cluster * cluster))
            size = -(-size // cluster) * cluster
            arguments = []
            for n, (kind, role) in enumerate(kernels[name]):
                view = re.match(r"!tile\.view<(.*)x(\w+)>", kind)
                if view:
                    shape = view[1].replace("?", str(rows))
                    arguments.append("--arg=" + ("poison:" if role == "step_out" else "random:%d:" % (n + 1)) + shape)
                elif not kind.startswith("!tile.map"):
                    arguments.append("--arg=%d" % rows)
            run = subprocess.run(["k3-emulate", "%s/%s.mlir" % (folder, name), "--grid=%d" % size, "--seeds=" + seeds, "--output=" + out,
                                  "--figures"] + arguments, capture_output=True, text=True)
            verdict = "values not compared" if "--no-values" in sys.argv else check(problems[name], tensors(out)) if run.returncode == 0 else ""
            good = run.returncode == 0 and verdict in ("", "values not compared")
            failed |= not good
            print("%s %s, %d rows, %d CTAs: %s %s" % ("PASS" if good else "FAIL", name, rows, size, verdict, run.stdout.split("\n")[-2] if good and run.stdout else
                                                   "\n" + run.stdout + run.stderr), flush=True)
sys.exit(failed)
