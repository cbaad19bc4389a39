//===- InsertTaps.cpp - k3-graph-insert-taps -------------------------------===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/K3/K3Names.h"
#include "passes/Graph/Passes.h"

#include "llvm/Support/Regex.h"

using namespace mlir;

namespace k3 {

#define GEN_PASS_DEF_INSERTTAPSPASS
#include "passes/Graph/Passes.h.inc"

namespace {

/// "layer.3." of a state symbol "layers.3.s".
std::string layerPrefix(StateOp state) {
  StringRef name = state.getSymName();
  if (name.consume_front("layers."))
    return ("layer." + name.take_until([](char c) { return c == '.'; }) + ".").str();
  return (name.take_until([](char c) { return c == '.'; }) + ".").str();
}

struct InsertTapsPass : impl::InsertTapsPassBase<InsertTapsPass> {
  using InsertTapsPassBase::InsertTapsPassBase;

  void runOnOperation() override {
    if (regex.empty())
      return;
    llvm::Regex pattern("^(" + regex + ")$");
    std::string error;
    if (!pattern.isValid(error)) {
      getOperation().emitError() << "taps: '" << regex << "' is not a regular expression: " << error;
      return signalPassFailure();
    }
    unsigned count = 0;
    std::vector<std::string> known;
    getOperation().walk([&](func::FuncOp function) {
      if (function.getName().starts_with("step"))
        count += tapValues(function, pattern, known) + tapStates(function, pattern, known);
    });
    if (count == 0) {
      InFlightDiagnostic diag = getOperation().emitError() << "taps: '" << regex << "' matches no tensor; names are ";
      for (size_t i = 0; i < known.size() && i < 8; ++i)
        diag << (i ? ", " : "") << known[i];
      diag << (known.size() > 8 ? ", ..." : "");
      signalPassFailure();
    }
  }

  unsigned tapValues(func::FuncOp function, llvm::Regex &pattern, std::vector<std::string> &known) {
    SmallVector<std::pair<OpResult, std::string>> matches;
    function.walk([&](Operation *op) {
      for (OpResult result : op->getResults()) {
        std::string name = valueName(result);
        // A view has no memory of its own to replace.
        if (name.empty() || !isa<RankedTensorType>(result.getType()) || isa<SplitOp, ReshapeOp, TapOp>(op))
          continue;
        known.push_back(name);
        if (pattern.match(name))
          matches.emplace_back(result, name);
      }
    });
    for (auto &[result, name] : matches) {
      OpBuilder builder(function.getContext());
      builder.setInsertionPointAfter(result.getOwner());
      auto tap = TapOp::create(builder, NameLoc::get(builder.getStringAttr(name)), result.getType(),
                               builder.getStringAttr(name), result);
      result.replaceAllUsesExcept(tap.getResult(), tap);
    }
    return matches.size();
  }

  unsigned tapStates(func::FuncOp function, llvm::Regex &pattern, std::vector<std::string> &known) {
    Builder builder(function.getContext());
    SmallVector<Attribute> taps;
    auto add = [&](StateOp state, const std::string &name, int64_t first, int64_t columns) {
      known.push_back(name);
      if (!pattern.match(name))
        return;
      taps.push_back(builder.getDictionaryAttr({builder.getNamedAttr("name", builder.getStringAttr(name)),
                                                builder.getNamedAttr("state", FlatSymbolRefAttr::get(state.getSymNameAttr())),
                                                builder.getNamedAttr("first_column", builder.getI64IntegerAttr(first)),
                                                builder.getNamedAttr("columns", builder.getI64IntegerAttr(columns))}));
    };
    for (StateOp state : getOperation().getOps<StateOp>()) {
      std::string prefix = layerPrefix(state);
      auto type = cast<RankedTensorType>(state.getType());
      switch (state.getKind()) {
      case StateKind::Recurrent:
        add(state, prefix + "kda_state", 0, 0);
        break;
      case StateKind::Paged:
        add(state, prefix + "mla_latent", 0, 0);
        break;
      case StateKind::Conv: {
        // One window holds the columns of q, k and v.
        int64_t width = type.getDimSize(1) / 3;
        for (int i = 0; i < 3; ++i)
          add(state, prefix + "conv_state." + "qkv"[i], i * width, width);
        break;
      }
      }
    }
    if (!taps.empty())
      function->setAttr(kStateTapsAttr, builder.getArrayAttr(taps));
    return taps.size();
  }
};

} // namespace
} // namespace k3
