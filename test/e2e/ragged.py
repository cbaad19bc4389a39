"""ragged.py PACKAGE WEIGHTS EXPECTED SCRATCH LENGTHS: a batch of prefixes of the golden tokens against single runs (1e-5)."""
import subprocess
import sys

import golden

package, weights, expected, scratch, lengths = sys.argv[1:6]
lengths = [int(n) for n in lengths.split(",")]
tokens = list(golden.read(expected)["tokens"].values)


def logits(prompts, name):
    with open(scratch + ".in", "w") as file:
        file.write("".join(",".join(map(str, prompt)) + "\n" for prompt in prompts))
    subprocess.run(["k3-run", package, "--weights=" + weights, "--tokens-file=" + scratch + ".in",
                    "--logits=" + scratch + name], check=True)
    return golden.read(scratch + name)["logits"]


batch, row, worst = logits([tokens[:n] for n in lengths], ".batch.npy"), 0, 0.0
for length in lengths:
    if length == 0:
        continue
    single = logits([tokens[:length]], ".single.npy")
    worst = max(worst, golden.relative(batch.rows(row, row + length), single))
    row += length
print(f"rows {row} of {batch.shape[0]}, largest relative difference {worst:.3e}")
sys.exit(0 if row == batch.shape[0] and worst <= 1e-5 else 1)
