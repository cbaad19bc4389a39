"""Runs every GoogleTest binary of the build (bin/*Test); each of their cases counts as one test."""
import os

import lit.formats

build = os.path.abspath(lit_config.params.get("build", os.environ.get("K3_BUILD_DIR", "build/release")))

config.name = "k3-unit"
config.test_format = lit.formats.GoogleTest(".", "Test")
config.suffixes = []
config.test_source_root = os.path.join(build, "bin")
config.test_exec_root = os.path.join(build, "test", "unit")
for name in ("K3_GOLDEN_DIR", "CI", "HOME", "TMPDIR"):
    if name in os.environ:
        config.environment[name] = os.environ[name]
config.environment["OPENBLAS_NUM_THREADS"] = "1"
