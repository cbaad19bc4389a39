//===- TileStructure.cpp - Kernels, roles, allocations, cursors --*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Tile/TileVerify.h"

#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/FunctionImplementation.h"

#include <numeric>

using namespace mlir;
using namespace k3;
using namespace k3::tile;

//===----------------------------------------------------------------------===//
// KernelOp
//===----------------------------------------------------------------------===//

void KernelOp::build(OpBuilder &builder, OperationState &state, StringRef name, FunctionType type) {
  state.addAttribute(getSymNameAttrName(state.name), builder.getStringAttr(name));
  state.addAttribute(getFunctionTypeAttrName(state.name), TypeAttr::get(type));
  Block &entry = state.addRegion()->emplaceBlock();
  for (Type input : type.getInputs())
    entry.addArgument(input, state.location);
}

ParseResult KernelOp::parse(OpAsmParser &parser, OperationState &result) {
  auto functionType = [](Builder &builder, ArrayRef<Type> inputs, ArrayRef<Type> results,
                         function_interface_impl::VariadicFlag,
                         std::string &) { return builder.getFunctionType(inputs, results); };
  return function_interface_impl::parseFunctionOp(
      parser, result, /*allowVariadic=*/false, getFunctionTypeAttrName(result.name), functionType,
      getArgAttrsAttrName(result.name), getResAttrsAttrName(result.name));
}

void KernelOp::print(OpAsmPrinter &printer) {
  function_interface_impl::printFunctionOp(printer, *this, /*isVariadic=*/false, getFunctionTypeAttrName(),
                                           getArgAttrsAttrName(), getResAttrsAttrName());
}

ArgRole KernelOp::getArgRole(unsigned argument) {
  if (auto role = getArgAttrOfType<ArgRoleAttr>(argument, "tile.role"))
    return role.getValue();
  return isa<ViewType, MapType>(getArgumentTypes()[argument]) ? ArgRole::StepIn : ArgRole::Constant;
}

std::optional<unsigned> KernelOp::getDescribed(unsigned argument) {
  if (auto described = getArgAttrOfType<IntegerAttr>(argument, "tile.describes"))
    return described.getInt();
  return std::nullopt;
}

RolesOp KernelOp::getRoles() {
  auto roles = getBody().getOps<RolesOp>();
  return roles.empty() ? RolesOp() : *roles.begin();
}

int64_t KernelOp::getClusterSize() {
  int64_t size = 1;
  for (int32_t extent : getCluster().value_or(ArrayRef<int32_t>{}))
    size *= extent;
  return size;
}

//===----------------------------------------------------------------------===//
// Roles
//===----------------------------------------------------------------------===//

void RolesOp::build(OpBuilder &, OperationState &state) { state.addRegion()->emplaceBlock(); }

void ElectOp::build(OpBuilder &, OperationState &state) { state.addRegion()->emplaceBlock(); }

void RoleOp::build(OpBuilder &builder, OperationState &state, StringRef name, int64_t instances,
                   int64_t warps, std::optional<int64_t> regs) {
  Properties &properties = state.getOrAddProperties<Properties>();
  properties.setName(builder.getStringAttr(name));
  properties.setInstances(builder.getI64IntegerAttr(instances));
  properties.setWarps(builder.getI64IntegerAttr(warps));
  if (regs)
    properties.setRegs(builder.getI64IntegerAttr(*regs));
  state.addRegion()->emplaceBlock().addArgument(builder.getI32Type(), state.location);
}

ParseResult RoleOp::parse(OpAsmParser &parser, OperationState &result) {
  Builder &builder = parser.getBuilder();
  Properties &properties = result.getOrAddProperties<Properties>();
  StringAttr name;
  if (parser.parseAttribute(name))
    return failure();
  properties.setName(name);
  auto number = [&](StringRef keyword, auto set) -> ParseResult {
    int64_t value;
    if (failed(parser.parseOptionalKeyword(keyword)))
      return success();
    if (parser.parseInteger(value))
      return failure();
    set(builder.getI64IntegerAttr(value));
    return success();
  };
  properties.setInstances(builder.getI64IntegerAttr(1));
  OpAsmParser::Argument instance;
  if (number("instances", [&](IntegerAttr value) { properties.setInstances(value); }) ||
      number("warps", [&](IntegerAttr value) { properties.setWarps(value); }) ||
      number("regs", [&](IntegerAttr value) { properties.setRegs(value); }) ||
      number("at_warp", [&](IntegerAttr value) { properties.setFirstWarp(value); }))
    return failure();
  if (!properties.getWarps())
    return parser.emitError(parser.getCurrentLocation(), "a role says how many 'warps' it has");
  instance.type = builder.getI32Type();
  if (parser.parseLParen() || parser.parseArgument(instance) || parser.parseRParen() ||
      parser.parseOptionalAttrDictWithKeyword(result.attributes) ||
      parser.parseRegion(*result.addRegion(), instance))
    return failure();
  return success();
}

void RoleOp::print(OpAsmPrinter &printer) {
  printer << " " << getNameAttr();
  if (getInstances() != 1)
    printer << " instances " << getInstances();
  printer << " warps " << getWarps();
  if (getRegs())
    printer << " regs " << *getRegs();
  if (getFirstWarp())
    printer << " at_warp " << *getFirstWarp();
  printer << " (" << getInstance() << ")";
  printer.printOptionalAttrDictWithKeyword(llvm::to_vector((*this)->getDiscardableAttrs()));
  printer << " ";
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false);
}

//===----------------------------------------------------------------------===//
// PartOp
//===----------------------------------------------------------------------===//

/// Bytes from the first element to the one `steps` further along `dim`.
static int64_t distance(const layout::SharedLayout &layout, int32_t dim, int64_t steps) {
  layout::Coord zero(layout.rank(), 0), there = zero;
  there[dim] = static_cast<int32_t>(steps);
  return layout.offset(there) - layout.offset(zero);
}

/// What lies below `size` of the layout's bases and repeats: exact where `size` cuts between them.
static Expected<layout::SharedLayout> cutBetween(const layout::SharedLayout &layout, int32_t dim,
                                                 int64_t size) {
  std::vector<std::vector<int32_t>> bases = layout.bases();
  std::vector<layout::SharedRepeat> repeats;
  int64_t covered = int64_t(1) << bases[dim].size();
  if (covered > size) {
    if (!layout::isPowerOfTwo(size))
      return unsupported("the parts cut through the core of the layout");
    bases[dim].resize(layout::log2Exact(size));
    covered = size;
  }
  for (layout::SharedRepeat repeat : layout.repeats()) {
    if (repeat.dim == dim) {
      int64_t count = std::min<int64_t>(repeat.count, size / covered);
      covered *= count;
      repeat.count = static_cast<int32_t>(count);
    }
    if (repeat.count > 1)
      repeats.push_back(repeat);
  }
  if (covered != size)
    return unsupported("the parts cut through a repeat of the layout");
  return layout::SharedLayout::make(layout.elementBytes(), bases, repeats, layout.base());
}

/// Groups of the largest power of two that divides `size`, at equal distances: 3 of 12 plain rows, 56 of 112
/// swizzled ones.
static Expected<layout::SharedLayout> cutEvenly(const layout::SharedLayout &layout, int32_t dim,
                                                int64_t size) {
  std::vector<std::vector<int32_t>> bases = layout.bases();
  std::vector<layout::SharedRepeat> repeats = layout.repeats();
  std::erase_if(repeats, [&](const layout::SharedRepeat &repeat) { return repeat.dim == dim; });
  int64_t group = std::min(size & -size, int64_t(1) << bases[dim].size());
  bases[dim].resize(layout::log2Exact(group));
  if (size > group)
    repeats.push_back({dim, static_cast<int32_t>(size / group), distance(layout, dim, group)});
  return layout::SharedLayout::make(layout.elementBytes(), bases, repeats, layout.base());
}

/// Compares every element of every part with where `part` and the stride have it.
static Status provePart(const layout::SharedLayout &layout, const layout::SharedLayout &part, int32_t dim,
                        int64_t stride) {
  int32_t size = part.shape()[dim];
  int64_t count = 1;
  for (int32_t extent : part.shape())
    count *= extent;
  for (int64_t i = 0; i < count; ++i) {
    layout::Coord at = layout::coordOf(i, part.shape()), whole = at;
    int64_t offset = part.offset(at);
    for (int32_t p = 0; p < layout.shape()[dim] / size; ++p, whole[dim] += size)
      if (layout.offset(whole) != offset + p * stride)
        return unsupported("element " + layout::coordText(whole) + " is not at a multiple of the stride");
  }
  return Status::success();
}

/// The layout of elements [0, size) along `dim` and the bytes from one part to the next.
static Expected<std::pair<layout::SharedLayout, int64_t>> part(const layout::SharedLayout &layout,
                                                               int64_t dimension, int64_t size) {
  std::string what = "no parts of " + std::to_string(size) + " along dimension " + std::to_string(dimension);
  if (dimension < 0 || dimension >= layout.rank())
    return badInput(what + ": the tile has rank " + std::to_string(layout.rank()));
  int32_t dim = static_cast<int32_t>(dimension), extent = layout.shape()[dim];
  if (size < 1 || extent % size != 0)
    return badInput(what + ": the extent is " + std::to_string(extent));
  int64_t stride = size < extent ? distance(layout, dim, size) : 0;
  Status refusal;
  for (auto cut : {cutBetween, cutEvenly}) {
    Expected<layout::SharedLayout> candidate = cut(layout, dim, size);
    Status status = candidate ? provePart(layout, *candidate, dim, stride) : candidate.takeStatus();
    if (status.ok())
      return std::pair(std::move(*candidate), stride);
    if (refusal.ok())
      refusal = std::move(status).withContext(what);
  }
  return refusal;
}

Expected<SharedType> PartOp::partType(SharedType source, int64_t dim, int64_t size) {
  auto result = part(source.getLayout().getLayout(), dim, size);
  if (!result)
    return result.status();
  SmallVector<int64_t> shape(result->first.shape().begin(), result->first.shape().end());
  return SharedType::get(source.getContext(), shape, source.getElementType(),
                         SmemAttr::get(source.getContext(), result->first), 1);
}

int64_t PartOp::getStride() {
  const layout::SharedLayout &layout = getSource().getType().getLayout().getLayout();
  int32_t dim = static_cast<int32_t>(getDim()),
          size = static_cast<int32_t>(getPart().getType().getShape()[dim]);
  return size < layout.shape()[dim] ? distance(layout, dim, size) : 0;
}

LogicalResult PartOp::verify() {
  SharedType source = getSource().getType(), part = getPart().getType();
  if (failed(checkOneStage(*this, source)))
    return failure();
  int64_t dim = getDim();
  if (dim < 0 || dim >= static_cast<int64_t>(part.getShape().size()))
    return emitOpError() << "dimension " << dim << " of a part with " << part.getShape().size();
  Status status = Proofs::once(
      getContext(), {Proofs::Part, keyOf(source), keyOf(part), static_cast<uintptr_t>(dim)}, [&]() -> Status {
        K3_ASSIGN(SharedType expected, partType(source, dim, part.getShape()[dim]));
        if (expected == part)
          return Status::success();
        std::string text;
        llvm::raw_string_ostream(text) << "the part is " << expected;
        return badInput(text);
      });
  return status.ok() ? success() : refuse(*this, status);
}

//===----------------------------------------------------------------------===//
// Shared memory
//===----------------------------------------------------------------------===//

void AllocOp::getAsmResultNames(OpAsmSetValueNameFn setName) { setName(getBuffer(), getName()); }

LogicalResult AllocOp::verify() {
  if (!isa<KernelOp>((*this)->getParentOp()))
    return emitOpError("stands in the prologue of a kernel");
  int64_t alignment = getBuffer().getType().getAlignment();
  int64_t offset = getOffset().value_or(0);
  if (offset < 0 || offset % alignment != 0)
    return emitOpError() << "offset " << offset << " is no multiple of " << alignment;
  return success();
}

LogicalResult AliasOp::verify() {
  auto total = [](SharedType type) {
    return (type.getStages() - 1) * type.getStageStride() + type.getBytes();
  };
  SharedType source = getSource().getType(), result = getResult().getType();
  int64_t offset = getOffset();
  if (offset < 0 || offset + total(result) > total(source))
    return emitOpError() << "bytes " << offset << " to " << offset + total(result)
                         << " are not inside the source of " << total(source);
  // What has no swizzle is placed freely, as long as 16 bytes stay together.
  int64_t needed = result.getAlignment() > 128 ? result.getAlignment() : 16,
          found = addressAlignment(getResult());
  if (found % needed != 0)
    return emitOpError() << "the result starts at a multiple of " << found << " bytes, its layout needs "
                         << needed;
  return success();
}

LogicalResult SlotOp::verify() {
  int64_t stages = getBuffer().getType().getStages();
  auto ring = dyn_cast<CursorType>(getIndex().getType());
  if (ring && ring.getSlots() != stages)
    return emitOpError() << "the cursor runs over " << ring.getSlots() << " slots, the buffer has " << stages
                         << " stages";
  return success();
}

//===----------------------------------------------------------------------===//
// Cursors
//===----------------------------------------------------------------------===//

LogicalResult CursorOp::verify() {
  int64_t start = getStart(), slots = getCursor().getType().getSlots();
  if (start < 0 || start >= slots)
    return emitOpError() << "starts at slot " << start << " of " << slots;
  return success();
}

LogicalResult AdvanceOp::verify() {
  int64_t by = getBy(), slots = getCursor().getType().getSlots();
  if (by < 1)
    return emitOpError() << "advances by " << by << ", at least 1 is needed";
  // Back at a slot after lcm(by, slots) steps, which is so many uses later:
  int64_t uses = by / std::gcd(by, slots);
  if (uses != 1 && !getRevisits())
    return emitOpError() << "by " << by << " over " << slots << " slots sees only every " << uses
                         << ". phase of a slot; say revisits " << uses
                         << " if the order is guaranteed elsewhere (the Emulator checks it)";
  if (getRevisits() && static_cast<int64_t>(*getRevisits()) != uses)
    return emitOpError() << "by " << by << " over " << slots << " slots comes back to a slot " << uses
                         << " uses later, not " << *getRevisits();
  return success();
}
