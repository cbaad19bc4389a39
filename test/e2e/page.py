"""Follows a page: page.py PAGE ROOT [--no-cubin]. Runs the commands of its `sh` blocks but the last, each in a shell of its own, in an
empty folder where `examples` is the repository's; checks that blocks that name a file (```cpp PATH) quote it, lines in order, `...` for what is left out."""
import os
import subprocess
import sys
import tempfile

page, root = sys.argv[1:3]
blocks, current = [], None
for line in open(page):
    if line.startswith("```"):
        if current is None:
            current = (line[3:].split(), [])
            blocks.append(current)
        else:
            current = None
    elif current is not None:
        current[1].append(line.rstrip("\n"))
if current is not None:
    sys.exit(page + ": the last block has no end")
commands = [(number, command) for number, (words, lines) in enumerate(blocks) if words == ["sh"] for command in lines]
if not commands:
    sys.exit(page + ": no commands")


def quoted(lines, path):
    """The first quoted line that the file does not have behind the ones before."""
    text, at = [" ".join(line.split()) for line in open(path)], 0
    for line in filter(None, (" ".join(line.split()) for line in lines)):
        while at < len(text):
            place = 0
            for part in line.split("..."):
                place = text[at].find(part.strip(), place) if place >= 0 else -1
                place += len(part.strip()) if place >= 0 else 0
            at += 1
            if place >= 0:
                break
        else:
            return line
    return ""


with tempfile.TemporaryDirectory() as folder:
    for entry in "examples", "passes":
        os.symlink(os.path.join(root, entry), os.path.join(folder, entry))
    for number, (words, lines) in enumerate(blocks):
        if len(words) == 2:
            missing = quoted(lines, os.path.join(folder, words[1]))
            if missing:
                sys.exit("%s: quotes what %s does not have there: %s" % (page, words[1], missing))
        for at, command in commands:
            if at != number or (at, command) == commands[-1]:
                continue
            if "--no-cubin" in sys.argv and "--emit=cubin" in command:
                print("left out, no assembler:", command)
                continue
            shell = subprocess.run(["bash", "-o", "pipefail", "-c", command], cwd=folder, text=True, stdout=subprocess.PIPE,
                                   stderr=subprocess.STDOUT)
            print("$ " + command + "\n" + shell.stdout, end="")
            if shell.returncode:
                sys.exit("%s: exit code %d of: %s" % (page, shell.returncode, command))
print("followed: %d commands, the last one left to a GPU" % (len(commands) - 1))
