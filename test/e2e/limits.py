"""limits.py SECONDS MEGABYTES COMMAND...: fails when the command takes more time or memory than allowed.

Time is the smaller of wall and CPU time, so that other work on the machine does not count.
"""
import resource
import subprocess
import sys
import time

seconds, megabytes = float(sys.argv[1]), float(sys.argv[2])
start = time.monotonic()
code = subprocess.run(sys.argv[3:]).returncode
took = time.monotonic() - start
usage = resource.getrusage(resource.RUSAGE_CHILDREN)
took = min(took, usage.ru_utime + usage.ru_stime)
peak = usage.ru_maxrss / 1024
print(f"{took:.2f} s of {seconds:g}, {peak:.0f} MB of {megabytes:g}", file=sys.stderr)
sys.exit(code or int(took > seconds or peak > megabytes))
