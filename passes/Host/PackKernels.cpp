//===- PackKernels.cpp - Packed values, computed element by element -------===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A packed value is a small expression over checkpoint weights. Its kernel pulls: for every element of the result it
// asks the expression, which maps indices back to a staged weight. Runs once at load.
//
//===----------------------------------------------------------------------===//

#include "dialects/K3/K3Utils.h"
#include "passes/Host/HostProgram.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "lib/Support/Hash.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace k3::host {

namespace {

/// Shape of the elements (part 0) or scales (part 1) of an MX value, in bytes; of a tensor its own shape.
SmallVector<int64_t> partShape(Type type, int part) {
  auto mx = dyn_cast<MxType>(type);
  if (!mx)
    return SmallVector<int64_t>(cast<RankedTensorType>(type).getShape());
  SmallVector<int64_t> shape(mx.getShape());
  int64_t rows = shape[0];
  shape.back() = (part == 0 ? mx.getElementBytes() : mx.getScaleBytes()) / rows;
  return shape;
}

Type partElement(Type type, MLIRContext *context) {
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    return tensor.getElementType();
  return IntegerType::get(context, 8);
}

/// Emits the elements of packing values.
class Pull {
public:
  Pull(KernelBuilder &k, int part) : b(k.b), loc(k.loc), part(part) {}

  void bind(Value source, Value buffer) { staged[source] = buffer; }

  Value element(Value value, SmallVector<Value> at) {
    return TypeSwitch<Operation *, Value>(value.getDefiningOp())
        .Case([&](GetOp) -> Value { return memref::LoadOp::create(b, loc, staged.lookup(value), at); })
        .Case([&](CastOp op) { return convert(element(op.getInput(), at), elementOf(value)); })
        .Case([&](arith::MulFOp op) -> Value {
          Value lhs = element(op.getLhs(), at), rhs = element(op.getRhs(), at);
          return arith::MulFOp::create(b, loc, lhs, rhs);
        })
        .Case([&](ReshapeOp op) { return element(op.getInput(), reshaped(at, shapeOf(value), shapeOf(op.getInput()))); })
        .Case([&](SliceOp op) {
          at[op.getDim()] = add(at[op.getDim()], op.getOffset());
          return element(op.getInput(), at);
        })
        .Case([&](TransposeOp op) {
          SmallVector<Value> from(at.size());
          for (auto [to, dim] : llvm::enumerate(op.getPermutation()))
            from[dim] = at[to];
          return element(op.getInput(), from);
        })
        .Case([&](PadOp op) {
          return either(below(at[op.getDim()], shapeOf(op.getInput())[op.getDim()]), elementOf(value),
                        [&] { return element(op.getInput(), at); }, [&] { return zero(elementOf(value)); });
        })
        .Case([&](ConcatOp op) { return concat(op, op.getInputs(), at); })
        .Case([&](InterleaveOp op) { return interleave(op, at); });
  }

private:
  SmallVector<int64_t> shapeOf(Value value) const { return partShape(value.getType(), part); }
  Type elementOf(Value value) const { return partElement(value.getType(), b.getContext()); }
  Value index(int64_t value) { return arith::ConstantIndexOp::create(b, loc, value); }
  Value add(Value a, int64_t by) { return by ? Value(arith::AddIOp::create(b, loc, a, index(by))) : a; }
  Value below(Value a, int64_t limit) {
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, a, index(limit));
  }
  Value zero(Type type) { return arith::ConstantOp::create(b, loc, b.getZeroAttr(type)); }

  Value convert(Value value, Type to) {
    Type from = value.getType();
    if (from == to)
      return value;
    // Between two 16-bit formats by way of f32, which holds both.
    if (from.getIntOrFloatBitWidth() < 32) {
      value = arith::ExtFOp::create(b, loc, b.getF32Type(), value);
      return convert(value, to);
    }
    return arith::TruncFOp::create(b, loc, to, value);
  }

  template <typename Then, typename Else>
  Value either(Value condition, Type type, Then then, Else otherwise) {
    auto branch = scf::IfOp::create(b, loc, type, condition, /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.thenBlock());
    scf::YieldOp::create(b, loc, then());
    b.setInsertionPointToStart(branch.elseBlock());
    scf::YieldOp::create(b, loc, otherwise());
    return branch.getResult(0);
  }

  /// The parts one after another: the first whose extent reaches the index.
  Value concat(ConcatOp op, ValueRange parts, SmallVector<Value> at) {
    int64_t extent = shapeOf(parts.front())[op.getDim()];
    if (parts.size() == 1)
      return element(parts.front(), at);
    return either(below(at[op.getDim()], extent), elementOf(op.getResult()), [&] { return element(parts.front(), at); },
                  [&] {
                    SmallVector<Value> rest = at;
                    rest[op.getDim()] = add(at[op.getDim()], -extent);
                    return concat(op, parts.drop_front(), rest);
                  });
  }

  Value interleave(InterleaveOp op, SmallVector<Value> at) {
    int64_t group = op.getGroup();
    Value pair = arith::DivUIOp::create(b, loc, at[0], index(2 * group));
    Value within = arith::RemUIOp::create(b, loc, at[0], index(2 * group));
    Value base = arith::MulIOp::create(b, loc, pair, index(group));
    return either(below(within, group), elementOf(op.getResult()),
                  [&] {
                    at[0] = arith::AddIOp::create(b, loc, base, within);
                    return element(op.getFirst(), at);
                  },
                  [&] {
                    at[0] = add(arith::AddIOp::create(b, loc, base, within), -group);
                    return element(op.getSecond(), at);
                  });
  }

  /// Indices of the same row-major position in another shape.
  SmallVector<Value> reshaped(ArrayRef<Value> at, ArrayRef<int64_t> from, ArrayRef<int64_t> to) {
    Value linear = at[0];
    for (size_t i = 1; i < from.size(); ++i)
      linear = arith::AddIOp::create(b, loc, arith::MulIOp::create(b, loc, linear, index(from[i])), at[i]);
    SmallVector<Value> result(to.size());
    for (size_t i = to.size(); i-- > 0;) {
      result[i] = i ? Value(arith::RemUIOp::create(b, loc, linear, index(to[i]))) : linear;
      if (i)
        linear = arith::DivUIOp::create(b, loc, linear, index(to[i]));
    }
    return result;
  }

  OpBuilder &b;
  Location loc;
  int part;
  llvm::DenseMap<Value, Value> staged;
};

/// Text of the expression: the same text is the same kernel.
void describe(Value value, llvm::raw_ostream &os) {
  Operation *op = value.getDefiningOp();
  os << op->getName() << " " << value.getType();
  if (auto get = dyn_cast<GetOp>(op)) {
    os << ";";
    return;
  }
  os << op->getAttrDictionary() << "(";
  for (Value operand : op->getOperands())
    describe(operand, os);
  os << ")";
}

} // namespace

HostKernel buildPackKernel(KernelModule &kernels, Value value, ArrayRef<GetOp> sources, int part) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << part << " ";
  describe(value, os);
  std::string symbol = "pack_" + llvm::utohexstr(hash64(text), /*LowerCase=*/true);
  return kernels.kernel(symbol, /*grain=*/16, [&](KernelBuilder &k) {
    Pull pull(k, part);
    for (size_t number = 0; number < sources.size(); ++number) {
      GetOp source = sources[number];
      SmallVector<int64_t> shape = partShape(source.getType(), part);
      View buffer = k.buffer("w" + std::to_string(number), Access::Read, ArrayRef(shape).drop_front(),
                             partElement(source.getType(), k.b.getContext()));
      pull.bind(source.getValue(), buffer.buffer);
    }
    SmallVector<int64_t> shape = partShape(value.getType(), part);
    View out = k.buffer("packed", Access::Write, ArrayRef(shape).drop_front(), partElement(value.getType(), k.b.getContext()));
    k.grid([&](Index row) {
      // One loop a dimension behind the rows.
      SmallVector<Value> at{row.v};
      auto nest = [&](auto &self) -> void {
        if (at.size() == shape.size()) {
          memref::StoreOp::create(k.b, k.loc, pull.element(value, at), out.buffer, at);
          return;
        }
        k.forRange(0, shape[at.size()], [&](Index i) {
          at.push_back(i.v);
          self(self);
          at.pop_back();
        });
      };
      nest(nest);
    });
  });
}

} // namespace k3::host
