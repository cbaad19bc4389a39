//===- K3Dialect.cpp - Registration, types and attributes of the k3 dialect --===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/K3/K3Ops.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace k3;

#include "dialects/K3/K3Dialect.cpp.inc"
#include "dialects/K3/K3Enums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "dialects/K3/K3Attrs.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "dialects/K3/K3Types.cpp.inc"

void K3Dialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialects/K3/K3Attrs.cpp.inc"
      >();
  addTypes<
#define GET_TYPEDEF_LIST
#include "dialects/K3/K3Types.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dialects/K3/K3Ops.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// MX type: `<` dims `,` element (`,` `block` n)? `>`
//===----------------------------------------------------------------------===//

Type MxType::parse(AsmParser &parser) {
  SmallVector<int64_t> shape;
  StringRef elementName;
  int64_t block = 32;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseLess() || parser.parseDimensionList(shape, /*allowDynamic=*/false, /*withTrailingX=*/false) ||
      parser.parseComma())
    return {};
  SMLoc elementLoc = parser.getCurrentLocation();
  if (parser.parseKeyword(&elementName))
    return {};
  std::optional<MxElement> element = symbolizeMxElement(elementName);
  if (!element) {
    parser.emitError(elementLoc) << "unknown MX element '" << elementName
                                 << "', expected e2m1, e2m3, e3m2, e4m3 or e5m2";
    return {};
  }
  if (succeeded(parser.parseOptionalComma()) && (parser.parseKeyword("block") || parser.parseInteger(block)))
    return {};
  if (parser.parseGreater())
    return {};
  return parser.getChecked<MxType>(loc, parser.getContext(), shape, *element, block, MxScale::E8M0);
}

void MxType::print(AsmPrinter &printer) const {
  printer << "<";
  printer.printDimensionList(getShape());
  printer << ", " << stringifyMxElement(getElement());
  if (getBlock() != 32)
    printer << ", block " << getBlock();
  printer << ">";
}

LogicalResult MxType::verify(function_ref<InFlightDiagnostic()> emitError, ArrayRef<int64_t> shape, MxElement element,
                             int64_t block, MxScale scale) {
  if (shape.empty())
    return emitError() << "mx tensor needs at least one dimension";
  if (llvm::any_of(shape, [](int64_t extent) { return extent <= 0; }))
    return emitError() << "mx tensor needs positive dimensions";
  if (block <= 0)
    return emitError() << "mx block must be positive, got " << block;
  if (shape.back() % block != 0)
    return emitError() << "mx tensor: last dimension " << shape.back() << " is not a multiple of block " << block;
  return success();
}

static int64_t bitsOf(MxElement element) {
  switch (element) {
  case MxElement::E2M1:
    return 4;
  case MxElement::E2M3:
  case MxElement::E3M2:
    return 6;
  case MxElement::E4M3:
  case MxElement::E5M2:
    return 8;
  }
  llvm_unreachable("every MX element has a width");
}

static int64_t countOf(ArrayRef<int64_t> shape) {
  int64_t count = 1;
  for (int64_t extent : shape)
    count *= extent;
  return count;
}

int64_t MxType::getElementBytes() const { return countOf(getShape()) * bitsOf(getElement()) / 8; }
int64_t MxType::getScaleBytes() const { return countOf(getShape()) / getBlock(); }

//===----------------------------------------------------------------------===//
// Mesh
//===----------------------------------------------------------------------===//

LogicalResult MeshAttr::verify(function_ref<InFlightDiagnostic()> emitError, int64_t pp, int64_t dp, int64_t tp,
                               int64_t ep, int64_t cp) {
  for (auto [name, size] : {std::pair("pp", pp), {"dp", dp}, {"tp", tp}, {"ep", ep}, {"cp", cp}})
    if (size < 1)
      return emitError() << "mesh axis " << name << " must be at least 1, got " << size;
  if ((dp * tp) % ep != 0)
    return emitError() << "ep " << ep << " does not divide dp * tp = " << dp * tp;
  if (tp % cp != 0)
    return emitError() << "cp " << cp << " does not divide tp " << tp;
  return success();
}

std::optional<int64_t> MeshAttr::getAxis(StringRef name) const {
  if (name == "pp")
    return getPp();
  if (name == "dp")
    return getDp();
  if (name == "tp")
    return getTp();
  if (name == "ep")
    return getEp();
  if (name == "cp")
    return getCp();
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Sharding
//===----------------------------------------------------------------------===//

LogicalResult ShardAttr::verify(function_ref<InFlightDiagnostic()> emitError, ArrayAttr dims, ArrayAttr partial) {
  SmallVector<Attribute> used;
  auto take = [&](Attribute axis) -> LogicalResult {
    if (!isa<StringAttr>(axis))
      return emitError() << "shard names mesh axes by strings, got " << axis;
    if (llvm::is_contained(used, axis))
      return emitError() << "shard names axis " << axis << " twice";
    used.push_back(axis);
    return success();
  };
  for (Attribute dim : dims) {
    auto axes = dyn_cast<ArrayAttr>(dim);
    if (!axes)
      return emitError() << "shard needs a list of axes for each dimension, got " << dim;
    for (Attribute axis : axes)
      if (failed(take(axis)))
        return failure();
  }
  for (Attribute axis : partial)
    if (failed(take(axis)))
      return failure();
  return success();
}
