//===- CodegenGpuTest.cpp - MLIR kernels to PTX and cubin ----------------===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Codegen/GpuPtx.h"
#include "test/unit/CodegenAssemblers.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"

#include "gtest/gtest.h"

#include <chrono>

using namespace k3::codegen;

namespace {

struct CodegenGpu : testing::Test {
  mlir::MLIRContext context;
  std::string diagnostics; ///< One a line.
  unsigned line = 0;       ///< Of the last one.
  mlir::ScopedDiagnosticHandler handler{&context, [this](mlir::Diagnostic &d) {
                                          diagnostics += d.str() + "\n";
                                          if (auto at = llvm::dyn_cast<mlir::FileLineColLoc>(d.getLocation()))
                                            line = at.getLine();
                                          return mlir::success();
                                        }};

  CodegenGpu() {
    context.loadDialect<mlir::LLVM::LLVMDialect, mlir::NVVM::NVVMDialect, mlir::arith::ArithDialect>();
  }

  /// A kernel of test/codegen/Inputs.
  mlir::OwningOpRef<mlir::ModuleOp> input(const std::string &name) {
    auto module = mlir::parseSourceFile<mlir::ModuleOp>(K3_CODEGEN_INPUTS "/" + name + ".mlir", &context);
    EXPECT_TRUE(module) << name << ": " << diagnostics;
    return module;
  }

  std::string ptx(const std::string &name, GpuPtxOptions options) {
    auto module = input(name);
    auto text = emitGpuPtx(*module, options);
    return succeeded(text) ? *text : "";
  }

  /// The cubin of an input; the test fails where there is none.
  Cubin cubin(const std::string &name, const std::string &arch, AssemblerTool tool = AssemblerTool::Auto) {
    CubinOptions options;
    options.tool = tool;
    auto result = assemblePtx({name, arch, ptx(name, {.arch = arch})}, options);
    EXPECT_TRUE(result.ok()) << diagnostics << result.status().text();
    return result.ok() ? std::move(*result) : Cubin{};
  }
};

TEST_F(CodegenGpu, ptxNamesKernelArchitectureAndVersion) {
  std::string text = ptx("add", {.arch = "sm_90a"});
  EXPECT_NE(text.find(".version 9.0\n.target sm_90a\n.address_size 64"), std::string::npos) << text;
  EXPECT_NE(text.find(".visible .entry add("), std::string::npos);
  EXPECT_NE(text.find(".reqntid 128"), std::string::npos);
  EXPECT_NE(ptx("add", {.arch = "sm_90a", .ptxIsa = 0}).find(".version 8.0"), std::string::npos);
  EXPECT_NE(ptx("add", {.arch = "sm_80", .ptxIsa = 78}).find(".version 7.8"), std::string::npos);
  EXPECT_EQ(diagnostics, "");
}

TEST_F(CodegenGpu, theModuleIsNotChangedAndTheTextIsTheSameTwice) {
  auto module = input("ampere_mma");
  auto print = [&] {
    std::string text;
    llvm::raw_string_ostream stream(text);
    module->print(stream);
    return text;
  };
  std::string before = print();
  auto one = emitGpuPtx(*module, {.arch = "sm_80"}), two = emitGpuPtx(*module, {.arch = "sm_80"});
  ASSERT_TRUE(succeeded(one) && succeeded(two));
  EXPECT_EQ(*one, *two);
  EXPECT_EQ(print(), before);
}

TEST_F(CodegenGpu, nothingIsFusedThatIsNotAnFma) {
  std::string text = ptx("axpy_unfused", {});
  EXPECT_EQ(text.find("fma"), std::string::npos) << text;
  // ".rn" keeps ptxas from fusing.
  EXPECT_NE(text.find("mul.rn.f32"), std::string::npos) << text;
  EXPECT_NE(text.find("add.rn.f32"), std::string::npos) << text;
}

TEST_F(CodegenGpu, lineInfoNamesTheSource) {
  EXPECT_NE(ptx("add", {.lineInfo = true}).find("add.mlir"), std::string::npos);
  EXPECT_EQ(ptx("add", {}).find(".loc"), std::string::npos);
}

TEST_F(CodegenGpu, llvmTextIsForTheDevice) {
  auto module = input("add");
  auto text = emitGpuLlvm(*module);
  ASSERT_TRUE(succeeded(text));
  EXPECT_NE(text->find("target triple = \"nvptx64-nvidia-cuda\""), std::string::npos);
  EXPECT_NE(text->find("ptx_kernel"), std::string::npos);
}

TEST_F(CodegenGpu, whatTheArchitectureLacksIsOneLineNamingTheKernel) {
  EXPECT_EQ(ptx("fp4_convert", {.arch = "sm_90a"}), "");
  EXPECT_EQ(diagnostics, "GPU code: 'fp4_convert' for sm_90a: the architecture has no "
                         "llvm.nvvm.ff.to.e2m1x2.rn.satfinite; use an operation that it has, or another "
                         "architecture\n");
  EXPECT_EQ(line, 7u) << "the line of the function";
  // The process goes on as if nothing had been.
  diagnostics.clear();
  EXPECT_NE(ptx("fp4_convert", {.arch = "sm_100a"}), "") << diagnostics;
}

TEST_F(CodegenGpu, unknownArchitecturesAndVersionsAreErrors) {
  EXPECT_EQ(ptx("add", {.arch = "sm_77"}), "");
  EXPECT_EQ(diagnostics, "GPU code: unknown architecture 'sm_77', expected one such as sm_90a\n");
  diagnostics.clear();
  EXPECT_EQ(ptx("add", {.ptxIsa = 999}), "");
  EXPECT_EQ(diagnostics, "GPU code: unknown PTX version 999, expected ten times the version, such as 90\n");
  diagnostics.clear();
  // A version that is too old for the architecture.
  EXPECT_EQ(ptx("add", {.arch = "sm_100a", .ptxIsa = 60}), "");
  EXPECT_NE(diagnostics.find("sm_100a"), std::string::npos) << diagnostics;
}

/// The tests below end in a cubin.
struct CodegenGpuCubin : CodegenGpu {
  void SetUp() override {
    if (std::string missing = k3::test::missingAssembler(AssemblerTool::Auto); !missing.empty())
      GTEST_SKIP() << missing;
  }
};

TEST_F(CodegenGpuCubin, everyKernelAssemblesForEveryTargetThatHasItsOperations) {
  struct {
    const char *name;
    std::vector<std::string> archs;
  } cases[] = {
      {"add", {"sm_80", "sm_90a", "sm_100a", "sm_103a", "sm_120a"}},
      {"ampere_mma", {"sm_80", "sm_90a", "sm_100a", "sm_103a", "sm_120a"}},
      {"hopper_wgmma", {"sm_90a"}},
      {"blackwell_tmem", {"sm_100a", "sm_103a"}},
      {"fp4_convert", {"sm_100a", "sm_103a", "sm_120a"}},
      {"mx_mma", {"sm_120a"}},
  };
  for (auto &one : cases)
    for (const std::string &arch : one.archs) {
      Cubin result = cubin(one.name, arch);
      ASSERT_FALSE(result.report.kernels.empty()) << one.name << " " << arch;
      EXPECT_EQ(result.report.kernels.back().spillStoreBytes, 0u);
    }
}

TEST_F(CodegenGpuCubin, setmaxnregNeedsAWholeProgram) {
  if (k3::test::missingAssembler(AssemblerTool::Ptxas).empty()) {
    Cubin whole = cubin("hopper_wgmma", "sm_90a");
    EXPECT_EQ(whole.tool.find("ptxas V"), 0u) << whole.tool;
    EXPECT_TRUE(rejectPerfRemarks({"hopper_wgmma", "sm_90a", ""}, whole.report).ok());
    EXPECT_EQ(whole.report.kernels.at(0).staticSharedBytes, 4104u);
  }
  if (k3::test::missingAssembler(AssemblerTool::NvJitLink).empty()) {
    Cubin linked = cubin("hopper_wgmma", "sm_90a", AssemblerTool::NvJitLink);
    k3::Status status = rejectPerfRemarks({"hopper_wgmma", "sm_90a", ""}, linked.report);
    EXPECT_NE(status.text().find("'setmaxnreg' ignored"), std::string::npos) << status.text();
    EXPECT_NE(status.text().find("[C7504, --Werror=perf]"), std::string::npos) << status.text();
    EXPECT_NE(status.text().find("give --ptxas=PATH"), std::string::npos) << status.text();
  }
}

TEST_F(CodegenGpuCubin, anAccumulatorReadTooEarlyIsAPerfRemark) {
  if (std::string missing = k3::test::missingAssembler(AssemblerTool::Ptxas); !missing.empty())
    GTEST_SKIP() << missing;
  Cubin result = cubin("hopper_early_read", "sm_90a");
  ASSERT_EQ(result.report.remarks.size(), 1u);
  EXPECT_EQ(result.report.remarks[0].id, "C7517");
  EXPECT_EQ(result.report.remarks[0].kernel, "hopper_early_read");
  EXPECT_EQ(result.report.remarks[0].severity, Severity::Perf);
}

TEST_F(CodegenGpuCubin, oneKernelTakesUnderTwoSeconds) {
  for (AssemblerTool tool : {AssemblerTool::NvJitLink, AssemblerTool::Ptxas}) {
    if (!k3::test::missingAssembler(tool).empty())
      continue;
    auto start = std::chrono::steady_clock::now();
    Cubin result = cubin("hopper_wgmma", "sm_90a", tool);
    double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    std::printf("hopper_wgmma, MLIR to cubin, %s: %.3f s\n", result.tool.c_str(), seconds);
    EXPECT_LT(seconds, 2.0);
  }
}

} // namespace
