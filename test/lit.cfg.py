"""The lit suite: .mlir and .test files below this folder; unit tests have their own configuration in unit/."""
import importlib.util
import os

import lit.formats

build = os.path.abspath(lit_config.params.get("build", os.environ.get("K3_BUILD_DIR", "build/release")))
source = os.path.dirname(os.path.abspath(__file__))
llvm = "/usr/lib/llvm-22/bin"

config.name = "k3"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test"]
config.excludes = ["Inputs"]
# REQUIRES: compiler. A runtime-only build has no k3-opt.
if os.path.exists(os.path.join(build, "bin", "k3-opt")):
    config.available_features.add("compiler")
config.test_source_root = source
config.test_exec_root = os.path.join(build, "test")

# Only the tools under test, LLVM's test tools and the system are on the path.
config.environment["PATH"] = os.pathsep.join([os.path.join(build, "bin"), llvm, os.environ.get("PATH", "")])
config.environment["FILECHECK_OPTS"] = "--enable-var-scope"
config.environment["OPENBLAS_NUM_THREADS"] = "1"
config.environment["LC_ALL"] = "C"
config.substitutions.append(("%root", os.path.dirname(source)))
config.substitutions.append(("%build", build))
config.substitutions.append(("%python", "python3 -B"))
if importlib.util.find_spec("psutil"):
    lit_config.maxIndividualTestTime = 900

# REQUIRES: golden. Without the data those tests are left out, except under CI, where they must fail.
golden = os.environ.get("K3_GOLDEN_DIR", "")
config.substitutions.append(("%golden", golden or "/golden-data-missing"))
if golden:
    config.environment["K3_GOLDEN_DIR"] = golden
if os.path.isdir(golden) or os.environ.get("CI") == "true":
    config.available_features.add("golden")
# REQUIRES: real-model. The released config and index beside the golden data; the weights are not needed.
real = os.path.join(os.path.dirname(os.path.abspath(golden)), "kimi-k3") if golden else ""
config.substitutions.append(("%real", real or "/real-model-missing"))
if os.path.isdir(real) or os.environ.get("CI") == "true":
    config.available_features.add("real-model")
# %if ptxas: where there is an assembler, kernels are assembled too.
if any(os.path.exists(os.path.join(folder, "ptxas")) for folder in ["/usr/local/cuda/bin"] + os.environ.get("PATH", "").split(os.pathsep)):
    config.available_features.add("ptxas")
