//===- FunctionLowering.cpp - Where the values of a function lie in a program --*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/Exec/Program/FunctionLowering.h"

#include "dialects/K3/K3Names.h"
#include "dialects/K3/K3StepAbi.h"

using namespace mlir;

namespace k3 {

using exec::LaunchSymbol;

LogicalResult FunctionLowering::run() {
  placeArguments();
  placeResults();
  for (Operation &op : function.getBody().front().without_terminator()) {
    p.loc = op.getLoc();
    auto stream = op.getAttrOfType<IntegerAttr>(kStreamAttr);
    p.stream = stream ? stream.getInt() : 0;
    if (!lowerView(&op) && failed(lower(&op)))
      return failure();
  }
  return finish();
}

const Placed &FunctionLowering::make(OpResult result, AffineExpr rows) {
  auto [it, inserted] = placed.try_emplace(result);
  if (inserted) {
    std::string name = valueName(result);
    if (name.empty())
      name = locationName(result.getLoc());
    it->second = p.tensor(name.empty() ? result.getOwner()->getName().stripDialect() : StringRef(name), rows,
                          innerOf(result), typeOf(result).getElementType());
  }
  return it->second;
}

Value FunctionLowering::matrixOf(Value value) {
  const Placed &of = at(value);
  return of.inner.size() == 1 ? of.view : p.matrix(of).view;
}

/// Launch-time extent of an argument's dimension 0.
AffineExpr FunctionLowering::rowsOf(BlockArgument argument) {
  RankedTensorType type = typeOf(argument);
  if (!type.isDynamicDim(0))
    return p.constant(type.getDimSize(0));
  std::optional<StepDim> dim = stepDimOf(function, argument.getArgNumber());
  switch (dim.value_or(StepDim::Tokens)) {
  case StepDim::Tokens:
    return p.symbol(LaunchSymbol::T);
  case StepDim::Sequences:
    return p.symbol(LaunchSymbol::S);
  case StepDim::SequencesPlusOne:
    return p.symbol(LaunchSymbol::S) + 1;
  case StepDim::LogitRows:
    return p.symbol(LaunchSymbol::R);
  case StepDim::Checkpoints:
    return p.symbol(LaunchSymbol::C);
  case StepDim::Slots:
    return p.symbol(LaunchSymbol::N);
  case StepDim::Pages:
    return p.symbol(LaunchSymbol::M);
  }
  llvm_unreachable("every step dimension has a symbol");
}

void FunctionLowering::placeArguments() {
  for (BlockArgument argument : function.getArguments())
    placed[argument] = p.io(argumentName(function, argument.getArgNumber()), rowsOf(argument), innerOf(argument),
                            typeOf(argument).getElementType(), /*output=*/false);
}

/// Results are outputs; the value behind each (taps are identities) is written there.
void FunctionLowering::placeResults() {
  Operation *terminator = function.getBody().front().getTerminator();
  for (OpOperand &operand : terminator->getOpOperands()) {
    Value source = operand.get();
    while (auto tap = source.getDefiningOp<TapOp>())
      source = tap.getInput();
    std::string name = resultName(function, operand.getOperandNumber());
    Placed out = p.io(name, resultRows(source), innerOf(source), typeOf(source).getElementType(), /*output=*/true);
    outputs.push_back(out);
    // Views and arguments have memory of their own; they are copied at the end.
    if (source.getDefiningOp() && !isa<SplitOp, ReshapeOp>(source.getDefiningOp()) && !placed.contains(source))
      placed[source] = out;
  }
}

/// Rows of a result before anything is lowered: found through the ops that change them.
AffineExpr FunctionLowering::resultRows(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return at(argument).rows;
  if (!typeOf(value).isDynamicDim(0))
    return p.constant(typeOf(value).getDimSize(0));
  if (auto gather = value.getDefiningOp<GatherRowsOp>())
    return resultRows(gather.getRows());
  for (Value operand : value.getDefiningOp()->getOperands())
    if (isa<RankedTensorType>(operand.getType()))
      return resultRows(operand);
  return p.symbol(LaunchSymbol::T);
}

/// Ops that only name memory. Returns whether `op` is one.
bool FunctionLowering::lowerView(Operation *op) {
  if (auto split = dyn_cast<SplitOp>(op)) {
    int64_t column = 0;
    for (Value part : split.getParts()) {
      if (!part.use_empty())
        placed[part] = p.columns(at(split.getInput()), column, innerOf(part));
      column += llvm::product_of(innerOf(part));
    }
    return true;
  }
  if (auto reshape = dyn_cast<ReshapeOp>(op)) {
    placed[reshape.getResult()] = p.columns(at(reshape.getInput()), 0, innerOf(reshape.getResult()));
    return true;
  }
  if (auto tap = dyn_cast<TapOp>(op)) {
    const Placed &input = at(tap.getInput());
    exec::TapOp::create(p.b, tap.getLoc(), tap.getName(), input.view, /*writable=*/true);
    placed[tap.getResult()] = Placed(input);
    return true;
  }
  return isa<BatchOp>(op);
}

LogicalResult FunctionLowering::finish() {
  Operation *terminator = function.getBody().front().getTerminator();
  for (auto [operand, out] : llvm::zip_equal(terminator->getOperands(), outputs)) {
    if (at(operand).rowStride)
      return terminator->emitOpError("returns a part of a k3.split, which is a view among the columns of another tensor; "
                                     "return a computed value");
    if (Value source = view(operand); source != out.view)
      exec::CopyOp::create(p.b, terminator->getLoc(), source, out.view);
  }
  if (auto taps = function->getAttrOfType<ArrayAttr>(kStateTapsAttr))
    for (Attribute tap : taps)
      tapState(cast<DictionaryAttr>(tap));
  return success();
}

void FunctionLowering::tapState(DictionaryAttr tap) {
  int64_t columns = tap.getAs<IntegerAttr>("columns").getInt();
  exec::TapStateOp::create(p.b, function.getLoc(), tap.getAs<StringAttr>("name"), tap.getAs<FlatSymbolRefAttr>("state"),
                           columns ? tap.getAs<IntegerAttr>("first_column") : IntegerAttr(), p.b.getI64IntegerAttr(columns));
}

} // namespace k3
