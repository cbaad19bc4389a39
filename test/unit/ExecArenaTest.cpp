//===- ExecArenaTest.cpp - Random programs through schedule and arena -*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Exec/ExecOps.h"
#include "passes/Exec/Passes.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"

#include <gtest/gtest.h>

#include <random>

using namespace mlir;
using namespace k3;

namespace {

/// `count` entries on `streams` streams; each reads up to two tensors written before and writes a new one,
/// sometimes an old one.
std::string randomProgram(unsigned seed, unsigned count, unsigned streams) {
  std::mt19937 random(seed);
  auto below = [&](unsigned limit) { return static_cast<unsigned>(random() % limit); };
  std::string text =
      "exec.kernel @k \"rrw\"\nexec.program @p step on \"host\" bucket {T = [0, 64]} streams " +
      std::to_string(streams) + " {\n  %in = exec.io \"in\" dims [T, 4] : f32\n";
  std::vector<std::string> written = {"%in"};
  for (unsigned i = 0; i < count; ++i) {
    // Mostly recent values, so that there is something to share.
    auto pick = [&] { return written[written.size() - 1 - below(std::min<size_t>(written.size(), 4))]; };
    std::string first = pick(), second = pick(), target = "%t" + std::to_string(i);
    if (written.size() > 1 && below(8) == 0)
      target = written[1 + below(written.size() - 1)];
    else
      text += "  " + target + " = exec.tensor \"t\" dims [T, " + std::to_string(1 + below(40)) + "] : f32\n";
    text += "  %e" + std::to_string(i) + " = exec.launch @k(" + first + ", " + second + ", " + target +
            ") \"rrw\" units [T] stream " + std::to_string(below(streams)) +
            " : !exec.view<f32>, !exec.view<f32>, !exec.view<f32>\n";
    if (below(10) == 0)
      text += "  exec.tap \"tap" + std::to_string(i) + "\" " + target + " : !exec.view<f32>\n";
    written.push_back(target);
  }
  return text + "}\n";
}

/// The program after schedule and arena, or null where a pass, the proof among them, fails.
OwningOpRef<ModuleOp> place(MLIRContext &context, const std::string &text) {
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, &context);
  if (!module)
    return nullptr;
  PassManager passes(&context);
  passes.addNestedPass<exec::ProgramOp>(createSchedulePass());
  passes.addNestedPass<exec::ProgramOp>(createAssignArenaPass());
  passes.addNestedPass<exec::ProgramOp>(createVerifyArenaPass());
  return succeeded(passes.run(*module)) ? std::move(module) : nullptr;
}

exec::BufferOp arenaOf(ModuleOp module) {
  exec::BufferOp arena;
  module.walk([&](exec::BufferOp buffer) { arena = buffer; });
  return arena;
}

int64_t arenaBytes(ModuleOp module) {
  return cast<AffineConstantExpr>(arenaOf(module).getBytes().getResult(0)).getValue();
}

TEST(ExecArena, RandomProgramsPassTheProof) {
  MLIRContext context;
  context.loadDialect<exec::ExecDialect>();
  for (unsigned seed = 0; seed < 60; ++seed) {
    unsigned streams = 1 + seed % 3;
    OwningOpRef<ModuleOp> module = place(context, randomProgram(seed, 40, streams));
    ASSERT_TRUE(module) << "seed " << seed;
    int64_t sum = 0;
    module->walk([&](exec::ViewOp view) {
      sum += 64 * 4 * cast<AffineConstantExpr>(view.getDims().getResult(1)).getValue();
    });
    EXPECT_LE(arenaBytes(*module), sum) << "seed " << seed;
    if (streams == 1) {
      EXPECT_LT(arenaBytes(*module), sum * 3 / 4) << "nothing shared, seed " << seed;
    }
  }
}

/// The proof is not empty: a random placement moved by one row fails for most programs.
TEST(ExecArena, TheProofSeesAMovedView) {
  MLIRContext context;
  context.loadDialect<exec::ExecDialect>();
  context.getDiagEngine().registerHandler([](Diagnostic &) { return success(); });
  unsigned caught = 0;
  for (unsigned seed = 0; seed < 20; ++seed) {
    OwningOpRef<ModuleOp> module = place(context, randomProgram(seed, 40, 2));
    ASSERT_TRUE(module);
    SmallVector<exec::ViewOp> views;
    module->walk([&](exec::ViewOp view) { views.push_back(view); });
    exec::ViewOp last;
    for (exec::ViewOp view : views) // the view with the largest offset moves down
      if (!last || cast<AffineConstantExpr>(view.getOffset().getResult(0)).getValue() >
                       cast<AffineConstantExpr>(last.getOffset().getResult(0)).getValue())
        last = view;
    int64_t offset = cast<AffineConstantExpr>(last.getOffset().getResult(0)).getValue();
    last.setOffsetAttr(AffineMapAttr::get(exec::constantMap(&context, {offset - 16})));
    PassManager passes(&context);
    passes.addNestedPass<exec::ProgramOp>(createVerifyArenaPass());
    caught += failed(passes.run(*module));
  }
  EXPECT_GE(caught, 15u);
}

} // namespace
