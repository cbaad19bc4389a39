//===- CodegenCubinTest.cpp - PTX to cubin: logs, errors, tools, cache ---===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/unit/CodegenAssemblers.h"

#include "gtest/gtest.h"

#include <filesystem>
#include <fstream>
#include <unistd.h>

namespace fs = std::filesystem;
using namespace k3::codegen;

namespace {

const char *addPtx = R"(.version 7.8
.target sm_80
.address_size 64
.visible .entry add(.param .u64 p)
{
  .reg .b64 %rd<3>;
  .reg .f32 %f<3>;
  .shared .align 4 .f32 s[32];
  ld.param.u64 %rd1, [p];
  ld.global.f32 %f1, [%rd1];
  add.rn.f32 %f2, %f1, %f1;
  bar.sync 0;
  st.shared.f32 [s], %f2;
  st.global.f32 [%rd1], %f2;
  ret;
}
)";

PtxKernel add(const std::string &arch = "sm_90a") { return {"add", arch, addPtx}; }

std::string replaced(std::string text, const std::string &from, const std::string &to) {
  size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

/// A kernel that keeps `count` values alive over a barrier, at no more than `maxRegisters` registers.
std::string hungryPtx(int count, int maxRegisters) {
  std::string n = std::to_string(count + 1), loads, stores;
  for (int i = 0; i < count; ++i) {
    std::string f = "%f" + std::to_string(i), at = "[%rd1+" + std::to_string(4 * i) + "]";
    loads += "  ld.volatile.global.f32 " + f + ", " + at + ";\n";
    stores += "  st.volatile.global.f32 " + at + ", " + f + ";\n";
  }
  return ".version 7.8\n.target sm_80\n.address_size 64\n.visible .entry hungry(.param .u64 p)\n.maxnreg " +
         std::to_string(maxRegisters) + "\n{\n  .reg .b64 %rd<2>;\n  .reg .f32 %f<" + n +
         ">;\n  ld.param.u64 %rd1, [p];\n" + loads + "  bar.sync 0;\n" + stores + "  ret;\n}\n";
}

TEST(AssemblerLog, advisoriesNameTheirKernelAndId) {
  AssemblerReport report = parseAssemblerLog(
      "ptxas info    : (C7514) Potential Performance Loss: wgmma.mma_async instructions are serialized due "
      "to "
      "something in the function 'two'\n"
      "ptxas warning : Unused thing\n"
      "ptxas info    : 0 bytes gmem\n"
      "ptxas info    : Compiling entry function 'one' for 'sm_90a'\n"
      "ptxas info    : Function properties for one\n"
      "    8 bytes stack frame, 16 bytes spill stores, 24 bytes spill loads\n"
      "ptxas info    : Used 90 registers, used 3 barriers, 8 bytes cumulative stack size, 512 bytes smem\n"
      "ptxas info    : Compiling entry function 'two' for 'sm_90a'\n"
      "ptxas info    : Function properties for two\n"
      "ptxas         .     0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
      "ptxas info    : Used 20 registers, used 0 barriers\n");
  ASSERT_EQ(report.kernels.size(), 2u);
  const KernelResources &one = report.kernels[0];
  EXPECT_EQ(one.kernel, "one");
  EXPECT_EQ(one.registers, 90u);
  EXPECT_EQ(one.barriers, 3u);
  EXPECT_EQ(one.stackBytes, 8u);
  EXPECT_EQ(one.spillStoreBytes, 16u);
  EXPECT_EQ(one.spillLoadBytes, 24u);
  EXPECT_EQ(one.staticSharedBytes, 512u);
  EXPECT_EQ(report.kernels[1].registers, 20u);
  EXPECT_EQ(report.kernels[1].spillStoreBytes, 0u);
  ASSERT_EQ(report.remarks.size(), 3u);
  EXPECT_EQ(report.remarks[0].id, "C7514");
  EXPECT_EQ(report.remarks[0].kernel, "two");
  EXPECT_EQ(report.remarks[0].severity, Severity::Perf);
  EXPECT_EQ(report.remarks[1].severity, Severity::Warning);
  EXPECT_EQ(report.remarks[2].id, "spill");
  EXPECT_EQ(report.remarks[2].kernel, "one");
}

TEST(AssemblerLog, perfRemarksBecomeOneError) {
  AssemblerReport report;
  EXPECT_TRUE(rejectPerfRemarks(add(), report).ok());
  report.remarks = {{Severity::Warning, "", "", "w"},
                    {Severity::Perf, "C7504", "gemm", "'setmaxnreg' ignored"},
                    {Severity::Perf, "spill", "gemm", "s"}};
  EXPECT_EQ(rejectPerfRemarks(add(), report).text(),
            "add (sm_90a): kernel 'gemm': 'setmaxnreg' ignored [C7504, --Werror=perf] (and 1 more)");
}

TEST(AssemblerLog, anAssemblerThatSaysNothingIsStillAnError) {
  EXPECT_EQ(assemblerError("\n", addPtx), "the assembler failed and said nothing");
}

/// Everything below runs once with each assembler that this machine has.
struct Cubins : testing::TestWithParam<AssemblerTool> {
  CubinOptions options;
  void SetUp() override {
    options.tool = GetParam();
    std::string missing = k3::test::missingAssembler(GetParam());
    if (!missing.empty())
      GTEST_SKIP() << missing;
  }
};

TEST_P(Cubins, anAddAssemblesForEveryTarget) {
  for (const char *arch : {"sm_80", "sm_90a", "sm_100a", "sm_103a", "sm_120a"}) {
    auto cubin = assemblePtx(add(arch), options);
    ASSERT_TRUE(cubin.ok()) << cubin.status().text();
    EXPECT_EQ(std::string(cubin->image.data(), 4), "\x7f"
                                                   "ELF");
    ASSERT_EQ(cubin->report.kernels.size(), 1u);
    const KernelResources &add = cubin->report.kernels[0];
    EXPECT_EQ(add.kernel, "add");
    EXPECT_GT(add.registers, 0u);
    EXPECT_EQ(add.barriers, 1u);
    EXPECT_EQ(add.staticSharedBytes, 128u);
    EXPECT_TRUE(cubin->report.remarks.empty());
  }
}

TEST_P(Cubins, anErrorNamesKernelLineAndText) {
  PtxKernel kernel = add();
  kernel.ptx = replaced(addPtx, "add.rn.f32 %f2, %f1, %f1", "add.rm.f33 %f2, %f1, %f9");
  auto cubin = assemblePtx(kernel, options);
  ASSERT_FALSE(cubin.ok());
  const std::string &text = cubin.status().text();
  EXPECT_EQ(text.find("add (sm_90a): "), 0u) << text;
  EXPECT_NE(text.find(": kernel 'add': PTX line 11: "), std::string::npos) << text;
  EXPECT_NE(text.find(" in `add.rm.f33 %f2, %f1, %f9;`"), std::string::npos) << text;
  EXPECT_NE(text.find(" more)"), std::string::npos) << text;
  EXPECT_EQ(text.find('\n'), std::string::npos) << text;
}

TEST_P(Cubins, anUndefinedFunctionIsNamed) {
  PtxKernel kernel = add();
  kernel.ptx = replaced(replaced(addPtx, ".visible", ".extern .func nowhere;\n.visible"), "bar.sync 0",
                        "call nowhere");
  auto cubin = assemblePtx(kernel, options);
  ASSERT_FALSE(cubin.ok());
  EXPECT_NE(cubin.status().text().find("nowhere"), std::string::npos) << cubin.status().text();
}

TEST_P(Cubins, theWrongArchitectureIsAnError) {
  PtxKernel kernel = add("sm_100a");
  kernel.ptx = replaced(replaced(addPtx, "sm_80", "sm_90a"), "7.8", "8.0");
  auto cubin = assemblePtx(kernel, options);
  ASSERT_FALSE(cubin.ok());
  EXPECT_NE(cubin.status().text().find("sm_90a"), std::string::npos) << cubin.status().text();
  for (const char *arch : {"", "sm_77", "compute_90", "sm_90a -x"})
    EXPECT_FALSE(assemblePtx(add(arch), options).ok()) << arch;
}

TEST_P(Cubins, spillsAreReported) {
  PtxKernel kernel{"hungry", "sm_90a", hungryPtx(100, 32)};
  auto cubin = assemblePtx(kernel, options);
  ASSERT_TRUE(cubin.ok()) << cubin.status().text();
  ASSERT_EQ(cubin->report.kernels.size(), 1u);
  EXPECT_LE(cubin->report.kernels[0].registers, 32u);
  EXPECT_GT(cubin->report.kernels[0].spillStoreBytes, 100u);
  EXPECT_GT(cubin->report.kernels[0].spillLoadBytes, 100u);
  k3::Status status = rejectPerfRemarks(kernel, cubin->report);
  EXPECT_NE(status.text().find("hungry (sm_90a): registers spilled: "), std::string::npos) << status.text();
  kernel.ptx = hungryPtx(100, 168);
  EXPECT_TRUE(rejectPerfRemarks(kernel, assemblePtx(kernel, options)->report).ok());
}

TEST_P(Cubins, lineInfoMapsInstructionsToLines) {
  auto has = [&](bool lineInfo) {
    options.lineInfo = lineInfo;
    auto cubin = assemblePtx(add(), options);
    EXPECT_TRUE(cubin.ok()) << cubin.status().text();
    return std::string(cubin->image.begin(), cubin->image.end()).find("nv_debug_line_sass") !=
           std::string::npos;
  };
  EXPECT_TRUE(has(true));
  EXPECT_FALSE(has(false));
}

TEST_P(Cubins, theCacheGivesTheSameCubinAndReport) {
  std::string folder = testing::TempDir() + "k3-cubins-" + std::to_string(::getpid());
  fs::remove_all(folder);
  CompileCache cache({folder, 1 << 24, true});
  auto first = assemblePtx(add(), options, &cache), second = assemblePtx(add(), options, &cache);
  ASSERT_TRUE(first.ok() && second.ok());
  EXPECT_FALSE(first->cached);
  EXPECT_TRUE(second->cached);
  EXPECT_EQ(first->image, second->image);
  EXPECT_EQ(second->report.kernels.at(0).registers, first->report.kernels.at(0).registers);

  // Architecture, options and text are all in the key.
  EXPECT_FALSE(assemblePtx(add("sm_80"), options, &cache)->cached);
  CubinOptions other = options;
  other.lineInfo = true;
  EXPECT_FALSE(assemblePtx(add(), other, &cache)->cached);
  PtxKernel comment = add();
  comment.ptx += "// x\n";
  EXPECT_FALSE(assemblePtx(comment, options, &cache)->cached);

  // A damaged entry costs a compilation and says so.
  for (const auto &entry : fs::directory_iterator(folder))
    std::fstream(entry.path(), std::ios::in | std::ios::out | std::ios::binary).seekp(200).put('!');
  auto third = assemblePtx(add(), options, &cache);
  ASSERT_TRUE(third.ok());
  EXPECT_FALSE(third->cached);
  EXPECT_EQ(third->image, first->image);
  ASSERT_EQ(third->report.remarks.size(), 1u);
  EXPECT_EQ(third->report.remarks[0].id, "cache");
  EXPECT_TRUE(assemblePtx(add(), options, &cache)->cached);
  fs::remove_all(folder);
}

TEST_P(Cubins, manyKernelsKeepTheirOrder) {
  std::vector<PtxKernel> kernels;
  for (int i = 0; i < 12; ++i) {
    std::string name = "add" + std::to_string(i);
    kernels.push_back({name, i % 2 ? "sm_90a" : "sm_80", replaced(addPtx, "entry add", "entry " + name)});
  }
  CompileOptions compile;
  compile.cubin = options;
  compile.threads = 4;
  auto cubins = compileKernels(kernels, compile);
  ASSERT_TRUE(cubins.ok()) << cubins.status().text();
  ASSERT_EQ(cubins->size(), 12u);
  for (size_t i = 0; i < 12; ++i)
    EXPECT_EQ((*cubins)[i].report.kernels.at(0).kernel, kernels[i].name);

  for (size_t i : {3, 5, 9})
    kernels[i].ptx = replaced(kernels[i].ptx, "add.rn", "bad.rn");
  auto failed = compileKernels(kernels, compile);
  ASSERT_FALSE(failed.ok());
  EXPECT_EQ(failed.status().text().find("add3 (sm_90a): "), 0u) << failed.status().text();
  EXPECT_NE(failed.status().text().find(" (2 more kernels failed)"), std::string::npos)
      << failed.status().text();
}

TEST_P(Cubins, perfRemarksFailACompilationOnRequest) {
  CompileOptions compile;
  compile.cubin = options;
  std::vector<PtxKernel> kernels = {add(), {"hungry", "sm_90a", hungryPtx(100, 32)}};
  EXPECT_TRUE(compileKernels(kernels, compile).ok());
  compile.perfIsError = true;
  auto failed = compileKernels(kernels, compile);
  ASSERT_FALSE(failed.ok());
  EXPECT_NE(failed.status().text().find("[spill, --Werror=perf]"), std::string::npos)
      << failed.status().text();
}

INSTANTIATE_TEST_SUITE_P(Tools, Cubins, testing::Values(AssemblerTool::NvJitLink, AssemblerTool::Ptxas),
                         [](const auto &info) {
                           return info.param == AssemblerTool::Ptxas ? "ptxas" : "nvJitLink";
                         });

TEST(CubinTools, aMissingAssemblerSaysWhatWasLookedFor) {
  CubinOptions options;
  options.toolkit = "/nowhere/cuda";
  auto cubin = assemblePtx(add(), options);
  ASSERT_FALSE(cubin.ok());
  EXPECT_EQ(cubin.status().code(), k3::Code::Unsupported);
  const std::string &text = cubin.status().text();
  for (const char *part : {"no libnvJitLink", "no ptxas in bin of /nowhere/cuda", "install the CUDA toolkit"})
    EXPECT_NE(text.find(part), std::string::npos) << text;
}

TEST(CubinTools, aNamedPtxasMustBeOne) {
  CubinOptions options;
  options.ptxas = "/nowhere/ptxas";
  EXPECT_NE(assemblePtx(add(), options).status().text().find("/nowhere/ptxas: no such program (--ptxas)"),
            std::string::npos);
  options.ptxas = "/bin/true";
  EXPECT_NE(assemblePtx(add(), options).status().text().find("is not a ptxas"), std::string::npos);
}

} // namespace

/// With the leak sanitizer: nvJitLink keeps memory after errors, and what LLVM abandons after a fatal error
/// stays.
extern "C" const char *__lsan_default_suppressions();
extern "C" const char *__lsan_default_suppressions() {
  return "leak:libnvJitLink\nleak:libLLVM\nleak:emitGpuPtx\n";
}
