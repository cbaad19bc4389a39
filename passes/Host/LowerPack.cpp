//===- LowerPack.cpp - @pack becomes fetches and launches -----------------===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/K3/K3Names.h"
#include "dialects/K3/K3Utils.h"
#include "passes/Host/HostProgram.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace k3::host {

namespace {

using exec::LaunchSymbol;

/// Lowers the values of @pack one after another: fetch the checkpoint weights it reads into staging memory, then run
/// its kernel into the packed weight. A family does so for every member.
class PackLowering {
public:
  PackLowering(func::FuncOp function, exec::ProgramOp program, KernelModule &kernels, ModuleOp module)
      : function(function), p(program, kernels, module) {
    measure();
    staging = exec::BufferOp::create(p.b, p.loc, exec::BufferType::get(p.b.getContext()), exec::Space::Staging, "staging",
                                     p.map({p.constant(stagingBytes * kStagingSlots)}));
  }

  LogicalResult run() {
    for (auto store : function.getOps<StorePackedOp>()) {
      p.loc = store.getLoc();
      auto packed = p.symbols.lookup<k3::PackedOp>(store.getPacked());
      if (!packed.getMembers()) {
        if (failed(pack(store, packed, p.constant(0))))
          return failure();
        continue;
      }
      auto members = exec::MembersOp::create(p.b, p.loc, int64_t(*packed.getMembers()), kStagingSlots);
      OpBuilder::InsertionGuard guard(p.b);
      if (members.getBody().empty())
        members.getBody().emplaceBlock();
      p.b.setInsertionPointToStart(&members.getBody().front());
      if (failed(pack(store, packed, p.symbol(LaunchSymbol::Slot))))
        return failure();
    }
    return success();
  }

private:
  /// Members of a family alternate between two halves, so that the next fetch overlaps the kernel.
  static constexpr int64_t kStagingSlots = 2;

  /// The parts of a checkpoint weight: suffix, shape, element.
  struct Part {
    StringRef suffix;
    SmallVector<int64_t> shape;
    Type element;
    int64_t bytes() const { return llvm::product_of(shape) * element.getIntOrFloatBitWidth() / 8; }
  };
  SmallVector<Part> partsOf(Type type) const {
    Builder b(type.getContext());
    if (auto mx = dyn_cast<MxType>(type)) {
      int64_t rows = mx.getShape()[0];
      return {{".weight_packed", {rows, mx.getElementBytes() / rows}, b.getI8Type()},
              {".weight_scale", {rows, mx.getScaleBytes() / rows}, b.getI8Type()}};
    }
    auto tensor = cast<RankedTensorType>(type);
    return {{"", SmallVector<int64_t>(tensor.getShape()), tensor.getElementType()}};
  }

  /// The weights that a value reads, in the order in which its kernel takes them.
  static SmallVector<GetOp> sourcesOf(Value value) {
    llvm::SetVector<Operation *> ops;
    auto visit = [&](auto &self, Value v) -> void {
      Operation *op = v.getDefiningOp();
      if (isa<GetOp>(op))
        ops.insert(op);
      for (Value operand : op->getOperands())
        self(self, operand);
    };
    visit(visit, value);
    return llvm::map_to_vector(ops, [](Operation *op) { return cast<GetOp>(op); });
  }

  static int64_t aligned(int64_t bytes) { return llvm::alignTo(bytes, 64); }

  /// Staging memory of the largest value.
  void measure() {
    for (auto store : function.getOps<StorePackedOp>()) {
      int64_t bytes = 0;
      for (GetOp source : sourcesOf(store.getValue()))
        for (const Part &part : partsOf(source.getType()))
          bytes += aligned(part.bytes());
      stagingBytes = std::max(stagingBytes, bytes);
    }
  }

  AffineMap dims(ArrayRef<int64_t> shape) const {
    return p.map(llvm::map_to_vector(shape, [&](int64_t extent) { return p.constant(extent); }));
  }

  LogicalResult pack(StorePackedOp store, k3::PackedOp packed, AffineExpr slot) {
    Value value = store.getValue();
    SmallVector<GetOp> sources = sourcesOf(value);
    // Views of each part (elements, scales) of every source.
    SmallVector<SmallVector<Value>> staged(2);
    int64_t offset = 0;
    for (GetOp source : sources) {
      for (auto [number, part] : llvm::enumerate(partsOf(source.getType()))) {
        int64_t element = part.element.getIntOrFloatBitWidth() / 8;
        AffineExpr at = slot * (stagingBytes / element) + offset / element;
        Value view = exec::ViewOp::create(p.b, p.loc, staging, p.map({at}), dims(part.shape), part.element);
        exec::FetchOp::create(p.b, p.loc, source.getWeight(), part.suffix, view);
        staged[number].push_back(view);
        offset += aligned(part.bytes());
      }
    }
    SmallVector<Part> results = partsOf(value.getType());
    int64_t column = 0;
    for (auto [number, part] : llvm::enumerate(results)) {
      Value target = targetOf(packed, part.shape, part.element, column);
      column += part.bytes();
      SmallVector<Value> views = staged[number];
      views.push_back(target);
      p.launch(buildPackKernel(p.kernels, value, sources, number), views, p.constant(part.shape[0]));
    }
    return success();
  }

  /// Where the value goes: the packed weight or its current member, from byte `offset` on.
  Value targetOf(k3::PackedOp packed, ArrayRef<int64_t> shape, Type element, int64_t offset) {
    int64_t bytes = element.getIntOrFloatBitWidth() / 8;
    auto mx = dyn_cast<MxType>(packed.getType());
    SmallVector<int64_t> whole = mx ? SmallVector<int64_t>{mxBytes(mx)} : SmallVector<int64_t>(shape);
    AffineMap member = packed.getMembers() ? p.map({p.symbol(LaunchSymbol::Member)}) : AffineMap();
    Value all = exec::PackedOp::create(p.b, p.loc, exec::ViewType::get(p.b.getContext(), element), packed.getSymName(),
                                       member ? AffineMapAttr::get(member) : AffineMapAttr(), dims(whole));
    if (!mx)
      return all;
    return exec::ViewOp::create(p.b, p.loc, all, p.map({p.constant(offset / bytes)}), dims(shape), element);
  }

  func::FuncOp function;
  HostProgram p;
  Value staging;
  int64_t stagingBytes = 64;
};

} // namespace

LogicalResult lowerPack(func::FuncOp function, exec::ProgramOp program, KernelModule &kernels, ModuleOp module) {
  return PackLowering(function, program, kernels, module).run();
}

} // namespace k3::host
