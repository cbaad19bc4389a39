//===- HostCodegenTest.cpp - Machine code and link of the host target ------===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/unit/HostKernelHarness.h"

#include "passes/Host/Kernels/LowerGridAbi.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace k3::test;
using namespace k3::codegen;

namespace {

/// Runs `work` and returns its diagnostics, one a line.
std::string diagnostics(mlir::MLIRContext &context, const std::function<void()> &work) {
  std::string text;
  mlir::ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic &d) {
    text += d.str() + "\n";
    return mlir::success();
  });
  work();
  return text;
}

struct HostCodegen : testing::Test {
  mlir::MLIRContext context;
  KernelModule module{&context};

  mlir::OwningOpRef<mlir::ModuleOp> parse(const char *text) {
    KernelModule::loadDialects(context);
    return mlir::parseSourceString<mlir::ModuleOp>(text, &context);
  }
};

TEST_F(HostCodegen, llvmTextNamesTheExportedFunction) {
  buildAdd(module, {8});
  auto text = emitHostLlvm(module.module());
  ASSERT_TRUE(succeeded(text));
  EXPECT_NE(text->find("define void @add_8(ptr"), std::string::npos);
  EXPECT_NE(text->find("\"target-cpu\"=\"x86-64-v3\""), std::string::npos);
  EXPECT_EQ(text->find(" fast "), std::string::npos);
}

TEST_F(HostCodegen, theSameKernelsGiveTheSameBytes) {
  buildRmsNorm(module, {100, 1e-5f});
  auto one = compileHostObject(module.module()), two = compileHostObject(module.module());
  ASSERT_TRUE(succeeded(one) && succeeded(two));
  EXPECT_EQ(*one, *two);
}

TEST_F(HostCodegen, theSharedObjectNeedsNoOtherLibrary) {
  buildEmbedding(module, {64});
  HostObjectOptions options;
  options.soname = "k3_test.so";
  auto image = compileHostObject(module.module(), options);
  ASSERT_TRUE(succeeded(image));
  auto file =
      llvm::object::ObjectFile::createELFObjectFile({llvm::StringRef(image->data(), image->size()), "image"});
  ASSERT_TRUE(bool(file)) << llvm::toString(file.takeError());
  auto *elf = llvm::cast<llvm::object::ELF64LEObjectFile>(file->get());
  auto entries = elf->getELFFile().dynamicEntries();
  ASSERT_TRUE(bool(entries));
  bool named = false;
  for (auto &entry : *entries) {
    EXPECT_NE(entry.getTag(), llvm::ELF::DT_NEEDED);
    named |= entry.getTag() == llvm::ELF::DT_SONAME;
  }
  EXPECT_TRUE(named);
}

TEST_F(HostCodegen, anOlderIsaGivesTheSameBits) {
  HostKernel kernel = buildSituGlu(module, {11, 4, 25});
  Floats x(5, 22), results[2] = {Floats(5, 11), Floats(5, 11)};
  Random random;
  x.random(random, 5);
  const char *levels[] = {"x86-64-v2", "x86-64-v3"};
  for (int i = 0; i < 2; ++i) {
    HostObjectOptions options;
    options.isa = levels[i];
    auto image = compileHostObject(module.module(), options);
    ASSERT_TRUE(succeeded(image)) << levels[i];
    Loaded so(*image);
    so.run(kernel, 5, 0, x, results[i]);
  }
  EXPECT_TRUE(sameBits(results[0], results[1]));
}

TEST_F(HostCodegen, anUnknownIsaIsRefusedByName) {
  buildAdd(module, {8});
  HostObjectOptions options;
  options.isa = "x86-64-v9";
  EXPECT_EQ(diagnostics(context, [&] { EXPECT_TRUE(failed(compileHostObject(module.module(), options))); }),
            "host code: unknown ISA level 'x86-64-v9', expected an LLVM cpu name such as x86-64-v3\n");
}

TEST_F(HostCodegen, anUnwritableFolderIsNamed) {
  buildAdd(module, {8});
  HostObjectOptions options;
  options.tempDir = "/nonexistent";
  std::string text =
      diagnostics(context, [&] { EXPECT_TRUE(failed(compileHostObject(module.module(), options))); });
  EXPECT_EQ(text.find("host code: cannot make the folder /nonexistent/k3-link-"), 0u) << text;
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1);
}

TEST_F(HostCodegen, aCallOutsideTheCLibraryIsRefused) {
  auto kernels = parse(R"(
    func.func private @elsewhere()
    func.func @f(%a: memref<?xf32>, %s: memref<?xi8>, %b: index, %e: index) attributes {k3.grid} {
      func.call @elsewhere() : () -> ()
      return
    })");
  ASSERT_TRUE(kernels);
  EXPECT_EQ(diagnostics(context, [&] { EXPECT_TRUE(failed(compileHostObject(*kernels))); }),
            "host code: a kernel calls 'elsewhere', which is neither defined nor one of the libc and libm "
            "functions allowed\n");
}

TEST_F(HostCodegen, aBufferThatTheTableCannotDescribeIsRefused) {
  auto kernels = parse(R"(
    func.func @f(%a: memref<?x?x4xf32, strided<[?, ?, 1]>>, %s: memref<?xi8>, %b: index, %e: index) attributes {k3.grid} {
      return
    })");
  ASSERT_TRUE(kernels);
  std::string text = diagnostics(context, [&] { EXPECT_TRUE(failed(compileHostObject(*kernels))); });
  EXPECT_EQ(
      text,
      "'func.func' op argument 0 has type 'memref<?x?x4xf32, strided<[?, ?, 1]>>': the grid ABI describes "
      "only dimension 0 at run time; make dimension 1 static\n");
}

} // namespace
