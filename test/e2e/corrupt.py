"""Damages files for the tests of bad input.

  corrupt.py truncate FILE BYTES            keeps that many bytes (negative: so many fewer)
  corrupt.py flip FILE OFFSET               inverts one bit of the byte there
  corrupt.py poke FILE OFFSET HEX           overwrites bytes
  corrupt.py long-header FILE               the length of a safetensors header becomes more than the file
  corrupt.py overlap FILE                   the second tensor of a safetensors file begins inside the first
  corrupt.py set FILE TENSOR FIELD JSON     another dtype or shape in a safetensors header
  corrupt.py byte FILE TENSOR INDEX VALUE   one byte of a tensor's data
  corrupt.py drop INDEX TENSOR              a tensor vanishes from model.safetensors.index.json
  corrupt.py config FILE PATH JSON          another value in config.json; PATH like text_config.hidden_size
"""
import json
import struct
import sys


def load(path):
    with open(path, "rb") as file:
        return bytearray(file.read())


def store(path, content):
    with open(path, "wb") as file:
        file.write(content)


def header_of(content):
    (size,) = struct.unpack("<Q", content[:8])
    return json.loads(content[8:8 + size]), 8 + size


def with_header(header, data):
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    return struct.pack("<Q", len(text)) + text + data


def main(command, path, *rest):
    if command == "config":
        config = json.loads(load(path))
        *parents, last = rest[0].split(".")
        target = config
        for name in parents:
            target = target[name]
        if rest[1] == "-":
            del target[last]
        else:
            target[last] = json.loads(rest[1])
        return store(path, json.dumps(config).encode())
    if command == "drop":
        index = json.loads(load(path))
        del index["weight_map"][rest[0]]
        return store(path, json.dumps(index).encode())
    content = load(path)
    if command == "truncate":
        return store(path, content[:int(rest[0])])
    if command == "flip":
        content[int(rest[0])] ^= 0x10
        return store(path, content)
    if command == "poke":
        data = bytes.fromhex(rest[1])
        content[int(rest[0]):int(rest[0]) + len(data)] = data
        return store(path, content)
    if command == "long-header":
        content[:8] = struct.pack("<Q", len(content))
        return store(path, content)
    header, start = header_of(content)
    if command == "overlap":
        names = sorted((n for n in header if n != "__metadata__"), key=lambda n: header[n]["data_offsets"])
        begin, end = header[names[1]]["data_offsets"]
        header[names[1]]["data_offsets"] = [begin - 2, end - 2]
        return store(path, with_header(header, content[start:]))
    if command == "set":
        header[rest[0]][rest[1]] = json.loads(rest[2])
        return store(path, with_header(header, content[start:]))
    if command == "byte":
        content[start + header[rest[0]]["data_offsets"][0] + int(rest[1])] = int(rest[2])
        return store(path, content)
    raise SystemExit(f"unknown command {command}")


main(*sys.argv[1:])
