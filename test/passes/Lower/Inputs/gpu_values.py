"""The kernels of test/passes/Lower on a GPU against the Emulator, bit by bit; approximate and tensor core sums by tolerance.

  gpu_values.py pack FOLDER    with k3-opt, k3-lowered-opt and k3-emulate on the path: machine code and what the Emulator computes
  gpu_values.py run FOLDER     on a machine with an sm_90a GPU: needs only the folder, Python and the driver
"""
import ctypes
import json
import os
import re
import struct
import subprocess
import sys

# Per kernel: CTAs, arguments (an output begins as zeros), tolerance relative to the largest value.
CASES = {
    "elementwise": (1, ["random:1:2x128", "random:2:2x128", "out:3x128", "out:3x128", "out:2x128"], 1e-6),
    "loads": (1, ["random:1:70x256", "out:3x256", "out:64x32", "out:64x16", 13, 256], 0),
    "gather": (1, ["random:1:70x256", "iota:1x64", "out:64x16", "out:16x64", 13, 61], 0),
    "shared": (1, ["random:1:16x64", "out:48x64", "out:16x16"], 0),
    "registers": (1, ["random:1:16x16", "random:2:1x16", "out:64x16", "out:56x16"], 0),
    "mma": (1, ["random:1:40x32", "out:16x16", "out:32x8"], 1e-6),
    "wgmma": (1, ["random:1:64x64", "random:2:64x64", "out:192x64"], 1e-6),
    "reduce": (2, ["random:1:128x32", "random:2:2x1024", "out:2x64", "out:2x32", "out:2x1024"], 0),
    "peers": (2, ["random:1:14x128", "out:2x128", "out:2x128", 7], 0),
    "flags": (2, ["random:1:2x512", "out:2x512", "out:2x512", "out:1x5"], 0),
}
here = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def pack(folder):
    os.makedirs(folder, exist_ok=True)
    launches = {}
    for name, (ctas, arguments, _) in CASES.items():
        source, base = f"{here}/{name}.mlir", f"{folder}/{name}"
        lowered = subprocess.run(["k3-opt", source, "--k3-tile-prepare=arch=sm_90a", "--k3-lower-tile-to-nvvm"], check=True,
                                 stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout
        subprocess.run(["k3-lowered-opt", "--assemble", f"--cubin={base}.cubin"], check=True, input=lowered, text=True)
        subprocess.run(["k3-emulate", source, "--prepare=sm_90a", "--seeds=1", f"--grid={ctas}", f"--output={base}.safetensors"] +
                       [f"--arg={a}".replace("out:", "zeros:") for a in arguments], check=True)
        launches[name] = int(re.search(r"reqntid = array<i32: (\d+)", lowered).group(1))
    json.dump(launches, open(f"{folder}/threads.json", "w"))


def tensors(path):
    data = open(path, "rb").read()
    size = struct.unpack("<Q", data[:8])[0]
    return {name: (entry["dtype"], data[8 + size + entry["data_offsets"][0]:8 + size + entry["data_offsets"][1]])
            for name, entry in json.loads(data[8:8 + size]).items() if name != "__metadata__"}


def numbers(dtype, data):
    if dtype == "BF16":
        data, dtype = b"".join(b"\0\0" + data[i:i + 2] for i in range(0, len(data), 2)), "F32"
    return struct.unpack(f"<{len(data) // 4}{'f' if dtype == 'F32' else 'i'}", data)


def run(folder):
    cuda = ctypes.CDLL("libcuda.so.1")

    def call(name, *arguments):
        error = getattr(cuda, name)(*arguments)
        if error:
            sys.exit(f"{name}: error {error} of the driver")

    device, context = ctypes.c_int(), ctypes.c_void_p()
    call("cuInit", 0)
    call("cuDeviceGet", ctypes.byref(device), 0)
    call("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
    call("cuCtxSetCurrent", context)
    threads, shared, failed = json.load(open(f"{folder}/threads.json")), 65536, 0
    for name, (ctas, arguments, tolerance) in CASES.items():
        expected = tensors(f"{folder}/{name}.safetensors")
        module, function = ctypes.c_void_p(), ctypes.c_void_p()
        call("cuModuleLoadData", ctypes.byref(module), open(f"{folder}/{name}.cubin", "rb").read())
        call("cuModuleGetFunction", ctypes.byref(function), module, name.encode())
        call("cuFuncSetAttribute", function, 8, shared)  # the most dynamic shared memory
        parameters = []
        for i, argument in enumerate(arguments):
            if isinstance(argument, int):
                parameters.append(ctypes.c_int(argument))
                continue
            data, pointer = expected[f"arg{i}"][1], ctypes.c_uint64()
            call("cuMemAlloc_v2", ctypes.byref(pointer), len(data))
            call("cuMemcpyHtoD_v2", pointer, bytes(len(data)) if argument.startswith("out") else data, len(data))
            parameters.append(pointer)
        places = (ctypes.c_void_p * len(parameters))(*[ctypes.cast(ctypes.pointer(p), ctypes.c_void_p) for p in parameters])
        call("cuLaunchKernel", function, ctas, 1, 1, threads[name], 1, 1, shared, None, places, None)
        call("cuCtxSynchronize")
        for i, argument in enumerate(arguments):
            if isinstance(argument, int) or not argument.startswith("out"):
                continue
            dtype, data = expected[f"arg{i}"]
            got = ctypes.create_string_buffer(len(data))
            call("cuMemcpyDtoH_v2", got, parameters[i], len(data))
            want, have = numbers(dtype, data), numbers(dtype, got.raw)
            bound = tolerance * max(abs(x) for x in want)
            wrong = [j for j in range(len(want)) if not abs(want[j] - have[j]) <= bound]
            same = sum(x == y for x, y in zip(want, have))
            print(f"{name} argument {i}: {same} of {len(want)} equal, {len(wrong)} wrong")
            for j in wrong[:1]:
                print(f"  element {j} is {have[j]}, the Emulator has {want[j]}")
            failed += bool(wrong)
    sys.exit(f"{failed} outputs differ" if failed else 0)


if __name__ == "__main__":
    if len(sys.argv) != 3 or sys.argv[1] not in ("pack", "run"):
        sys.exit(__doc__)
    {"pack": pack, "run": run}[sys.argv[1]](sys.argv[2])
