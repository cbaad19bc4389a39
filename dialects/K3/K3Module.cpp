//===- K3Module.cpp - Module attributes and the signatures of the functions of a model --===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A module of stored k3 IR carries `k3.version`; with it, the functions that the runtime calls must have the
// signatures of the step ABI.
//
//===----------------------------------------------------------------------===//

#include "dialects/K3/K3Names.h"
#include "dialects/K3/K3StepAbi.h"
#include "dialects/K3/K3Verify.h"

using namespace mlir;

namespace k3 {

namespace {

enum class Element { I32, F32 };

struct Parameter {
  Element element;
  unsigned rank;
};

/// What a function that the runtime calls takes and gives; K3StepAbi.h has the names.
struct Signature {
  StringLiteral title;
  SmallVector<Parameter> arguments;
  std::optional<Parameter> result;
};

constexpr Parameter kIndices = {Element::I32, 1};
constexpr Parameter kNumbers = {Element::F32, 1};
constexpr Parameter kLogits = {Element::F32, 2};

std::optional<Signature> signatureOf(func::FuncOp function) {
  if (isStep(function)) {
    SmallVector<Parameter> arguments(11, kIndices);
    arguments[5] = {Element::I32, 2}; // block_table
    return Signature{"the step ABI", arguments, kLogits};
  }
  if (function.getName() == "copy_state")
    return Signature{"state copies", SmallVector<Parameter>(4, kIndices), std::nullopt};
  if (function.getName() == "sample")
    return Signature{"the sampler", {kLogits, kNumbers, kNumbers, kIndices, kIndices}, kIndices};
  return std::nullopt;
}

bool matches(Type type, const Parameter &parameter) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.getRank() == static_cast<int64_t>(parameter.rank) &&
         (parameter.element == Element::I32 ? tensor.getElementType().isInteger(32)
                                            : tensor.getElementType().isF32());
}

std::string typeText(const Parameter &parameter) {
  return "a tensor of " + std::string(parameter.element == Element::I32 ? "i32" : "f32") + " with " +
         std::to_string(parameter.rank) + (parameter.rank == 1 ? " dimension" : " dimensions");
}

LogicalResult verifySignature(func::FuncOp function, const Signature &signature) {
  // The op's own verifier has not run yet; without a type it speaks for itself.
  if (!function.getFunctionTypeAttr() || function.isDeclaration())
    return success();
  FunctionType type = function.getFunctionType();
  size_t wanted = signature.arguments.size();
  auto error = [&]() -> InFlightDiagnostic {
    return function.emitError() << "@" << function.getName() << " needs the " << wanted << " arguments of "
                                << signature.title;
  };
  if (type.getNumInputs() < wanted)
    return error() << ", it has " << type.getNumInputs() << ": argument " << type.getNumInputs() << " '"
                   << argumentName(function, type.getNumInputs()) << "' is missing";
  if (type.getNumInputs() > wanted)
    return error() << ", it has " << type.getNumInputs();
  for (auto [index, parameter] : llvm::enumerate(signature.arguments))
    if (!matches(type.getInput(index), parameter))
      return error() << ", argument " << index << " '" << argumentName(function, index) << "' is "
                     << type.getInput(index) << ", expected " << typeText(parameter);
  if (!signature.result) {
    if (type.getNumResults() != 0)
      return function.emitError() << "@" << function.getName() << " returns nothing, got "
                                  << type.getNumResults() << " results";
    return success();
  }
  if (type.getNumResults() != 1 || !matches(type.getResult(0), *signature.result))
    return function.emitError() << "@" << function.getName() << " returns '" << resultName(function, 0)
                                << "', " << typeText(*signature.result) << ", got " << type.getResults();
  return success();
}

LogicalResult verifyVersion(Operation *op, Attribute value) {
  auto version = dyn_cast<IntegerAttr>(value);
  if (!version || !version.getType().isSignlessInteger(64))
    return op->emitError() << "k3.version must be a 64-bit integer, got " << value;
  if (version.getInt() > K3Dialect::kVersion)
    return op->emitError() << "this compiler reads k3 IR up to version " << K3Dialect::kVersion
                           << ", the module has " << version.getInt();
  if (version.getInt() < 1)
    return op->emitError() << "k3.version must be at least 1, got " << version.getInt();
  auto module = dyn_cast<ModuleOp>(op);
  if (!module)
    return success();
  for (auto function : module.getOps<func::FuncOp>())
    if (std::optional<Signature> signature = signatureOf(function);
        signature && failed(verifySignature(function, *signature)))
      return failure();
  return success();
}

} // namespace

LogicalResult K3Dialect::verifyOperationAttribute(Operation *op, NamedAttribute attribute) {
  StringRef name = attribute.getName().getValue();
  Attribute value = attribute.getValue();
  bool ofModule =
      llvm::is_contained<StringRef>({kVersionAttr, kMeshAttr, kPrecisionAttr, kModelAttr, kLimitsAttr}, name);
  if (ofModule && !isa<ModuleOp>(op))
    return op->emitOpError() << "has " << name << ", which belongs on a module";
  if (name == kVersionAttr)
    return verifyVersion(op, value);
  if (name == kMeshAttr && !isa<MeshAttr>(value))
    return op->emitError() << "k3.mesh must be a #k3.mesh, got " << value;
  if (name == kPrecisionAttr) {
    auto precision = dyn_cast<StringAttr>(value);
    if (!precision || (precision.getValue() != "f32" && precision.getValue() != "bf16"))
      return op->emitError() << "k3.precision must be \"f32\" or \"bf16\", got " << value;
  }
  if (name == kVariantAttr) {
    auto variant = dyn_cast<StringAttr>(value);
    if (!variant || (variant.getValue() != "decode" && variant.getValue() != "ragged"))
      return op->emitError() << "k3.variant must be \"decode\" or \"ragged\", got " << value;
  }
  return success();
}

} // namespace k3
