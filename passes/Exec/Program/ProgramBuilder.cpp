//===- ProgramBuilder.cpp - Builds one exec program -----------------------===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/Exec/Program/ProgramBuilder.h"

using namespace mlir;

namespace k3 {

ProgramBuilder::ProgramBuilder(exec::ProgramOp program, ModuleOp module)
    : b(program.getContext()), module(module), symbols(module), loc(program.getLoc()), program(program) {
  if (program.getBody().empty())
    program.getBody().emplaceBlock();
  b.setInsertionPointToEnd(&program.getBody().front());
}

AffineExpr ProgramBuilder::symbol(exec::LaunchSymbol symbol) const { return exec::symbolExpr(b.getContext(), symbol); }

AffineExpr ProgramBuilder::constant(int64_t value) const { return getAffineConstantExpr(value, b.getContext()); }

AffineMap ProgramBuilder::map(ArrayRef<AffineExpr> results) const { return exec::symbolMap(b.getContext(), results); }

static SmallVector<AffineExpr> extents(MLIRContext *context, AffineExpr rows, ArrayRef<int64_t> inner) {
  SmallVector<AffineExpr> dims{rows};
  for (int64_t extent : inner)
    dims.push_back(getAffineConstantExpr(extent, context));
  return dims;
}

Placed ProgramBuilder::io(StringRef name, AffineExpr rows, ArrayRef<int64_t> inner, Type element, bool output) {
  auto op = exec::IoOp::create(b, loc, exec::ViewType::get(b.getContext(), element), name, output,
                               map(extents(b.getContext(), rows, inner)), IntegerAttr());
  return {op.getView(), rows, SmallVector<int64_t, 3>(inner), element, std::nullopt};
}

Placed ProgramBuilder::tensor(StringRef name, AffineExpr rows, ArrayRef<int64_t> inner, Type element) {
  Value view = exec::TensorOp::create(b, loc, name, map(extents(b.getContext(), rows, inner)), element);
  return {view, rows, SmallVector<int64_t, 3>(inner), element, std::nullopt};
}

Placed ProgramBuilder::columns(const Placed &of, int64_t column, ArrayRef<int64_t> inner) {
  int64_t stride = of.rowStride.value_or(of.rowElements());
  Placed part{Value(), of.rows, SmallVector<int64_t, 3>(inner), of.element, std::nullopt};
  if (stride != part.rowElements())
    part.rowStride = stride;
  part.view = exec::ViewOp::create(b, loc, of.view, map({constant(column)}), map(extents(b.getContext(), of.rows, inner)),
                                   of.element, part.rowStride);
  return part;
}

Value ProgramBuilder::packed(FlatSymbolRefAttr symbol) {
  Value &view = named[symbol];
  if (view)
    return view;
  auto op = symbols.lookup<PackedOp>(symbol.getValue());
  SmallVector<AffineExpr> dims;
  Type element;
  if (op.getMembers())
    dims.push_back(constant(*op.getMembers()));
  if (auto mx = dyn_cast<MxType>(op.getType())) {
    dims.push_back(constant(mxBytes(mx)));
    element = b.getI8Type();
  } else {
    auto type = cast<RankedTensorType>(op.getType());
    for (int64_t extent : type.getShape())
      dims.push_back(constant(extent));
    element = type.getElementType();
  }
  return view = exec::PackedOp::create(b, loc, symbol.getValue(), map(dims), element);
}

/// Extents of one slot or page.
static SmallVector<int64_t> slotShape(k3::StateOp state) {
  SmallVector<int64_t> shape(cast<RankedTensorType>(state.getType()).getShape());
  if (state.getKind() == StateKind::Paged)
    shape.insert(shape.begin(), *state.getPage());
  return shape;
}

Value ProgramBuilder::state(FlatSymbolRefAttr symbol) {
  Value &view = named[symbol];
  if (view)
    return view;
  auto op = symbols.lookup<k3::StateOp>(symbol.getValue());
  Type element = cast<RankedTensorType>(op.getType()).getElementType();
  return view = exec::StateOp::create(b, loc, symbol.getValue(), map(extents(b.getContext(), constant(1), slotShape(op))), element);
}

Value ProgramBuilder::stateRows(FlatSymbolRefAttr symbol, int64_t &elements) {
  auto op = symbols.lookup<k3::StateOp>(symbol.getValue());
  elements = llvm::product_of(slotShape(op));
  Type element = cast<RankedTensorType>(op.getType()).getElementType();
  return exec::StateOp::create(b, loc, symbol.getValue(), map({constant(1), constant(elements)}), element);
}

} // namespace k3
