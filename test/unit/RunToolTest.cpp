//===- RunToolTest.cpp - The command line of k3-run -----------------------===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Safetensors/File.h"
#include "lib/Safetensors/Writer.h"
#include "lib/Support/AtomicFile.h"
#include "lib/Support/MappedFile.h"

#include <cstdio>
#include <cstring>
#include <dlfcn.h>
#include <filesystem>
#include <gtest/gtest.h>

#include <sys/wait.h>
#include <unistd.h>

using namespace k3;

namespace {

struct Result {
  int code;
  std::string out, err;
};

class RunTool : public testing::Test {
protected:
  static void SetUpTestSuite() {
    folder = testing::TempDir() + "/k3-run-" + std::to_string(getpid());
    ASSERT_EQ(std::system((std::string(K3_TOY_PACKAGE) + " " + folder).c_str()), 0);
  }

  static void TearDownTestSuite() { std::filesystem::remove_all(folder); }

  static Result shell(const std::string &command) {
    Result result;
    FILE *pipe = popen((command + " 2>" + folder + "/stderr").c_str(), "r");
    char block[4096];
    while (size_t n = fread(block, 1, sizeof block, pipe))
      result.out.append(block, n);
    result.code = WEXITSTATUS(pclose(pipe));
    auto file = MappedFile::open(folder + "/stderr");
    result.err = file ? std::string(file->text()) : "";
    return result;
  }
  static Result run(const std::string &arguments, const char *package = "toy.k3x", const char *before = "") {
    return shell(before + std::string(K3_RUN) + " " + folder + "/" + package + " --weights=" + folder + " " +
                 arguments);
  }
  static std::string path(const char *name) { return folder + "/" + name; }

  static std::vector<float> tensor(const char *file, const char *name, std::vector<int64_t> shape) {
    auto opened = SafetensorsFile::open(path(file));
    EXPECT_TRUE(opened.ok());
    auto view = opened->lookup(name);
    EXPECT_TRUE(view.ok()) << view.status().text();
    EXPECT_EQ(std::vector<int64_t>(view->shape.begin(), view->shape.end()), shape) << name;
    std::vector<float> values(view->bytes.size() / 4);
    std::memcpy(values.data(), view->bytes.data(), view->bytes.size());
    return values;
  }

  static void expectFails(const Result &result, int code, const char *text) {
    EXPECT_EQ(result.code, code);
    EXPECT_NE(result.err.find(text), std::string::npos) << result.err;
    EXPECT_EQ(result.out, "");
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
  }

  static std::string folder;
};

std::string RunTool::folder;

} // namespace

TEST_F(RunTool, GreedyTokens) {
  Result result = run("--tokens=1,2 --generate=4");
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(result.out, "7,7,7,7\n");
  EXPECT_NE(result.err.find("prefill: 2 tokens in"), std::string::npos);
  EXPECT_NE(result.err.find("decode: 3 tokens in"), std::string::npos);
}

TEST_F(RunTool, PromptIsTextAndSoIsTheAnswer) {
  Result result = run("--prompt=\"$(printf '\\001\\002')\" --generate=2");
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(result.out, "\a\a\n");
}

TEST_F(RunTool, BatchWithAnEmptyLineFromStdin) {
  Result result = run("--tokens-file=- --generate=2", "toy.k3x", "printf '1,2,3\\n\\n4\\n' | ");
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(result.out, "7,7\n\n7,7\n");
}

TEST_F(RunTool, ChunksGiveTheSameFiles) {
  ASSERT_TRUE(writeFile(path("batch.txt"), "1,2,3,4,5\n6\n7,8,9\n").ok());
  for (const char *chunk : {"1", "2", "4"}) {
    Result result = run("--tokens-file=" + path("batch.txt") + " --dump-tensors=" + path("dump.safetensors") +
                        " --logits=" + path("l.npy") + " --prefill-chunk=" + chunk);
    ASSERT_EQ(result.code, 0) << result.err;
    std::vector<float> x = tensor("dump.safetensors", "x", {9, 8});
    for (int i = 0; i < 9; ++i)
      EXPECT_EQ(x[8 * i], float(i + 1));
    EXPECT_EQ(tensor("dump.safetensors", "h", {9, 8})[8 * 8], 72.0f); // 3 (7 + 8 + 9)
    EXPECT_EQ(tensor("dump.safetensors", "logits", {9, 16})[4 * 16], 45.0f);
    EXPECT_EQ(tensor("dump.safetensors", "scan", {24})[8], 6.0f);
    EXPECT_EQ(tensor("dump.safetensors", "latent", {9, 8})[5 * 8], 6.0f);
    EXPECT_EQ(tensor("dump.safetensors", "conv.b", {12, 3})[2], 5.5f);
    auto npy = MappedFile::open(path("l.npy"));
    EXPECT_EQ(npy->size(), 128u + 9 * 16 * 4);
    EXPECT_NE(npy->text().find("'shape': (9, 16)"), std::string::npos);
  }
}

TEST_F(RunTool, LastRowsWithoutAllLogits) {
  Result result =
      run("--tokens=1,2,3,4 --prefill-chunk=3 --generate=3 --logits=" + path("last.npy"), "plain.k3x");
  ASSERT_EQ(result.code, 0) << result.err;
  auto npy = MappedFile::open(path("last.npy"));
  EXPECT_NE(npy->text().find("'shape': (3, 16)"),
            std::string::npos); // the prompt's last row and two new tokens
  float first;
  std::memcpy(&first, npy->data() + 128, 4);
  EXPECT_EQ(first, 30.0f);
}

TEST_F(RunTool, LogitsToStdout) {
  Result result = run("--tokens=1 --logits=-");
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(result.out.substr(0, 6), "\x93NUMPY");
  EXPECT_EQ(result.out.size(), 128u + 64);
}

TEST_F(RunTool, GivenTensorsAreCutLikeTheTokens) {
  SafetensorsWriter writer;
  std::vector<float> x(6 * 8);
  for (size_t i = 0; i < x.size(); ++i)
    x[i] = static_cast<float>(i / 8 + 1);
  ASSERT_TRUE(writer.add("fp32.x", DType::F32, {6, 8}, x).ok());
  ASSERT_TRUE(writer.write(path("given.safetensors")).ok());
  ASSERT_TRUE(writeFile(path("two.txt"), "0,0\n0,0,0,0\n").ok());
  Result result =
      run("--tokens-file=" + path("two.txt") + " --prefill-chunk=3 --given=" + path("given.safetensors") +
          " --given-names=x --dump-tensors=" + path("dump.safetensors"));
  ASSERT_EQ(result.code, 0) << result.err;
  std::vector<float> logits = tensor("dump.safetensors", "logits", {6, 16});
  EXPECT_EQ(logits[1 * 16], 9.0f);  // 3 (1 + 2)
  EXPECT_EQ(logits[5 * 16], 54.0f); // 3 (3 + 4 + 5 + 6)
}

TEST_F(RunTool, GraphsTakeTensorsAndGiveTensors) {
  SafetensorsWriter writer;
  std::vector<float> x(16, 2.0f), state(8, 10.0f);
  ASSERT_TRUE(writer.add("case.x", DType::F32, {2, 8}, x).ok());
  ASSERT_TRUE(writer.add("case.s", DType::F32, {8}, state).ok());
  ASSERT_TRUE(writer.write(path("in.safetensors")).ok());
  std::string given = "--given=" + path("in.safetensors") + " --dump-tensors=" + path("graph.safetensors");
  Result result = run(given + " --given-set=case", "graph.k3x");
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(tensor("graph.safetensors", "y", {2, 8})[8], 14.0f);
  EXPECT_EQ(tensor("graph.safetensors", "s", {8})[0], 14.0f);
  expectFails(run(given, "graph.k3x"), 1, "no tensor 'fp32.x', an input of the graph");
  expectFails(run("--tokens=1", "graph.k3x"), 2, "is a graph: it takes --given");
}

TEST_F(RunTool, StatsNameTheKernels) {
  Result result = run("--tokens=1,2 --generate=2 --stats");
  EXPECT_NE(result.err.find("toy_attend"), std::string::npos) << result.err;
  EXPECT_NE(result.err.find("gemm"), std::string::npos);
}

TEST_F(RunTool, RandomWeights) {
  std::string command =
      std::string(K3_RUN) + " " + path("toy.k3x") + " --tokens=1,2 --generate=5 --weights=random:";
  EXPECT_EQ(shell(command + "3").out, shell(command + "3").out);
  expectFails(shell(command + "x"), 2, "the seed must be an integer");
}

TEST_F(RunTool, HelpAndVersion) {
  EXPECT_EQ(shell(std::string(K3_RUN) + " --version").out.substr(0, 7), "k3-run ");
  Result help = shell(std::string(K3_RUN) + " --help");
  EXPECT_EQ(help.code, 0);
  EXPECT_NE(help.out.find("--prefill-chunk"), std::string::npos);
}

TEST_F(RunTool, BadInputIsOneLineAndExitCode1) {
  expectFails(run("--tokens=1,16"), 1, "token 1 is id 16, the vocabulary has ids 0 to 15");
  expectFails(run("--tokens=1,,2"), 1, "--tokens: '' is no token id");
  expectFails(run("--tokens=1 --generate=40"), 1,
              "compiled for at most 30; compile with a larger --max-context");
  expectFails(run("--tokens=1,2,3,4,5,6,7,8,9,10,11,12,13 --prefill-chunk=13"), 1, "the batch has 13 tokens");
  expectFails(run("--tokens-file=-", "toy.k3x", "printf '1\\n1\\n1\\n1\\n' | "), 1,
              "4 sequences, the package was compiled for at most 3");
  expectFails(run("--tokens=1 --logits=/nonexistent/l.npy"), 1, "/nonexistent");
  expectFails(run("--tokens=1 --dump-tensors=d.safetensors", "plain.k3x"), 1,
              "--dump-tensors: the package has no taps; compile it with --taps=REGEX");
  expectFails(run("--tokens=1 --given=g.safetensors", "plain.k3x"), 1, "--given: the package has no taps");
  expectFails(run("--tokens=1", "absent.k3x"), 1, "absent.k3x");
  expectFails(run("--tokens=1 --device=cuda"), 1, "device 'cuda': the package is for target 'host'");
}

TEST_F(RunTool, AGpuPackageNeedsADriver) {
  expectFails(run("--given=x --dump-tensors=d --device=host", "gpu.k3x"), 1,
              "device 'host': the package is for target 'h200' (sm_90a)");
  if (void *driver = dlopen("libcuda.so.1", RTLD_NOW)) {
    dlclose(driver);
    GTEST_SKIP() << "this machine has a driver";
  }
  for (const char *device : {"", " --device=cuda", " --device=cuda:1"})
    expectFails(run(std::string("--given=x --dump-tensors=d") + device, "gpu.k3x"), 1,
                "the package is for target 'h200' (sm_90a): the CUDA driver library libcuda.so.1 cannot be opened; install "
                "an NVIDIA driver");
}

TEST_F(RunTool, BadUsageIsExitCode2) {
  expectFails(run("--tokens=1 --device=rocm"), 2, "device 'rocm': expected host, cuda or cuda:N");

  expectFails(run(""), 2, "give one of --prompt, --tokens and --tokens-file");
  expectFails(run("--tokens=1 --prompt=x"), 2, "give one of");
  expectFails(run("--prompt= --generate=2"), 2, "--prompt is empty");
  expectFails(run("--tokens=1 --generate=2 --logits=-"), 2, "can go to stdout");
  expectFails(run("--tokens=1 --bogus"), 2, "not expected: --bogus; see k3-run --help");
  expectFails(run("--tokens=1 --threads=many"), 2, "k3-run: error: Could not convert: --threads = many");
  expectFails(run("--tokens=1 --threads=100000"), 2, "100000 threads, expected at most 1024");
  expectFails(run("--tokens=1 --logits="), 2, "--logits is empty");
  expectFails(run("--tokens=1 --given="), 2, "--given is empty");
  expectFails(run("--tokens=1 --logits=x --dump-tensors=x"), 2, "the same file x");
}

TEST_F(RunTool, GivenTensorsThatDoNotFit) {
  SafetensorsWriter writer;
  std::vector<float> none, rows(16);
  std::vector<double> wide(8);
  ASSERT_TRUE(writer.add("none.x", DType::F32, {1, 0}, none).ok());
  ASSERT_TRUE(writer.add("wide.x", DType::F64, {1, 8}, wide).ok());
  ASSERT_TRUE(writer.add("long.x", DType::F32, {2, 8}, rows).ok());
  ASSERT_TRUE(writer.write(path("odd.safetensors")).ok());
  std::string given = "--tokens=1 --given=" + path("odd.safetensors");
  expectFails(run(given + " --given-set=wide"), 1, "F64 [1, 8], no tensor of a graph has this element type");
  expectFails(run(given + " --given-set=long"), 1, "expected a row for each of the 1 prompt tokens");
  Result result = run(given + " --given-set=none");
  EXPECT_EQ(result.code, 1);
  EXPECT_NE(result.err.find("the given tensor is [1, 0]"), std::string::npos) << result.err;
}

TEST_F(RunTool, WhatAFileHoldsStaysOnOneLine) {
  expectFails(run("--tokens-file=-", "toy.k3x", "printf '1,\\0\\033[31m\\r7\\n' | "), 1, "'\\x00\\x1b[31m\\x0d7'");
  Result result = run("--tokens-file=-", "toy.k3x", "head -c 1000000 /dev/zero | tr '\\0' x | ");
  expectFails(result, 1, "is no token id; expected integers between commas");
  EXPECT_LT(result.err.size(), 2000u);
}

TEST_F(RunTool, LostOutputIsAnError) {
  expectFails(run("--tokens=1 --generate=2 > /dev/full"), 1, "standard output cannot be written");
  expectFails(run("--tokens=1 --generate=2 >&-"), 1, "standard output cannot be written");
  expectFails(run("--tokens=1 --logits=- >&-"), 1, "stdout: cannot write the output");
}

TEST_F(RunTool, TheRuntimeNeedsNoLlvm) {
  for (const char *file : {K3_RUN, K3_RUNTIME_LIBRARY}) {
    Result result = shell(std::string("readelf -d ") + file);
    ASSERT_EQ(result.code, 0) << result.err;
    EXPECT_NE(result.out.find("NEEDED"), std::string::npos);
    EXPECT_EQ(result.out.find("libMLIR"), std::string::npos) << file;
    EXPECT_EQ(result.out.find("libLLVM"), std::string::npos) << file;
  }
  Result exported = shell(std::string("nm -D --defined-only ") + K3_RUNTIME_LIBRARY + " | grep -v ' k3_'");
  EXPECT_EQ(exported.out, "");
}

TEST_F(RunTool, TheCExampleRuns) {
  Result result =
      shell(std::string(K3_C_EXAMPLE) + " " + path("toy.k3x") + " " + folder + " \"$(printf '\\001')\"");
  EXPECT_EQ(result.code, 1); // the toy takes 30 tokens, the example wants 41
  EXPECT_NE(result.out.find("toy, 0 layers, vocabulary 16, f32"), std::string::npos) << result.out;
  EXPECT_NE(result.err.find("--max-context"), std::string::npos) << result.err;
}
