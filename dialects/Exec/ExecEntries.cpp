//===- ExecEntries.cpp - Entries of the exec dialect ---------------- -*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Exec/ExecOps.h"

using namespace mlir;
using namespace k3::exec;

SmallVector<ViewAccess> LaunchOp::getViewAccesses() {
  SmallVector<ViewAccess> accesses;
  for (auto [view, letter] : llvm::zip_equal(getViews(), getAccess()))
    accesses.push_back({view, letter != 'w', letter != 'r'});
  return accesses;
}

SmallVector<ViewAccess> GemmOp::getViewAccesses() {
  return {{getA(), true, false}, {getB(), true, false}, {getC(), getAccumulate(), true}};
}

SmallVector<ViewAccess> CopyOp::getViewAccesses() {
  return {{getSource(), true, false}, {getTarget(), false, true}};
}
SmallVector<ViewAccess> FillOp::getViewAccesses() { return {{getTarget(), false, true}}; }
SmallVector<ViewAccess> FetchOp::getViewAccesses() { return {{getTarget(), false, true}}; }
SmallVector<ViewAccess> CollectiveOp::getViewAccesses() {
  return {{getSource(), true, false}, {getTarget(), false, true}};
}

/// What the entries inside do; a view made inside stands for its outermost source.
SmallVector<ViewAccess> MembersOp::getViewAccesses() {
  SmallVector<ViewAccess> accesses;
  getBody().walk([&](EntryOpInterface entry) {
    for (ViewAccess access : entry.getViewAccesses())
      accesses.push_back(access);
  });
  return accesses;
}

//===----------------------------------------------------------------------===//
// Verifiers
//===----------------------------------------------------------------------===//

LogicalResult LaunchOp::verify() {
  if (getAccess().size() != getViews().size())
    return emitOpError("has ") << getViews().size() << " views and " << getAccess().size()
                               << " access letters";
  if (getAccess().find_first_not_of("rwb") != StringRef::npos)
    return emitOpError("access '") << getAccess() << "' may hold the letters r, w and b only";
  if (getUnits().getNumResults() != 1)
    return emitOpError("has one number of units, not ") << getUnits().getNumResults();
  if (static_cast<int64_t>(getGrain()) < 1)
    return emitOpError("needs a grain of at least 1");
  if (static_cast<int64_t>(getScratch()) < 0)
    return emitOpError("has negative scratch");
  return success();
}

/// The last `count` extents of a view are these, where both are constants.
static bool fits(Value view, ArrayRef<AffineExpr> wanted) {
  AffineMap dims = getViewDims(view);
  if (!dims)
    return true;
  if (dims.getNumResults() != wanted.size())
    return false;
  for (auto [have, want] : llvm::zip_equal(dims.getResults(), wanted))
    if (have != want)
      return false;
  return true;
}

LogicalResult GemmOp::verify() {
  if (getMnk().getNumResults() != 3)
    return emitOpError("needs the extents m, n, k");
  AffineExpr m = getMnk().getResult(0), n = getMnk().getResult(1), k = getMnk().getResult(2);
  if (!isa<AffineConstantExpr>(n) || !isa<AffineConstantExpr>(k))
    return emitOpError("n and k must be constants");
  if (getA().getType() != getB().getType() && getA().getType() != getC().getType())
    return emitOpError("a, b and c have three different element types");
  struct Operand {
    const char *name;
    Value view;
    SmallVector<AffineExpr, 2> dims;
  } operands[] = {
      {"a", getA(), {m, k}},
      {"b", getB(), getPlain() ? SmallVector<AffineExpr, 2>{k, n} : SmallVector<AffineExpr, 2>{n, k}},
      {"c", getC(), {m, n}}};
  for (const Operand &operand : operands)
    if (!fits(operand.view, operand.dims))
      return emitOpError(operand.name)
             << " must be [" << exprText(operand.dims[0]) << ", " << exprText(operand.dims[1])
             << "]; make an exec.view with these extents";
  return success();
}

LogicalResult CopyOp::verify() {
  if (getSource().getType() != getTarget().getType())
    return emitOpError("copies between different element types");
  if (getViewDims(getSource()) != getViewDims(getTarget()))
    return emitOpError("copies between views of different extents");
  return success();
}

LogicalResult FillOp::verify() {
  if (static_cast<int64_t>(getByte()) < 0 || getByte() > 255)
    return emitOpError("fills with a byte, ") << static_cast<int64_t>(getByte()) << " is none";
  return success();
}

LogicalResult FetchOp::verify() {
  auto program = (*this)->getParentOfType<ProgramOp>();
  if (program && program.getKind() != ProgramKind::Pack)
    return emitOpError("reads the checkpoint, which only programs of kind pack may");
  if (getSliceDim() && getSliceLength() == 0)
    return emitOpError("takes an empty slice");
  return success();
}

LogicalResult CollectiveOp::verify() {
  if (getSource().getType() != getTarget().getType())
    return emitOpError("exchanges different element types");
  return success();
}

void MembersOp::build(OpBuilder &builder, OperationState &state, int64_t count, int64_t slots,
                      int64_t stream) {
  Properties &properties = state.getOrAddProperties<Properties>();
  properties.count = builder.getI64IntegerAttr(count);
  properties.slots = builder.getI64IntegerAttr(slots);
  properties.stream = builder.getI64IntegerAttr(stream);
  state.addTypes(EventType::get(builder.getContext()));
  state.addRegion()->emplaceBlock();
}

LogicalResult MembersOp::verify() {
  if (static_cast<int64_t>(getCount()) < 1 || static_cast<int64_t>(getSlots()) < 1)
    return emitOpError("needs at least one member and one slot");
  if ((*this)->getParentOfType<MembersOp>())
    return emitOpError("may not be nested in exec.members");
  return success();
}
