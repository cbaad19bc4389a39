//===- ExecOps.cpp - Programs, kernels, memory of the exec dialect --- -*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Exec/ExecOps.h"

#include "mlir/IR/OpImplementation.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace k3::exec;

static ParseResult parseViewElement(OpAsmParser &parser, Type &view) {
  Type element;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseType(element))
    return failure();
  view = ViewType::getChecked([&] { return parser.emitError(loc); }, parser.getContext(), element);
  return success(static_cast<bool>(view));
}

static void printViewElement(OpAsmPrinter &printer, Operation *, Type view) {
  printer << cast<ViewType>(view).getElementType();
}

/// `[step_in 0, map 1 box [128, 64] swizzle 128, i32 [T], f32 1.0]`, in GpuLaunch.cpp.
ParseResult parseKernelArgs(OpAsmParser &parser, ArrayAttr &args);
void printKernelArgs(OpAsmPrinter &printer, Operation *op, ArrayAttr args);

#include "dialects/Exec/ExecInterfaces.cpp.inc"

#define GET_OP_CLASSES
#include "dialects/Exec/ExecOps.cpp.inc"

AffineMap k3::exec::getViewDims(Value view) {
  return TypeSwitch<Operation *, AffineMap>(view.getDefiningOp())
      .Case<IoOp, PackedOp, StateOp, TensorOp, ViewOp>([](auto op) { return op.getDims(); })
      .Default(AffineMap());
}

std::optional<int64_t> k3::exec::getRowStride(Value view) {
  if (auto op = view.getDefiningOp<ViewOp>(); op && op.getRowStride())
    return *op.getRowStride();
  AffineMap dims = getViewDims(view);
  int64_t stride = 1;
  for (AffineExpr extent : dims.getResults().drop_front(dims.getNumResults() ? 1 : 0)) {
    auto constant = dyn_cast<AffineConstantExpr>(extent);
    if (!constant)
      return std::nullopt;
    stride *= constant.getValue();
  }
  return stride;
}

//===----------------------------------------------------------------------===//
// ProgramOp, KernelOp
//===----------------------------------------------------------------------===//

void ProgramOp::build(OpBuilder &builder, OperationState &state, StringRef name, ProgramKind kind,
                      ProgramVariant variant, StringRef target, DictionaryAttr bucket, int64_t streams) {
  Properties &properties = state.getOrAddProperties<Properties>();
  properties.sym_name = builder.getStringAttr(name);
  properties.kind = ProgramKindAttr::get(builder.getContext(), kind);
  properties.variant = ProgramVariantAttr::get(builder.getContext(), variant);
  properties.target = builder.getStringAttr(target);
  properties.bucket = bucket ? bucket : builder.getDictionaryAttr({});
  properties.streams = builder.getI64IntegerAttr(streams);
  state.addRegion()->emplaceBlock();
}

std::optional<std::pair<int64_t, int64_t>> ProgramOp::getLimit(LaunchSymbol symbol) {
  auto range = getBucket().getAs<ArrayAttr>(launchSymbolName(symbol));
  if (!range)
    return std::nullopt;
  return std::pair(cast<IntegerAttr>(range[0]).getInt(), cast<IntegerAttr>(range[1]).getInt());
}

SmallVector<EntryOpInterface> ProgramOp::getEntries() {
  if (getBody().empty())
    return {};
  return llvm::to_vector(getBody().front().getOps<EntryOpInterface>());
}

LogicalResult ProgramOp::verify() {
  for (NamedAttribute limit : getBucket()) {
    if (!parseLaunchSymbol(limit.getName()))
      return emitOpError("bucket names '")
             << limit.getName().getValue() << "', which is no launch-time symbol";
    auto range = dyn_cast<ArrayAttr>(limit.getValue());
    auto isInteger = [](Attribute bound) { return isa<IntegerAttr>(bound); };
    if (!range || range.size() != 2 || !llvm::all_of(range, isInteger) ||
        cast<IntegerAttr>(range[0]).getInt() < 0 ||
        cast<IntegerAttr>(range[0]).getInt() > cast<IntegerAttr>(range[1]).getInt())
      return emitOpError("bucket of '")
             << limit.getName().getValue() << "' must be [low, high] with 0 <= low <= high";
  }
  if (static_cast<int64_t>(getStreams()) < 1)
    return emitOpError("needs at least one stream");
  WalkResult result = getBody().walk([&](EntryOpInterface entry) {
    if (entry.getEntryStream() < 0 || entry.getEntryStream() >= static_cast<int64_t>(getStreams())) {
      entry->emitOpError("is on stream ") << entry.getEntryStream() << ", the program has " << getStreams();
      return WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

LogicalResult KernelOp::verify() {
  if (getParams().find_first_not_of("rwb") != StringRef::npos)
    return emitOpError("params '") << getParams() << "' may hold the letters r, w and b only";
  return success();
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

LogicalResult BufferOp::verify() {
  if (getBytes().getNumResults() != 1)
    return emitOpError("has one size in bytes, not ") << getBytes().getNumResults();
  return success();
}

/// Rows are strided; inside a row extents are known, so that memory is known up to its length.
static LogicalResult verifyDims(Operation *op, AffineMap dims) {
  for (AffineExpr extent : dims.getResults())
    if (auto constant = dyn_cast<AffineConstantExpr>(extent); constant && constant.getValue() < 0)
      return op->emitOpError("has a negative extent");
  for (AffineExpr extent : dims.getResults().drop_front(dims.getNumResults() ? 1 : 0))
    if (!isa<AffineConstantExpr>(extent))
      return op->emitOpError("has the extent ")
             << exprText(extent) << ", only dimension 0 may depend on launch-time symbols";
  return success();
}

LogicalResult IoOp::verify() { return verifyDims(*this, getDims()); }
LogicalResult PackedOp::verify() { return verifyDims(*this, getDims()); }
LogicalResult StateOp::verify() { return verifyDims(*this, getDims()); }
LogicalResult TensorOp::verify() { return verifyDims(*this, getDims()); }

LogicalResult ViewOp::verify() {
  if (failed(verifyDims(*this, getDims())))
    return failure();
  if (getOffset().getNumResults() != 1)
    return emitOpError("has one offset, not ") << getOffset().getNumResults();
  if (!getRowStride())
    return success();
  if (getDims().getNumResults() < 2)
    return emitOpError("a row stride needs at least two dims");
  int64_t columns = 1;
  for (AffineExpr extent : getDims().getResults().drop_front())
    if (auto constant = dyn_cast<AffineConstantExpr>(extent))
      columns *= constant.getValue();
  if (static_cast<int64_t>(*getRowStride()) < columns)
    return emitOpError("rows of ") << columns << " elements overlap with a row stride of " << *getRowStride();
  return success();
}

/// k3 symbols are looked up by name only, so that the dialects stay independent.
static LogicalResult verifySymbol(Operation *op, FlatSymbolRefAttr symbol, StringRef kind,
                                  SymbolTableCollection &table) {
  Operation *found = table.lookupNearestSymbolFrom(op, symbol);
  if (!found)
    return op->emitOpError("names ") << symbol << ", which does not exist";
  if (found->getName().getStringRef() != kind)
    return op->emitOpError("names ") << symbol << ", which is a " << found->getName() << ", expected a "
                                     << kind;
  return success();
}

LogicalResult PackedOp::verifySymbolUses(SymbolTableCollection &table) {
  return verifySymbol(*this, getSymbolAttr(), "k3.packed", table);
}
LogicalResult StateOp::verifySymbolUses(SymbolTableCollection &table) {
  return verifySymbol(*this, getSymbolAttr(), "k3.state", table);
}
LogicalResult TapStateOp::verifySymbolUses(SymbolTableCollection &table) {
  return verifySymbol(*this, getSymbolAttr(), "k3.state", table);
}
LogicalResult FetchOp::verifySymbolUses(SymbolTableCollection &table) {
  return verifySymbol(*this, getWeightAttr(), "k3.weight", table);
}
LogicalResult LaunchOp::verifySymbolUses(SymbolTableCollection &table) {
  if (failed(verifySymbol(*this, getKernelAttr(), "exec.kernel", table)))
    return failure();
  auto kernel = table.lookupNearestSymbolFrom<KernelOp>(*this, getKernelAttr());
  if (kernel.getParams() != getAccess())
    return emitOpError("accesses its views as '")
           << getAccess() << "', the kernel as '" << kernel.getParams() << "'";
  if (kernel.getGpu())
    return emitOpError("names ") << getKernelAttr() << ", which is GPU code; launch it with exec.gpu_launch";
  return success();
}
LogicalResult GpuLaunchOp::verifySymbolUses(SymbolTableCollection &table) {
  if (failed(verifySymbol(*this, getKernelAttr(), "exec.kernel", table)))
    return failure();
  auto kernel = table.lookupNearestSymbolFrom<KernelOp>(*this, getKernelAttr());
  if (kernel.getParams() != getAccess())
    return emitOpError("accesses its views as '")
           << getAccess() << "', the kernel as '" << kernel.getParams() << "'";
  if (!kernel.getGpu())
    return emitOpError("names ") << getKernelAttr() << ", which is no GPU code; launch it with exec.launch";
  return success();
}
