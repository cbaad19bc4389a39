"""Reads safetensors and .npy files and compares them; the judge of the end-to-end tests. Standard library only.

  golden.py tokens FILE NAME [--prefixes=1,2,3]     ids of an I64 tensor, one line; or one line for each prefix length
  golden.py same-tokens FILE NAME < ids             the ids on stdin are those of the tensor
  golden.py same-bytes FILE NAME < text             the bytes on stdin (less one line end) are those of the tensor
  golden.py diff ACTUAL EXPECTED [options]          every expected tensor is there and within --tol (2-norm, relative)
  golden.py same-rows A B NAME COUNT                the first COUNT rows of NAME are equal bit by bit
"""
import argparse
import array
import json
import math
import re
import struct
import sys

CODES = {"F32": "f", "F64": "d", "I64": "q", "I32": "i", "U8": "B"}


class Tensor:
    def __init__(self, dtype, shape, data):
        self.dtype, self.shape = dtype, list(shape)
        self.values = array.array(CODES[dtype])
        self.values.frombytes(data)

    def rows(self, first, last):
        width = math.prod(self.shape[1:])
        part = Tensor(self.dtype, [last - first] + self.shape[1:], b"")
        part.values = self.values[first * width:last * width]
        return part

    def columns_from(self, first):
        """A matrix without its first columns."""
        width = self.shape[-1]
        part = Tensor(self.dtype, self.shape[:-1] + [width - first], b"")
        for row in range(len(self.values) // width):
            part.values.extend(self.values[row * width + first:(row + 1) * width])
        return part


def read(path):
    """name -> Tensor, without the types that no test compares; an .npy file is one tensor, `logits`."""
    with open(path, "rb") as file:
        content = file.read()
    if content[:6] == b"\x93NUMPY":
        (size,) = struct.unpack("<H", content[8:10])
        shape = re.search(rb"'shape': \(([^)]*)\)", content[10:10 + size]).group(1)
        return {"logits": Tensor("F32", [int(d) for d in shape.split(b",") if d.strip()], content[10 + size:])}
    (size,) = struct.unpack("<Q", content[:8])
    header = json.loads(content[8:8 + size])
    return {name: Tensor(entry["dtype"], entry["shape"],
                         content[8 + size + entry["data_offsets"][0]:8 + size + entry["data_offsets"][1]])
            for name, entry in header.items() if name != "__metadata__" and entry["dtype"] in CODES}


def joined_prefixes(tensor, lengths):
    """The first rows of `tensor` for each length, one after another."""
    whole = tensor.rows(0, 0)
    for length in lengths:
        whole.values.extend(tensor.rows(0, length).values)
    whole.shape[0] = sum(lengths)
    return whole


def relative(actual, expected):
    """|a - b| / |b| in the 2-norm over the whole tensor."""
    difference = math.sqrt(math.fsum((a - b) * (a - b) for a, b in zip(actual.values, expected.values)))
    norm = math.sqrt(math.fsum(b * b for b in expected.values))
    if not math.isfinite(difference):
        return math.inf
    return difference / norm if norm else (math.inf if difference else 0.0)


def diff(o):
    prefix = o.set + "." if o.set else ""
    expected = {name[len(prefix):]: t for name, t in read(o.expected).items() if name.startswith(prefix)}
    names, skip = re.compile(o.names), re.compile(o.skip) if o.skip else None
    expected = {n: t for n, t in expected.items() if names.fullmatch(n) and not (skip and skip.fullmatch(n))}
    actual = read(o.actual)
    bad, worst = 0, (0.0, "")
    for name, want in sorted(expected.items()):
        if o.prefixes:
            want = joined_prefixes(want, o.prefixes)
        have = actual.get(name)
        if have is None:
            print(f"{name}: missing in {o.actual}")
            bad += 1
            continue
        if "conv_state" in name and want.shape[-1] == have.shape[-1] + 1:
            want = want.columns_from(1)  # the window keeps three of the four golden columns
        if have.shape != want.shape:
            print(f"{name}: is {have.shape}, expected {want.shape}")
            bad += 1
        elif want.dtype in ("I64", "I32"):
            if list(have.values) != list(want.values):
                print(f"{name}: other integers")
                bad += 1
        else:
            error = relative(have, want)
            worst = max(worst, (error, name))
            if not error <= o.tol:
                print(f"{name}: relative difference {error:.3e}, allowed {o.tol:.0e}")
                bad += 1
    print(f"{len(expected)} tensors, {bad} bad, largest relative difference {worst[0]:.3e} ({worst[1]})")
    return 1 if bad or not expected or len(expected) < o.need else 0


def main():
    parser = argparse.ArgumentParser()
    commands = parser.add_subparsers(dest="command", required=True)
    for name in ("tokens", "same-tokens", "same-bytes"):
        command = commands.add_parser(name)
        command.add_argument("file")
        command.add_argument("name")
        command.add_argument("--prefixes", default="")
    command = commands.add_parser("diff")
    command.add_argument("actual")
    command.add_argument("expected")
    command.add_argument("--set", default="")
    command.add_argument("--names", default=".*")
    command.add_argument("--skip", default="")
    command.add_argument("--tol", type=float, default=1e-4)
    command.add_argument("--need", type=int, default=1, help="fail with fewer expected tensors")
    command.add_argument("--prefixes", default="", help="lengths: the actual rows are prefixes of the expected ones")
    command = commands.add_parser("same-rows")
    for name in ("a", "b", "name"):
        command.add_argument(name)
    command.add_argument("count", type=int)
    o = parser.parse_args()
    if getattr(o, "prefixes", ""):
        o.prefixes = [int(n) for n in o.prefixes.split(",")]

    if o.command == "diff":
        return diff(o)
    if o.command == "same-rows":
        a, b = (read(path)[o.name].rows(0, o.count).values.tobytes() for path in (o.a, o.b))
        print(f"{o.name}: {len(a)} bytes, {'equal' if a == b else 'different'}")
        return 0 if a and a == b else 1
    values = list(read(o.file)[o.name].values)
    if o.command == "tokens":
        for length in o.prefixes or [len(values)]:
            print(",".join(str(v) for v in values[:length]))
        return 0
    if o.command == "same-tokens":
        have = [int(t) for t in sys.stdin.read().replace("\n", ",").split(",") if t.strip()]
    else:
        have = list(sys.stdin.buffer.read().removesuffix(b"\n"))
    same = sum(1 for a, b in zip(have, values) if a == b)
    print(f"{len(have)} of {len(values)} given, {same} equal in place")
    return 0 if have == values else 1


if __name__ == "__main__":
    sys.exit(main())
