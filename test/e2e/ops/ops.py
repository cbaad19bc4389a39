"""ops.py CASE PACKAGE GOLDEN SCRATCH: runs a graph on the inputs of oracle operator CASE; every result within 1e-5 (2-norm,
relative). Standard library only."""
import array
import json
import os
import struct
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import golden  # noqa: E402

case, package, golden_path, scratch = sys.argv[1:5]
data = golden.read(golden_path)
TOLERANCE = 1e-5
worst = 0.0


def f32(shape, values):
    tensor = golden.Tensor("F32", shape, b"")
    tensor.values = array.array("f", values)
    return tensor


def write(path, tensors):
    header, body = {}, b""
    for name, tensor in tensors.items():
        bytes_ = tensor.values.tobytes()
        header[name] = {"dtype": tensor.dtype, "shape": tensor.shape, "data_offsets": [len(body), len(body) + len(bytes_)]}
        body += bytes_
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + body)


def run(inputs, weights=golden_path):
    write(scratch + ".in", inputs)
    subprocess.run(["k3-run", package, "--weights=" + weights, "--given=" + scratch + ".in", "--given-set=",
                    "--dump-tensors=" + scratch + ".out"], check=True)
    return golden.read(scratch + ".out")


def judge(name, actual, expected):
    global worst
    if actual.shape != expected.shape:
        sys.exit(f"{name}: is {actual.shape}, expected {expected.shape}")
    error = golden.relative(actual, expected)
    worst = max(worst, error)
    if not error <= TOLERANCE:
        sys.exit(f"{name}: relative difference {error:.3e}, allowed {TOLERANCE:.0e}")


def transposed(tensor):
    rows, columns = tensor.shape
    return f32([columns, rows], [tensor.values[r * columns + c] for c in range(columns) for r in range(rows)])


def kda():
    for size in ("T1", "T15", "T16", "T17", "T64", "T129", "bound"):
        of = lambda name: data[f"kda.{size}.{name}"]
        result = run({**{name: of(name) for name in ("q_raw", "k_raw", "v", "z", "b")}, "state": of("state_in")})
        for name in ("o", "g", "beta", "k_norm"):
            judge(f"{size}.{name}", result[name], of(name))
        judge(f"{size}.state", result["state"], of("state_out"))


def conv():
    for size in ("T1", "T2", "T3", "T4", "T9"):
        of = lambda name: data[f"conv.{size}.{name}"]
        # Golden windows have four columns a channel; the state keeps the last three as rows.
        result = run({"x": of("x"), "state": transposed(of("state_in").columns_from(1))})
        judge(size + ".out", result["out"], of("out"))
        judge(size + ".state", transposed(result["state"]), of("state_out").columns_from(1))


def situ():
    grid = list(data["situ.grid"].values)
    x = [value for gate in grid for value in [gate] * len(grid) + grid]
    judge("out", run({"x": f32([len(grid), 2 * len(grid)], x)})["out"], data["situ.out"])


def gated_norm():
    result = run({"x": data["gated_norm.x"], "gate": data["gated_norm.gate"]})
    judge("out", result["out"], data["gated_norm.out"])


def attn_res():
    sources = data[case + ".sources"]
    count, tokens, width = sources.shape
    size = tokens * width
    result = run({f"source{i}": f32([tokens, width], sources.values[i * size:(i + 1) * size]) for i in range(count)})
    for name in ("out", "out_prenorm"):
        judge(name, result[name], data[f"{case}.{name}"])


def mx_table():
    def u8(shape, values):
        tensor = golden.Tensor("U8", shape, b"")
        tensor.values = array.array("B", values)
        return tensor

    def pick(channels, inputs):
        """Row i is 1 (code 2) at input i."""
        nibbles = [2 if i == j else 0 for i in range(channels) for j in range(inputs)]
        return u8([channels, inputs // 2], [low | high << 4 for low, high in zip(nibbles[::2], nibbles[1::2])])

    scales = list(data["mxfp4.table_scales"].values)[:5]  # the last one overflows float
    packed = [byte % 256 for byte in range(16 * 16 * 5)] + [0] * 256
    weights = {"experts.0.w2.weight_packed": u8([96, 16], packed),
               "experts.0.w2.weight_scale": u8([96, 1], [s for s in scales for _ in range(16)] + [127] * 16)}
    for name in ("w1", "w3"):
        weights[f"experts.0.{name}.weight_packed"] = pick(32, 96)
        weights[f"experts.0.{name}.weight_scale"] = u8([32, 3], [127] * 96)
    write(scratch + ".safetensors", weights)
    z = [1000.0 if t == c else 0.0 for t in range(32) for c in range(96)]
    ids = golden.Tensor("I32", [32, 1], bytes(4 * 32))
    y = run({"z": f32([32, 96], z), "ids": ids, "w": f32([32, 1], [1.0] * 32)}, scratch + ".safetensors")["y"]
    table = list(data["mxfp4.table"].values)
    for s, scale in enumerate(scales):
        # Byte b of the table is byte b % 16 of row b // 16.
        have = [y.values[t * 96 + s * 16 + row] for row in range(16) for t in range(32)]
        want = golden.Tensor("F64", [512], b"")
        want.values = array.array("d", [100 * value for value in table[s * 512:(s + 1) * 512]])
        judge(f"scale byte {scale}", f32([512], have), want)


{"kda": kda, "conv": conv, "situ": situ, "gated_norm": gated_norm, "mx_table": mx_table}.get(case, attn_res)()
print(f"{case}: largest relative difference {worst:.3e}")
