"""Runs a command and fails when it takes more time or memory than allowed: limits.py SECONDS MEGABYTES COMMAND..."""
import resource
import subprocess
import sys
import time

seconds, megabytes = float(sys.argv[1]), float(sys.argv[2])
start = time.monotonic()
code = subprocess.run(sys.argv[3:]).returncode
took = time.monotonic() - start
peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
print(f"{took:.2f} s of {seconds:g}, {peak:.0f} MB of {megabytes:g}", file=sys.stderr)
sys.exit(code or int(took > seconds or peak > megabytes))
