//===- TileMatrix.cpp - Products on tensor cores ----------------*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Tile/TileVerify.h"

#include "lib/Layout/Descriptor.h"
#include "lib/Layout/Mma.h"
#include "lib/Layout/Named.h"

using namespace mlir;
using namespace k3;
using namespace k3::tile;

static bool isHalf(Type type) { return type.isBF16() || type.isF16(); }

/// An operand in shared memory has a descriptor, and starts where the descriptor may.
static LogicalResult checkDescriptor(Operation *op, Value operand, bool transposed, int64_t rows,
                                     StringRef name) {
  auto shared = cast<SharedType>(operand.getType());
  if (failed(checkOneStage(op, shared)))
    return failure();
  int64_t alignment = addressAlignment(operand);
  Proofs::Key key = {Proofs::Descriptor, keyOf(shared.getLayout()), transposed, static_cast<uintptr_t>(rows),
                     static_cast<uintptr_t>(alignment)};
  Status status = Proofs::once(op->getContext(), key, [&]() -> Status {
    K3_ASSIGN(auto encoding, layout::encodeOperand(shared.getLayout().getLayout(), transposed ? 0 : 1,
                                                   static_cast<int32_t>(rows)));
    if (alignment % encoding.alignment == 0)
      return Status::success();
    return unsupported("it starts at a multiple of " + std::to_string(alignment) +
                       " bytes, its descriptor needs " + std::to_string(encoding.alignment));
  });
  return status.ok() ? success() : refuse(op, status, ("operand " + name + ": ").str());
}

LogicalResult WgmmaOp::verify() {
  auto sharedA = dyn_cast<SharedType>(getA().getType());
  auto tileA = dyn_cast<RankedTensorType>(getA().getType());
  SharedType b = getB().getType();
  ArrayRef<int64_t> shapeA = sharedA ? sharedA.getShape() : tileA.getShape(), shapeB = b.getShape();
  Type element = sharedA ? sharedA.getElementType() : tileA.getElementType();
  if (shapeA.size() != 2 || shapeB.size() != 2)
    return emitOpError("operands have two dimensions");
  if (!isHalf(element) || element != b.getElementType())
    return emitOpError() << "multiplies bf16 or f16, both operands alike, not " << element << " and "
                         << b.getElementType();
  if (tileA && getTransA())
    return emitOpError("trans_a is for an operand in shared memory");
  int64_t m = shapeA[getTransA() ? 1 : 0], k = shapeA[getTransA() ? 0 : 1];
  int64_t n = shapeB[getTransB() ? 1 : 0], kOfB = shapeB[getTransB() ? 0 : 1];
  if (k != kOfB || k % 16 != 0)
    return emitOpError() << "k is " << k << " in A and " << kOfB << " in B, must be the same multiple of 16";
  if (m != 64 || n < 8 || n > 256 || n % 8 != 0)
    return emitOpError() << "is " << m << " rows by " << n
                         << " columns, must be 64 by a multiple of 8 up to 256";
  RankedTensorType result = getResult().getType().getTile();
  if (result != tileType(*layout::acc(static_cast<int32_t>(n)), Float32Type::get(getContext())))
    return emitOpError() << "the result is a pending 64 x " << n << " f32 tile of layout acc " << n
                         << ", not " << result;
  if (Value acc = getAcc()) {
    auto pending = dyn_cast<PendingType>(acc.getType());
    if ((pending ? Type(pending.getTile()) : acc.getType()) != result)
      return emitOpError() << "the accumulator " << acc.getType() << " is another tile than the result "
                           << result;
  }
  if (tileA && !(layoutOf(tileA) == *layout::wgA(static_cast<int32_t>(k))))
    return emitOpError() << "operand A in registers has layout wg_a " << k << ", not " << layoutAttr(tileA);
  if (sharedA && failed(checkDescriptor(*this, getA(), getTransA(), m, "A")))
    return failure();
  return checkDescriptor(*this, getB(), getTransB(), n, "B");
}

void WgmmaOp::getAccesses(SmallVectorImpl<MemoryAccess> &accesses) {
  for (Value operand : {getA(), Value(getB())})
    if (isa<SharedType>(operand.getType()))
      accesses.push_back({operand, /*write=*/false, Proxy::Async, Completion::WgmmaGroup});
}

LogicalResult WgmmaWaitOp::verify() {
  int64_t pending = getPending();
  if (pending < 0 || pending > 7)
    return emitOpError() << "leaves " << pending << " groups in flight, must be 0 to 7";
  if (getValues().size() != getResults().size())
    return emitOpError() << "yields " << getResults().size() << " tiles of " << getValues().size()
                         << " in flight";
  for (auto [value, result] : llvm::zip(getValues(), getResults()))
    if (cast<PendingType>(value.getType()).getTile() != result.getType())
      return emitOpError() << "yields " << result.getType() << " of " << value.getType();
  return success();
}

/// Every warp sums over all of k, since the result says that warps with the same rows and columns hold the
/// same.
static LogicalResult checkOneWarpK(Operation *op, const layout::RegLayout &operand, StringRef name) {
  for (int32_t w = 1; w < operand.numWarps(); ++w)
    if (int32_t k = operand.apply({0, 0, w})[1])
      return op->emitOpError() << "k runs across warps in " << name << " (warp " << w << " starts at k " << k
                               << "): give each warp a tile of its own and add them by tile.reduce";
  return success();
}

LogicalResult MmaOp::verify() {
  auto a = cast<RankedTensorType>(getA().getType()), b = cast<RankedTensorType>(getB().getType());
  auto c = cast<RankedTensorType>(getC().getType());
  if (!isHalf(a.getElementType()) || a.getElementType() != b.getElementType() || !c.getElementType().isF32())
    return emitOpError() << "multiplies bf16 or f16, both operands alike, into f32, not "
                         << a.getElementType() << " and " << b.getElementType() << " into "
                         << c.getElementType();
  if (a.getRank() != 2 || b.getRank() != 2 || c.getRank() != 2)
    return emitOpError("operands have two dimensions");
  if (a.getShape()[1] != b.getShape()[1] || a.getShape()[0] != c.getShape()[0] ||
      b.getShape()[0] != c.getShape()[1])
    return emitOpError() << "a [m, k] is " << shapeText(a.getShape()) << ", b [n, k] is "
                         << shapeText(b.getShape()) << ", c [m, n] is " << shapeText(c.getShape());
  if (a.getShape()[0] % 16 != 0 || b.getShape()[0] % 8 != 0 || a.getShape()[1] % 16 != 0)
    return emitOpError() << "m, n, k are " << a.getShape()[0] << ", " << b.getShape()[0] << ", "
                         << a.getShape()[1] << ", must be multiples of 16, 8, 16";
  if (failed(checkOneWarpK(*this, layoutOf(a), "a")) || failed(checkOneWarpK(*this, layoutOf(b), "b")))
    return failure();
  Status status = layout::checkMma(layoutOf(a), layoutOf(b), layoutOf(c), 16);
  return status.ok() ? success() : refuse(*this, status);
}
