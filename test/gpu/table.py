#!/usr/bin/env python3
"""Sums up a folder of k3-bench's JSON: products against cuBLAS, skinny products against the copy, the other kernels.

table.py FOLDER      Plain Python; lines whose timings are missing are left out.
"""
import glob
import json
import math
import os
import sys

SHAPES = [(49376, 7168), (7168, 12288), (18432, 1536), (2112, 7168), (12288, 7168), (33792, 7168)]
LARGE, SKINNY = (128, 512, 2048, 8192), (1, 2, 4, 8, 16)

runs, context = {}, {}
for path in glob.glob(os.path.join(sys.argv[1], "*.json")):
    with open(path) as file:
        data = json.load(file)
    context = data["context"]
    runs.update({run["name"]: run for run in data["benchmarks"]})


def run(function, rows, mode):
    return runs.get(f"{function}/{rows}/{mode}")


def percent(value):
    return f"{100 * value:.1f}"


def products(peer, name):
    every = []
    for n, k in SHAPES:
        found = [run(f"gemm_{n}x{k}", rows, "warm") for rows in LARGE]
        if all(found):
            ratios = [one.get(peer, 0) for one in found]
            every += ratios
            print(f"| {n} x {k} | {name} | " + " | ".join(map(percent, ratios)) + " |")
    if every and min(every) > 0:
        mean = math.exp(sum(map(math.log, every)) / len(every))
        print(f"| geometric mean {percent(mean)}, lowest {percent(min(every))} | {name} | | | | |")


if any(run(f"gemm_{n}x{k}", 8192, "warm") for n, k in SHAPES):
    print("\n| warm, % of the peer's speed | peer | " + " | ".join(f"M {m}" for m in LARGE) + " |\n|" + "---|" * 6)
    products("of_cublas", "cuBLAS")
    products("of_cublaslt", "cuBLASLt, best of 8")
    copy = float(context["copy_GB_per_s"]) * 1e9
    print("\n| cold | " + " | ".join(f"M {m}" for m in SKINNY) + " |\n|" + "---|" * 6)
    for n, k in SHAPES:
        found = [run(f"gemm_{n}x{k}", rows, "cold") for rows in SKINNY]
        if all(found):
            print(f"| {n} x {k}, {2 * n * k >> 20} MiB: % of the copy / of cuBLAS | "
                  + " | ".join(f"{percent(one['bytes'] / one['real_time'] * 1e6 / copy)} / {percent(one.get('of_cublas', 0))}" for one in found) + " |")

print("\n| us | warm | cold | floor |\n|---|---|---|---|")
for function, rows in [("gemm_8192x8192", 8192), ("attn_res_9", 8192), ("attn_res_9", 128), ("attn_res_9", 1), ("attn_res_3", 8192),
                       ("rms_norm_7168", 8192), ("plain", 8192), ("residual", 8192), ("situ_glu", 8192), ("sigmoid_gate", 8192),
                       ("plain", 2048), ("residual", 2048), ("situ_glu", 2048), ("sigmoid_gate", 2048)]:
    warm, cold = run(function, rows, "warm"), run(function, rows, "cold")
    if warm and cold:
        peer = f" ({percent(warm['of_cublas'])}% of cuBLAS)" if "of_cublas" in warm else ""
        print(f"| {function}, {rows} rows | {warm['real_time']:.2f}{peer} | {cold['real_time']:.2f} | {warm['floor_us']:.2f} |")
