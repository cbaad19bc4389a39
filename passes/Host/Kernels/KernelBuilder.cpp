//===- KernelBuilder.cpp - Buffers, loops and reductions of a kernel -------===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/Host/Kernels/KernelBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/StringExtras.h"

#include <cmath>

using namespace mlir;

namespace k3::host {

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

// Arguments are the buffers, then scratch, begin, end.
KernelBuilder::KernelBuilder(func::FuncOp function)
    : b(function.getContext()), loc(function.getLoc()), function(function) {
  b.setInsertionPointToStart(&function.getBody().front());
}

View KernelBuilder::argument(StringRef name, Access kind, MemRefType type) {
  auto attributes = DictionaryAttr::get(b.getContext(), b.getNamedAttr("k3.name", b.getStringAttr(name)));
  (void)function.insertArgument(buffers, type, attributes, loc);
  access.push_back(char(kind));
  return {this, function.getArgument(buffers++)};
}

View KernelBuilder::buffer(StringRef name, Access kind, ArrayRef<int64_t> inner, Element element) {
  Type type = element == Element::F32   ? Type(b.getF32Type())
              : element == Element::I32 ? Type(b.getI32Type())
                                        : Type(b.getI8Type());
  return buffer(name, kind, inner, type);
}

View KernelBuilder::buffer(StringRef name, Access kind, ArrayRef<int64_t> inner, Type type) {
  SmallVector<int64_t> shape{ShapedType::kDynamic}, strides(inner.size() + 1, 1);
  for (int64_t extent : inner)
    shape.push_back(extent < 0 ? ShapedType::kDynamic : extent);
  for (size_t i = inner.size(); i > 1; --i)
    strides[i - 1] = strides[i] * shape[i];
  strides[0] = ShapedType::kDynamic;
  return argument(
      name, kind,
      MemRefType::get(shape, type, StridedLayoutAttr::get(b.getContext(), /*offset=*/0, strides)));
}

View KernelBuilder::weight(StringRef name, int64_t n) {
  return argument(name, Access::Read, MemRefType::get({n}, b.getF32Type()));
}

// One dimension: contiguous, so that rows is all that the table adds.
View KernelBuilder::integers(StringRef name, Access kind) {
  return argument(name, kind, MemRefType::get({ShapedType::kDynamic}, b.getI32Type()));
}

View KernelBuilder::integerTable(StringRef name, Access kind) {
  return buffer(name, kind, {-1}, Element::I32);
}

View KernelBuilder::scratch(ArrayRef<int64_t> shape) {
  auto type = MemRefType::get(shape, b.getF32Type());
  Value shift = index(scratchBytes).v;
  Value base = function.getArgument(buffers);
  scratchBytes += llvm::alignTo(type.getNumElements() * 4, 64);
  return {this, memref::ViewOp::create(b, loc, type, base, shift, ValueRange{})};
}

void KernelBuilder::grid(function_ref<void(Index)> body) {
  Index begin{{this, function.getArgument(buffers + 1)}}, end{{this, function.getArgument(buffers + 2)}};
  forRange(begin, end, body);
}

//===----------------------------------------------------------------------===//
// Values and control flow
//===----------------------------------------------------------------------===//

Index KernelBuilder::index(int64_t value) {
  return Index{{this, arith::ConstantIndexOp::create(b, loc, value).getResult()}};
}
F KernelBuilder::constant(float value) {
  return F{{this, arith::ConstantOp::create(b, loc, b.getF32FloatAttr(value)).getResult()}};
}
F KernelBuilder::splat(F value) {
  if (isa<VectorType>(value.v.getType()))
    return value;
  auto type = VectorType::get({lanes}, b.getF32Type());
  if (auto constant = value.v.getDefiningOp<arith::ConstantOp>())
    return F{{this, arith::ConstantOp::create(b, loc, DenseElementsAttr::get(type, constant.getValue()))}};
  return F{{this, vector::BroadcastOp::create(b, loc, type, value.v)}};
}
F KernelBuilder::like(F shape, float value) {
  F scalar = constant(value);
  return isa<VectorType>(shape.v.getType()) ? splat(scalar) : scalar;
}

void KernelBuilder::forRange(Index lo, Index hi, function_ref<void(Index)> body, int64_t step) {
  auto loop = scf::ForOp::create(b, loc, lo.v, hi.v, index(step).v);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  body(Index{{this, loop.getInductionVar()}});
}
void KernelBuilder::forRange(int64_t lo, int64_t hi, function_ref<void(Index)> body, int64_t step) {
  forRange(index(lo), index(hi), body, step);
}

void KernelBuilder::forLanes(int64_t n, function_ref<void(Lane)> body) {
  int64_t whole = n - n % lanes;
  if (whole)
    forRange(
        0, whole,
        [&](Index c) {
          body({c, lanes});
        },
        lanes);
  if (whole < n)
    forRange(whole, n, [&](Index c) { body({c, 1}); });
}
void KernelBuilder::forLanes(Index n, function_ref<void(Lane)> body) {
  Index whole = n - n % lanes;
  forRange(
      index(0), whole,
      [&](Index c) {
        body({c, lanes});
      },
      lanes);
  forRange(whole, n, [&](Index c) { body({c, 1}); });
}

KernelBuilder::Carried KernelBuilder::fold(Index lo, Index hi, Carried init,
                                           function_ref<Carried(Index, const Carried &)> body, int64_t step) {
  SmallVector<Value> values;
  for (F value : init)
    values.push_back(value.v);
  auto loop = scf::ForOp::create(b, loc, lo.v, hi.v, index(step).v, values);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    Carried carried;
    for (Value value : loop.getRegionIterArgs())
      carried.push_back(F{{this, value}});
    SmallVector<Value> next;
    for (F value : body(Index{{this, loop.getInductionVar()}}, carried))
      next.push_back(value.v);
    scf::YieldOp::create(b, loc, next);
  }
  Carried results;
  for (Value value : loop.getResults())
    results.push_back(F{{this, value}});
  return results;
}

F KernelBuilder::fold(Index lo, Index hi, F init, function_ref<F(Index, F)> body) {
  return fold(lo, hi, Carried{init},
              [&](Index i, const Carried &acc) { return Carried{body(i, acc[0])}; })[0];
}

Index KernelBuilder::foldIndex(Index lo, Index hi, Index init, function_ref<Index(Index, Index)> body) {
  auto result = fold(lo, hi, Carried{F{{this, init.v}}}, [&](Index i, const Carried &acc) {
    return Carried{F{{this, body(i, Index{{this, acc[0].v}}).v}}};
  });
  return Index{{this, result[0].v}};
}

void KernelBuilder::whileBelow(Index init, Index end, function_ref<Index(Index)> body) {
  scf::WhileOp::create(
      b, loc, TypeRange{init.v.getType()}, ValueRange{init.v},
      [&](OpBuilder &inner, Location, ValueRange args) {
        OpBuilder::InsertionGuard guard(b);
        b.setInsertionPoint(inner.getInsertionBlock(), inner.getInsertionPoint());
        Bool more = Index{{this, args[0]}} < end;
        scf::ConditionOp::create(b, loc, more.v, args);
      },
      [&](OpBuilder &inner, Location, ValueRange args) {
        OpBuilder::InsertionGuard guard(b);
        b.setInsertionPoint(inner.getInsertionBlock(), inner.getInsertionPoint());
        Index next = body(Index{{this, args[0]}});
        scf::YieldOp::create(b, loc, next.v);
      });
}

void KernelBuilder::when(Bool condition, function_ref<void()> then, function_ref<void()> otherwise) {
  auto branch = scf::IfOp::create(b, loc, condition.v, /*withElseRegion=*/bool(otherwise));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  then();
  if (otherwise) {
    b.setInsertionPointToStart(branch.elseBlock());
    otherwise();
  }
}

Index KernelBuilder::choose(Bool condition, function_ref<Index()> then, function_ref<Index()> otherwise) {
  auto branch = scf::IfOp::create(b, loc, TypeRange{b.getIndexType()}, condition.v, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  scf::YieldOp::create(b, loc, then().v);
  b.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(b, loc, otherwise().v);
  return Index{{this, branch.getResult(0)}};
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

F KernelBuilder::addLanes(F value) {
  if (!isa<VectorType>(value.v.getType()))
    return value;
  SmallVector<F> parts;
  for (int64_t i = 0; i < lanes; ++i)
    parts.push_back(F{{this, vector::ExtractOp::create(b, loc, value.v, i)}});
  // Halves: (0+4)+(2+6) + (1+5)+(3+7).
  for (size_t half = lanes / 2; half; half /= 2)
    for (size_t i = 0; i < half; ++i)
      parts[i] = parts[i] + parts[i + half];
  return parts[0];
}

KernelBuilder::Carried KernelBuilder::reduce(int64_t n, size_t count,
                                             function_ref<Carried(Lane, const Carried &)> term) {
  int64_t whole = n - n % lanes;
  Carried sums(count, constant(0));
  if (whole) {
    Carried wide(count, splat(constant(0)));
    wide = fold(
        index(0), index(whole), wide,
        [&](Index c, const Carried &acc) {
          return term({c, lanes}, acc);
        },
        lanes);
    for (size_t i = 0; i < count; ++i)
      sums[i] = addLanes(wide[i]);
  }
  if (whole < n)
    sums = fold(index(whole), index(n), sums, [&](Index c, const Carried &acc) { return term({c, 1}, acc); });
  return sums;
}

F KernelBuilder::dot(const Row &x, const Row &y, int64_t n) {
  return reduce(n, 1, [&](Lane c, const Carried &acc) { return Carried{fma(x[c], y[c], acc[0])}; })[0];
}
F KernelBuilder::sumSquares(const Row &x, int64_t n) {
  return reduce(n, 1, [&](Lane c, const Carried &acc) {
    F value = x[c];
    return Carried{fma(value, value, acc[0])};
  })[0];
}
F KernelBuilder::rowMax(const Row &x, Index n) {
  return fold(index(0), n, constant(-INFINITY), [&](Index c, F best) { return maxOf(x[c], best); });
}

void KernelBuilder::scatter(Lane c, F value, function_ref<void(Index, F)> store) {
  if (c.width == 1)
    return store(c.index, value);
  for (int64_t i = 0; i < c.width; ++i)
    store(c.index + i, F{{this, vector::ExtractOp::create(b, loc, value.v, i)}});
}

void KernelBuilder::fill(const Row &row, int64_t n, float value) {
  forLanes(n, [&](Lane c) { row.set(c, constant(value)); });
}
void KernelBuilder::copy(const Row &source, const Row &target, int64_t n) {
  forLanes(n, [&](Lane c) { target.set(c, source[c]); });
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// `tileRows` rows by `vectors` vectors (0: one scalar column) at a time over [firstColumn, endColumn): the
/// accumulators of a tile stay in registers over the whole depth.
void KernelBuilder::productTile(const Product &p, Index row, int64_t tileRows, int64_t firstColumn,
                                int64_t endColumn, int64_t vectors) {
  int64_t width = vectors ? lanes : 1, count = std::max<int64_t>(vectors, 1);
  SmallVector<Row> a;
  for (int64_t i = 0; i < tileRows; ++i)
    a.push_back(p.a(row + i));
  forRange(
      firstColumn, endColumn,
      [&](Index column) {
        auto lane = [&](int64_t j) { return Lane{column + j * lanes, width}; };
        Carried acc;
        for (int64_t i = 0; i < tileRows; ++i)
          for (int64_t j = 0; j < count; ++j) {
            F start = p.init ? p.init(row + i, lane(j)) : constant(0);
            acc.push_back(vectors ? splat(start) : start);
          }
        acc = fold(index(0), p.depth, acc, [&](Index d, const Carried &sums) {
          Row right = p.b(d);
          SmallVector<F> columns;
          for (int64_t j = 0; j < count; ++j)
            columns.push_back(right[lane(j)]);
          Carried next;
          for (int64_t i = 0; i < tileRows; ++i) {
            F left = a[i][d];
            for (int64_t j = 0; j < count; ++j)
              next.push_back(fma(left, columns[j], sums[i * count + j]));
          }
          return next;
        });
        for (int64_t i = 0; i < tileRows; ++i)
          for (int64_t j = 0; j < count; ++j)
            p.emit(row + i, lane(j), acc[i * count + j]);
      },
      width * count);
}

void KernelBuilder::product(const Product &p) {
  auto rowTile = [&](Index row, int64_t tileRows, int64_t widest) {
    int64_t column = 0;
    for (int64_t vectors = widest; vectors; vectors /= 2) {
      int64_t end = column + (p.columns - column) / (vectors * lanes) * (vectors * lanes);
      if (column < end)
        productTile(p, row, tileRows, column, end, vectors);
      column = end;
    }
    if (column < p.columns)
      productTile(p, row, tileRows, column, p.columns, 0);
  };
  Index whole = p.rows - p.rows % 4;
  forRange(
      index(0), whole, [&](Index row) { rowTile(row, 4, 2); }, 4);
  forRange(whole, p.rows, [&](Index row) { rowTile(row, 1, 4); });
}

//===----------------------------------------------------------------------===//
// The module
//===----------------------------------------------------------------------===//

void KernelModule::loadDialects(MLIRContext &context) {
  context.loadDialect<arith::ArithDialect, func::FuncDialect, math::MathDialect, memref::MemRefDialect,
                      scf::SCFDialect, vector::VectorDialect>();
}

KernelModule::KernelModule(MLIRContext *context) {
  loadDialects(*context);
  owned = ModuleOp::create(UnknownLoc::get(context));
}

HostKernel KernelModule::kernel(const std::string &symbol, int64_t grain,
                                function_ref<void(KernelBuilder &)> body) {
  auto [entry, isNew] = built.try_emplace(symbol);
  if (!isNew)
    return entry->second;
  MLIRContext *context = owned->getContext();
  OpBuilder b(context);
  b.setInsertionPointToEnd(owned->getBody());
  Location loc = NameLoc::get(b.getStringAttr(symbol));
  Type bytes = MemRefType::get({ShapedType::kDynamic}, b.getI8Type());
  auto type = b.getFunctionType({bytes, b.getIndexType(), b.getIndexType()}, {});
  auto function = func::FuncOp::create(b, loc, symbol, type);
  function.addEntryBlock();
  KernelBuilder k(function);
  body(k);
  func::ReturnOp::create(k.b, loc);
  function->setAttr("k3.grid", b.getUnitAttr());
  function->setAttr("k3.scratch", b.getI64IntegerAttr(k.scratchBytes));
  entry->second = {symbol, k.scratchBytes, grain, k.access};
  return entry->second;
}

std::string kernelSymbol(StringRef family, ArrayRef<int64_t> shape, ArrayRef<float> constants) {
  std::string symbol = family.str();
  for (int64_t extent : shape)
    symbol += "_" + std::to_string(extent);
  for (float constant : constants)
    symbol += "_" + llvm::utohexstr(llvm::bit_cast<uint32_t>(constant), /*LowerCase=*/true);
  return symbol;
}

} // namespace k3::host
