//===- PackageViews.cpp - Expressions, buffers and views as records  -*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/Exec/PackageViews.h"

#include "lib/Package/Expr.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace k3;
using namespace k3::exec;

//===----------------------------------------------------------------------===//
// Expressions and types
//===----------------------------------------------------------------------===//

static uint8_t toSymbol(unsigned position) {
  static constexpr fb::Sym symbols[] = {fb::Sym::T,      fb::Sym::S,    fb::Sym::R, fb::Sym::C, fb::Sym::SM,
                                        fb::Sym::Member, fb::Sym::Slot, fb::Sym::N, fb::Sym::M};
  return static_cast<uint8_t>(symbols[position]);
}

namespace {

/// coefficient * a * b, with 0 for an absent symbol (Sym::One).
struct Product {
  int64_t coefficient = 1;
  uint8_t a = 0, b = 0;
};

} // namespace

static std::optional<Product> toProduct(AffineExpr expression) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expression))
    return Product{constant.getValue()};
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expression))
    return Product{1, toSymbol(symbol.getPosition())};
  auto binary = dyn_cast<AffineBinaryOpExpr>(expression);
  if (!binary || expression.getKind() != AffineExprKind::Mul)
    return std::nullopt;
  std::optional<Product> left = toProduct(binary.getLHS()), right = toProduct(binary.getRHS());
  if (!left || !right || (left->b && right->a) || (left->a && right->b) ||
      __builtin_mul_overflow(left->coefficient, right->coefficient, &left->coefficient))
    return std::nullopt;
  if (!left->a)
    std::swap(left->a, right->a);
  left->b = left->b ? left->b : right->b ? right->b : right->a;
  return left;
}

/// Adds `factor * expression` to the terms.
static bool addTerms(AffineExpr expression, int64_t factor, std::vector<fb::Term> &terms) {
  auto binary = dyn_cast<AffineBinaryOpExpr>(expression);
  if (binary && expression.getKind() == AffineExprKind::Add)
    return addTerms(binary.getLHS(), factor, terms) && addTerms(binary.getRHS(), factor, terms);
  if (std::optional<Product> product = toProduct(expression)) {
    terms.emplace_back(product->coefficient * factor, 1, 0, product->a, product->b, 0);
    return true;
  }
  if (!binary)
    return false;
  auto right = dyn_cast<AffineConstantExpr>(binary.getRHS());
  switch (expression.getKind()) {
  case AffineExprKind::Mul: // of a sum or a quotient by a number
    return right && addTerms(binary.getLHS(), factor * right.getValue(), terms);
  case AffineExprKind::FloorDiv:
  case AffineExprKind::CeilDiv: {
    std::optional<Product> product = toProduct(binary.getLHS());
    if (!product || !right || right.getValue() < 1 || right.getValue() > UINT32_MAX || factor != 1)
      return false;
    bool up = expression.getKind() == AffineExprKind::CeilDiv;
    terms.emplace_back(product->coefficient, static_cast<uint32_t>(right.getValue()), up, product->a,
                       product->b, 0);
    return true;
  }
  default:
    return false;
  }
}

std::unique_ptr<fb::ExprT> k3::exec::toExpr(AffineExpr expression) {
  auto result = std::make_unique<fb::ExprT>();
  AffineExpr simple = simplifyAffineExpr(expression, 0, launchSymbolCount);
  return addTerms(simple, 1, result->terms) ? std::move(result) : nullptr;
}

fb::DType k3::exec::toDType(Type element) {
  return TypeSwitch<Type, fb::DType>(element)
      .Case([](Float32Type) { return fb::DType::F32; })
      .Case([](BFloat16Type) { return fb::DType::BF16; })
      .Case([](Float16Type) { return fb::DType::F16; })
      .Case([](Float8E4M3FNType) { return fb::DType::E4M3; })
      .Case([](Float8E5M2Type) { return fb::DType::E5M2; })
      .Case([](Float8E8M0FNUType) { return fb::DType::E8M0; })
      .Case([](IntegerType type) {
        if (type.getWidth() == 8)
          return type.isSigned() ? fb::DType::I8 : fb::DType::U8;
        return type.getWidth() == 32   ? fb::DType::I32
               : type.getWidth() == 64 ? fb::DType::I64
                                       : fb::DType::None;
      })
      .Default([](Type) { return fb::DType::None; });
}

std::string k3::exec::locationName(Location loc) {
  if (auto name = dyn_cast<NameLoc>(loc))
    return name.getName().str();
  if (auto fused = dyn_cast<FusedLoc>(loc))
    for (Location part : fused.getLocations())
      if (std::string name = locationName(part); !name.empty())
        return name;
  if (auto call = dyn_cast<CallSiteLoc>(loc))
    return locationName(call.getCallee());
  return "";
}

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

ViewWriter::ViewWriter(fb::PackageT &package) : package(package) {
  auto index = [](auto &list, llvm::StringMap<uint32_t> &map) {
    for (size_t i = 0; i < list.size(); ++i)
      map[list[i]->name] = static_cast<uint32_t>(i);
  };
  index(package.weights, weights);
  index(package.packed, packed);
  index(package.states, states);
}

FailureOr<std::unique_ptr<fb::ExprT>> ViewWriter::expr(Operation *op, AffineExpr expression) {
  if (std::unique_ptr<fb::ExprT> result = toExpr(expression))
    return result;
  return op->emitOpError("the expression ")
         << exprText(expression) << " is no sum of products and of quotients of products, as packages hold";
}

/// The buffer of a space and name; a second one of another size makes it as large as both.
uint32_t ViewWriter::bufferOf(fb::Space space, StringRef name, std::unique_ptr<fb::ExprT> bytes) {
  auto [it, isNew] = buffers.try_emplace(std::to_string(static_cast<unsigned>(space)) + "/" + name.str(), 0);
  if (isNew) {
    it->second = static_cast<uint32_t>(package.buffers.size());
    auto buffer = std::make_unique<fb::BufferT>();
    buffer->name = name.str();
    buffer->space = space;
    buffer->bytes = std::move(bytes);
    package.buffers.push_back(std::move(buffer));
    return it->second;
  }
  fb::ExprT &known = *package.buffers[it->second]->bytes;
  std::optional<int64_t> have = constantValue(known), want = constantValue(*bytes);
  if (have && want && known.max_of.empty()) {
    package.buffers[it->second]->bytes = constantExpr(std::max(*have, *want));
    return it->second;
  }
  // `terms` is the first size, `max_of` the others.
  fb::ExprT first;
  first.terms = known.terms;
  std::string text = k3::exprText(*bytes);
  bool covered = text == k3::exprText(first);
  for (const auto &other : known.max_of)
    covered |= text == k3::exprText(*other);
  if (!covered)
    known.max_of.push_back(std::move(bytes));
  return it->second;
}

FailureOr<uint32_t> ViewWriter::buffer(Operation *op) {
  if (auto io = dyn_cast<IoOp>(op)) {
    AffineExpr bytes = getAffineConstantExpr(io.getView().getType().getElementBytes(), op->getContext());
    for (AffineExpr extent : io.getDims().getResults())
      bytes = bytes * extent;
    FailureOr<std::unique_ptr<fb::ExprT>> size = expr(op, bytes);
    if (failed(size))
      return failure();
    return bufferOf(fb::Space::Io, io.getName(), std::move(*size));
  }
  if (auto bufferOp = dyn_cast<BufferOp>(op)) {
    FailureOr<std::unique_ptr<fb::ExprT>> size = expr(op, bufferOp.getBytes().getResult(0));
    if (failed(size))
      return failure();
    return bufferOf(static_cast<fb::Space>(bufferOp.getSpace()), bufferOp.getName(), std::move(*size));
  }
  if (auto packedOp = dyn_cast<PackedOp>(op))
    if (std::optional<uint32_t> index = find(packed, packedOp.getSymbol()))
      return package.packed[*index]->buffer;
  if (auto state = dyn_cast<StateOp>(op))
    if (std::optional<uint32_t> index = find(states, state.getSymbol()))
      return package.states[*index]->buffer;
  if (isa<TensorOp>(op))
    return op->emitOpError("has no place yet; run k3-exec-assign-arena first");
  return op->emitOpError("names memory that the package does not describe");
}

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

FailureOr<std::vector<std::unique_ptr<fb::DimT>>> ViewWriter::dims(Operation *op, AffineMap map) {
  std::vector<std::unique_ptr<fb::DimT>> result;
  for (AffineExpr extent : map.getResults()) {
    FailureOr<std::unique_ptr<fb::ExprT>> size = expr(op, extent);
    if (failed(size))
      return failure();
    result.push_back(std::make_unique<fb::DimT>());
    result.back()->size = std::move(*size);
  }
  return result;
}

FailureOr<std::unique_ptr<fb::ViewT>> ViewWriter::view(Value value) {
  Operation *op = value.getDefiningOp();
  auto result = std::make_unique<fb::ViewT>();
  result->dtype = toDType(cast<ViewType>(value.getType()).getElementType());
  if (result->dtype == fb::DType::None)
    return op->emitOpError("has elements of ")
           << cast<ViewType>(value.getType()).getElementType() << ", which packages do not know";
  AffineMap extents = getViewDims(value);
  FailureOr<std::vector<std::unique_ptr<fb::DimT>>> sizes = dims(op, extents);
  if (failed(sizes))
    return failure();
  result->dims = std::move(*sizes);
  int64_t stride = 1;
  for (size_t i = result->dims.size(); i-- > 0;) {
    result->strides.push_back(
        constantExpr(i == 0 && result->dims.size() > 1 ? *getRowStride(value) : stride));
    if (i > 0)
      stride *= cast<AffineConstantExpr>(extents.getResult(i)).getValue();
  }
  std::reverse(result->strides.begin(), result->strides.end());

  AffineExpr offset = getAffineConstantExpr(0, value.getContext());
  Operation *root = op;
  std::string name;
  while (auto viewOp = dyn_cast<ViewOp>(root)) {
    offset = offset + viewOp.getOffset().getResult(0) * viewOp.getView().getType().getElementBytes();
    if (std::string own = locationName(viewOp.getLoc()); !own.empty())
      name = own; // the outermost view is the tensor
    root = viewOp.getSource().getDefiningOp();
  }
  if (auto packedOp = dyn_cast<PackedOp>(root)) {
    std::optional<uint32_t> index = find(packed, packedOp.getSymbol());
    if (!index)
      return packedOp.emitOpError("names memory that the package does not describe");
    offset = offset + static_cast<int64_t>(package.packed[*index]->offset);
    if (packedOp.getMember())
      offset =
          offset + packedOp.getMember()->getResult(0) * static_cast<int64_t>(package.packed[*index]->stride);
    name = packedOp.getSymbol().str();
  } else if (auto state = dyn_cast<StateOp>(root)) {
    if (std::optional<uint32_t> index = find(states, state.getSymbol()))
      offset = offset + static_cast<int64_t>(package.states[*index]->offset);
    name = state.getSymbol().str();
  } else if (auto io = dyn_cast<IoOp>(root)) {
    name = io.getName().str();
  }
  FailureOr<std::unique_ptr<fb::ExprT>> begin = expr(op, offset);
  FailureOr<uint32_t> index = buffer(root);
  if (failed(begin) || failed(index))
    return failure();
  result->name = std::move(name);
  result->offset = std::move(*begin);
  result->buffer = *index;
  return result;
}
