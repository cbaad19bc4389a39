//===- TileTypes.cpp - Types of the tile dialect ----------------*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Tile/TileDialect.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace k3;
using namespace k3::tile;

//===----------------------------------------------------------------------===//
// Text: extents and element as in a tensor, "?" among strides
//===----------------------------------------------------------------------===//

static ParseResult parseTile(AsmParser &parser, SmallVector<int64_t> &shape, Type &element) {
  return failure(parser.parseDimensionList(shape, /*allowDynamic=*/true) || parser.parseType(element));
}

static void printTile(AsmPrinter &printer, ArrayRef<int64_t> shape, Type element) {
  printer.printDimensionList(shape);
  printer << (shape.empty() ? "" : "x") << element;
}

static ParseResult parseStrides(AsmParser &parser, SmallVector<int64_t> &strides) {
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&]() -> ParseResult {
    if (succeeded(parser.parseOptionalQuestion())) {
      strides.push_back(ShapedType::kDynamic);
      return success();
    }
    return parser.parseInteger(strides.emplace_back());
  });
}

static void printStrides(AsmPrinter &printer, ArrayRef<int64_t> strides) {
  printer << "[";
  llvm::interleaveComma(strides, printer, [&](int64_t stride) {
    if (ShapedType::isDynamic(stride))
      printer << "?";
    else
      printer << stride;
  });
  printer << "]";
}

/// Written in full, as an attribute of its own: its parser needs the whole symbol.
static ParseResult parseSmemOf(AsmParser &parser, SmemAttr &layout) { return parser.parseAttribute(layout); }
static void printSmemOf(AsmPrinter &printer, SmemAttr layout) { printer.printAttribute(layout); }

#define GET_TYPEDEF_CLASSES
#include "dialects/Tile/TileTypes.cpp.inc"

void TileDialect::registerTileTypes() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "dialects/Tile/TileTypes.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// Rules
//===----------------------------------------------------------------------===//

static bool isElement(Type type) {
  return type.isIntOrFloat() && llvm::is_contained({8u, 16u, 32u, 64u}, type.getIntOrFloatBitWidth());
}

LogicalResult SharedType::verify(function_ref<InFlightDiagnostic()> emitError, ArrayRef<int64_t> shape,
                                 Type element, SmemAttr layout, int64_t stages) {
  if (!isElement(element))
    return emitError() << "shared memory holds elements of 8, 16, 32 or 64 bits, not " << element;
  const layout::SharedLayout &map = layout.getLayout();
  SmallVector<int64_t> covered(map.shape().begin(), map.shape().end());
  if (covered != shape)
    return emitError() << "the layout covers [" << covered << "], the tile is [" << shape << "]";
  if (map.elementBytes() * 8 != static_cast<int64_t>(element.getIntOrFloatBitWidth()))
    return emitError() << "the layout has elements of " << map.elementBytes() << " bytes, the tile's are "
                       << element;
  if (stages < 1)
    return emitError() << "a buffer has at least one stage, not " << stages;
  return success();
}

int64_t SharedType::getBytes() const { return getLayout().getLayout().sizeBytes(); }

int64_t SharedType::getAlignment() const {
  // A swizzle XORs address bits 4-6 with 7-9, so the pattern repeats every 1024 bytes.
  for (const std::vector<int32_t> &bases : getLayout().getLayout().bases())
    for (int32_t basis : bases)
      if (basis & (basis - 1))
        return 1024;
  return 128;
}

int64_t SharedType::getStageStride() const { return llvm::alignTo(getBytes(), getAlignment()); }

LogicalResult MbarType::verify(function_ref<InFlightDiagnostic()> emitError, int64_t slots,
                               int64_t arrivals) {
  if (slots < 1 || arrivals < 1 || arrivals >= 1 << 20)
    return emitError() << "barriers have at least one slot and 1 to 2^20 - 1 arrivals, not " << slots
                       << " and " << arrivals;
  return success();
}

LogicalResult CursorType::verify(function_ref<InFlightDiagnostic()> emitError, int64_t slots) {
  if (slots < 1)
    return emitError() << "a ring has at least one slot, not " << slots;
  return success();
}

LogicalResult ViewType::verify(function_ref<InFlightDiagnostic()> emitError, ArrayRef<int64_t> shape,
                               Type element, ArrayRef<int64_t> strides) {
  if (shape.empty() || !isElement(element))
    return emitError() << "a view has at least one dimension and elements of 8, 16, 32 or 64 bits";
  if (!strides.empty() && (strides.size() != shape.size() || strides.back() != 1))
    return emitError() << "strides has one number per dimension, the last is 1";
  if (strides.empty() && llvm::any_of(shape.drop_front(), ShapedType::isDynamic))
    return emitError() << "only dimension 0 of a dense view may be unknown; name the strides";
  return success();
}

SmallVector<int64_t> ViewType::getAllStrides() const {
  if (!getStrides().empty())
    return SmallVector<int64_t>(getStrides());
  SmallVector<int64_t> strides(getShape().size(), 1);
  for (size_t i = strides.size() - 1; i > 0; --i)
    strides[i - 1] = strides[i] * getShape()[i];
  return strides;
}

LogicalResult MapType::verify(function_ref<InFlightDiagnostic()> emitError, ArrayRef<int64_t> box,
                              Type element, int64_t swizzle) {
  if (box.empty() || box.size() > 5 || !isElement(element))
    return emitError() << "a tensor map has 1 to 5 dimensions and elements of 8, 16, 32 or 64 bits";
  if (llvm::any_of(box, [](int64_t extent) { return extent < 1 || extent > 256; }))
    return emitError() << "a box has extents from 1 to 256, not [" << box << "]";
  if (!llvm::is_contained({0, 32, 64, 128}, swizzle))
    return emitError() << "swizzle is 0, 32, 64 or 128 bytes, not " << swizzle;
  int64_t row = box.back() * element.getIntOrFloatBitWidth() / 8;
  if (row % 16 != 0 || (swizzle && row > swizzle))
    return emitError() << "the innermost extent of a box is a multiple of 16 bytes and with a swizzle at "
                          "most as wide, not "
                       << row;
  return success();
}

int64_t MapType::getBytes() const {
  int64_t bytes = getElementBytes();
  for (int64_t extent : getBox())
    bytes *= extent;
  return bytes;
}
