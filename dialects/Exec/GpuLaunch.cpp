//===- GpuLaunch.cpp - Launches of GPU kernels in the exec dialect --- -*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Arguments, their text form and the rules of `exec.gpu_launch`. What a tensor map may be is from the CUDA Driver API
// reference, cuTensorMapEncodeTiled; limits of a launch that differ between architectures are checked where the target
// is known (lib/Package).
//
//===----------------------------------------------------------------------===//

#include "dialects/Exec/ExecOps.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/OpImplementation.h"

using namespace mlir;
using namespace k3::exec;

//===----------------------------------------------------------------------===//
// Arguments
//===----------------------------------------------------------------------===//

LogicalResult PointerArgAttr::verify(function_ref<InFlightDiagnostic()> emitError, int64_t view, ArgRole) {
  if (view < 0)
    return emitError() << "an argument names view " << view;
  return success();
}

LogicalResult MapArgAttr::verify(function_ref<InFlightDiagnostic()> emitError, int64_t view, ArrayRef<int64_t> box,
                                 int64_t swizzle) {
  if (view < 0)
    return emitError() << "an argument names view " << view;
  if (box.empty() || box.size() > 5)
    return emitError() << "a tensor map has 1 to 5 dimensions, not " << box.size();
  for (int64_t extent : box)
    if (extent < 1 || extent > 256)
      return emitError() << "a box has 1 to 256 elements in a dimension, not " << extent;
  if (swizzle != 0 && swizzle != 32 && swizzle != 64 && swizzle != 128)
    return emitError() << "a tensor map swizzles 0, 32, 64 or 128 bytes, not " << swizzle;
  return success();
}

LogicalResult ScalarArgAttr::verify(function_ref<InFlightDiagnostic()> emitError, Type type, AffineMapAttr value) {
  if (!type.isSignlessInteger(32) && !type.isSignlessInteger(64))
    return emitError() << "an expression is passed as i32 or i64, not as " << type;
  if (!isSymbolMap(value) || value.getValue().getNumResults() != 1)
    return emitError() << "a scalar argument is one expression over the launch-time symbols";
  return success();
}

static ParseResult parseKernelArg(OpAsmParser &parser, SmallVectorImpl<Attribute> &args) {
  SMLoc loc = parser.getCurrentLocation();
  auto emit = [&] { return parser.emitError(loc); };
  MLIRContext *context = parser.getContext();
  Attribute arg;
  StringRef keyword;
  int64_t view = 0;
  if (succeeded(parser.parseOptionalKeyword(&keyword, {"i32", "i64"}))) {
    AffineMapAttr value;
    Type type = IntegerType::get(context, keyword == "i32" ? 32 : 64);
    if (parseSymbolMap(parser, value))
      return failure();
    arg = ScalarArgAttr::getChecked(emit, context, type, value);
  } else if (succeeded(parser.parseOptionalKeyword("f32"))) {
    double value = 0;
    if (parser.parseFloat(value))
      return failure();
    arg = FloatAttr::get(Float32Type::get(context), value);
  } else if (succeeded(parser.parseOptionalKeyword("map"))) {
    SmallVector<int64_t> box;
    int64_t swizzle = 0;
    auto parseExtent = [&]() -> ParseResult { return parser.parseInteger(box.emplace_back()); };
    if (parser.parseInteger(view) || parser.parseKeyword("box") ||
        parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseExtent))
      return failure();
    if (succeeded(parser.parseOptionalKeyword("swizzle")) && parser.parseInteger(swizzle))
      return failure();
    arg = MapArgAttr::getChecked(emit, context, view, ArrayRef<int64_t>(box), swizzle);
  } else if (succeeded(parser.parseOptionalKeyword(&keyword))) {
    std::optional<ArgRole> role = symbolizeArgRole(keyword);
    if (!role)
      return parser.emitError(loc, "unknown argument '")
             << keyword << "'; arguments are constant, step_in, step_out, map, i32, i64 and f32";
    if (parser.parseInteger(view))
      return failure();
    arg = PointerArgAttr::getChecked(emit, context, view, *role);
  } else {
    return parser.emitError(loc, "expected an argument: constant, step_in, step_out, map, i32, i64 or f32");
  }
  args.push_back(arg);
  return success(static_cast<bool>(arg));
}

ParseResult parseKernelArgs(OpAsmParser &parser, ArrayAttr &args) {
  SmallVector<Attribute> list;
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] { return parseKernelArg(parser, list); }))
    return failure();
  args = parser.getBuilder().getArrayAttr(list);
  return success();
}

void printKernelArgs(OpAsmPrinter &printer, Operation *op, ArrayAttr args) {
  printer << '[';
  llvm::interleaveComma(args, printer, [&](Attribute arg) {
    if (auto pointer = dyn_cast<PointerArgAttr>(arg)) {
      printer << stringifyArgRole(pointer.getRole()) << ' ' << pointer.getView();
    } else if (auto map = dyn_cast<MapArgAttr>(arg)) {
      printer << "map " << map.getView() << " box [";
      llvm::interleaveComma(map.getBox(), printer);
      printer << ']';
      if (map.getSwizzle())
        printer << " swizzle " << map.getSwizzle();
    } else if (auto scalar = dyn_cast<ScalarArgAttr>(arg)) {
      printer << scalar.getType() << ' ';
      printSymbolMap(printer, op, scalar.getValue());
    } else {
      printer << "f32 ";
      printer.printFloat(cast<FloatAttr>(arg).getValue());
    }
  });
  printer << ']';
}

//===----------------------------------------------------------------------===//
// GpuLaunchOp
//===----------------------------------------------------------------------===//

void GpuLaunchOp::build(OpBuilder &builder, OperationState &state, StringRef kernel, ValueRange views,
                        StringRef access, ArrayRef<Attribute> args, const GpuGrid &grid, int64_t stream) {
  Properties &properties = state.getOrAddProperties<Properties>();
  properties.kernel = FlatSymbolRefAttr::get(builder.getContext(), kernel);
  properties.access = builder.getStringAttr(access);
  properties.args = builder.getArrayAttr(args);
  properties.grid = AffineMapAttr::get(grid.grid);
  properties.block = builder.getI64IntegerAttr(grid.block);
  properties.smem = builder.getI64IntegerAttr(grid.sharedBytes);
  properties.stream = builder.getI64IntegerAttr(stream);
  if (grid.maxCtas)
    properties.max_ctas = AffineMapAttr::get(grid.maxCtas);
  if (grid.resident)
    properties.resident = AffineMapAttr::get(grid.resident);
  if (!grid.cluster.empty())
    properties.cluster = builder.getDenseI64ArrayAttr(grid.cluster);
  if (grid.dependent)
    properties.pdl = builder.getUnitAttr();
  properties.operandSegmentSizes = {static_cast<int32_t>(views.size()), 0};
  state.addOperands(views);
  state.addTypes(EventType::get(builder.getContext()));
}

SmallVector<ViewAccess> GpuLaunchOp::getViewAccesses() {
  SmallVector<ViewAccess> accesses;
  for (auto [view, letter] : llvm::zip_equal(getViews(), getAccess()))
    accesses.push_back({view, letter != 'w', letter != 'r'});
  return accesses;
}

std::array<int64_t, 3> GpuLaunchOp::getClusterDims() {
  std::array<int64_t, 3> dims = {1, 1, 1};
  if (std::optional<ArrayRef<int64_t>> cluster = getCluster())
    llvm::copy(*cluster, dims.begin());
  return dims;
}

/// A tensor map over `view`: rank, strides, addresses and the box against the swizzle.
static LogicalResult verifyMap(GpuLaunchOp op, unsigned number, MapArgAttr map, Value view) {
  auto error = [&] { return op.emitOpError("argument ") << number << ": "; };
  AffineMap dims = getViewDims(view);
  if (!dims)
    return success();
  int64_t element = cast<ViewType>(view.getType()).getElementBytes();
  if (dims.getNumResults() != map.getBox().size())
    return error() << "a box of " << map.getBox().size() << " dimensions over a view of " << dims.getNumResults();
  int64_t inner = map.getBox().back() * element;
  if (inner % 16)
    return error() << "the innermost extent of a box is a multiple of 16 bytes, not " << inner << " bytes";
  if (map.getSwizzle() && inner > map.getSwizzle())
    return error() << "the innermost extent of a box swizzled by " << map.getSwizzle() << " bytes is at most that, not "
                   << inner << " bytes";
  // Strides of all dimensions but the innermost, outermost first.
  int64_t stride = element;
  for (size_t i = dims.getNumResults(); i-- > 1;) {
    auto extent = dyn_cast<AffineConstantExpr>(dims.getResult(i));
    if (!extent)
      return success(); // the op that makes the view says so
    stride *= extent.getValue();
    if (i == 1)
      stride = getRowStride(view).value_or(0) * element;
    if (stride % 16 || stride >> 40)
      return error() << "dimension " << i - 1 << " of the view has a stride of " << stride
                     << " bytes; a tensor map takes multiples of 16 below 2^40";
  }
  if (auto viewOp = view.getDefiningOp<ViewOp>())
    if (auto offset = dyn_cast<AffineConstantExpr>(viewOp.getOffset().getResult(0));
        offset && offset.getValue() * element % 16)
      return error() << "the view begins " << offset.getValue() * element
                     << " bytes behind its source; a tensor map begins at a multiple of 16";
  return success();
}

LogicalResult GpuLaunchOp::verify() {
  if (getAccess().size() != getViews().size())
    return emitOpError("has ") << getViews().size() << " views and " << getAccess().size() << " access letters";
  if (getAccess().find_first_not_of("rwb") != StringRef::npos)
    return emitOpError("access '") << getAccess() << "' may hold the letters r, w and b only";

  SmallVector<bool> used(getViews().size(), false);
  for (auto [number, arg] : llvm::enumerate(getArgs())) {
    auto pointer = dyn_cast<PointerArgAttr>(arg);
    auto map = dyn_cast<MapArgAttr>(arg);
    if (!pointer && !map) {
      auto real = dyn_cast<FloatAttr>(arg);
      if (!isa<ScalarArgAttr>(arg) && !(real && real.getType().isF32()))
        return emitOpError("argument ") << number << " is " << arg << ", expected a pointer, a map, a scalar or an f32";
      continue;
    }
    int64_t view = pointer ? pointer.getView() : map.getView();
    if (view >= static_cast<int64_t>(getViews().size()))
      return emitOpError("argument ") << number << " names view " << view << ", there are " << getViews().size();
    used[view] = true;
    if (pointer && pointer.getRole() != ArgRole::StepOut && getAccess()[view] != 'r')
      return emitOpError("argument ") << number << " writes view " << view << ", so its role is step_out, not "
                                      << stringifyArgRole(pointer.getRole());
    if (map && failed(verifyMap(*this, number, map, getViews()[view])))
      return failure();
  }
  for (auto [view, isUsed] : llvm::enumerate(used))
    if (!isUsed)
      return emitOpError("view ") << view << " is no argument of the kernel";

  unsigned dims = getGrid().getNumResults();
  if (dims < 1 || dims > 3)
    return emitOpError("a grid has 1 to 3 dimensions, not ") << dims;
  if (getMaxCtas() && getMaxCtas()->getNumResults() != 1)
    return emitOpError("max_ctas is one number, not ") << getMaxCtas()->getNumResults();
  if (getResident() && getResident()->getNumResults() != 1)
    return emitOpError("resident is one number, not ") << getResident()->getNumResults();
  if (int64_t threads = getBlock(); threads < 1 || threads > 1024)
    return emitOpError("a block has 1 to 1024 threads, not ") << threads;
  if (static_cast<int64_t>(getSmem()) < 0)
    return emitOpError("has negative shared memory");
  if (std::optional<ArrayRef<int64_t>> cluster = getCluster()) {
    if (cluster->size() != 3 || llvm::any_of(*cluster, [](int64_t extent) { return extent < 1; }))
      return emitOpError("a cluster has three extents of at least 1");
    std::array<int64_t, 3> extents = getClusterDims();
    if (extents[0] * extents[1] * extents[2] > 16)
      return emitOpError("a cluster has at most 16 blocks, not ") << extents[0] * extents[1] * extents[2];
    if (getMaxCtas() && (extents[1] != 1 || extents[2] != 1))
      return emitOpError("a grid with max_ctas is one-dimensional, and so are its clusters");
    for (unsigned i = 0; i < 3 && !getMaxCtas(); ++i) {
      auto blocks = i < dims ? dyn_cast<AffineConstantExpr>(getGrid().getResult(i))
                             : cast<AffineConstantExpr>(getAffineConstantExpr(1, getContext()));
      if (blocks && blocks.getValue() % extents[i])
        return emitOpError("a grid of ") << blocks.getValue() << " blocks in " << "xyz"[i] << " is not whole clusters of "
                                         << extents[i];
    }
  }
  return success();
}
