//===- Builder.cpp - Kernels: arguments, roles, control flow ----*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/Kernels/Builder.h"

#include "mlir/IR/Verifier.h"

using namespace mlir;
using namespace k3;
using namespace k3::kernels;

KernelBuilder::KernelBuilder(ModuleOp module, StringRef name, const arch::GpuTarget &target)
    : b(module.getContext()), loc(module.getLoc()), target(target) {
  f32 = b.getF32Type();
  bf16 = b.getBF16Type();
  loc = NameLoc::get(b.getStringAttr(name), module.getLoc());
  b.setInsertionPointToEnd(module.getBody());
  kernel = tile::KernelOp::create(b, loc, name, b.getFunctionType({}, {}));
  Block &entry = kernel.getBody().front();
  b.setInsertionPointToEnd(&entry);
  b.setInsertionPoint(tile::ReturnOp::create(b, loc));
}

FailureOr<BuiltKernel> KernelBuilder::finish(LaunchPlan plan) {
  SmallVector<Type> types(kernel.getBody().getArgumentTypes());
  kernel.setFunctionType(b.getFunctionType(types, {}));
  SmallVector<Attribute> attrs;
  for (NamedAttrList &list : argAttrs)
    attrs.push_back(list.getDictionary(b.getContext()));
  kernel.setArgAttrsAttr(b.getArrayAttr(attrs));
  if (failed(verify(kernel))) {
    kernel.erase();
    return failure();
  }
  plan.dependent = dependent && plan.dependent && has(arch::Feature::Pdl);
  return BuiltKernel{kernel, std::move(args), plan};
}

LogicalResult kernels::refuse(ModuleOp module, StringRef kernel, StringRef op, const arch::GpuTarget &target,
                              const Twine &why) {
  return module.emitError() << "kernel '" << kernel << "': " << op << " on " << target.info->name << ": " << why;
}

//===----------------------------------------------------------------------===//
// Arguments
//===----------------------------------------------------------------------===//

View KernelBuilder::view(unsigned operand, ArrayRef<int64_t> shape, Type element, tile::ArgRole role) {
  unsigned number = kernel.getBody().getNumArguments();
  Value argument = kernel.getBody().addArgument(tile::ViewType::get(b.getContext(), shape, element, {}), loc);
  args.push_back({KernelArg::View, operand});
  argAttrs.emplace_back().set("tile.role", tile::ArgRoleAttr::get(b.getContext(), role));
  return View{{this, argument}, number};
}

TensorMap KernelBuilder::map(View of, ArrayRef<int64_t> box, int64_t swizzle) {
  Type element = of.type().getElementType();
  Value argument = kernel.getBody().addArgument(tile::MapType::get(b.getContext(), box, element, swizzle), loc);
  args.push_back({KernelArg::Map, args[of.argument].operand});
  Attribute role = argAttrs[of.argument].get("tile.role");
  NamedAttrList &attrs = argAttrs.emplace_back();
  attrs.set("tile.describes", b.getI64IntegerAttr(of.argument));
  attrs.set("tile.role", role);
  return TensorMap{{this, argument}};
}

Scalar KernelBuilder::tokens() {
  args.push_back({KernelArg::Tokens, 0});
  argAttrs.emplace_back();
  return Scalar{{this, kernel.getBody().addArgument(b.getI32Type(), loc)}};
}

void KernelBuilder::cluster(int32_t ctas) { kernel.setCluster(SmallVector<int32_t>{ctas, 1, 1}); }

//===----------------------------------------------------------------------===//
// Prologue
//===----------------------------------------------------------------------===//

Shared KernelBuilder::alloc(StringRef name, const layout::SharedLayout &layout, Type element, int64_t stages) {
  SmallVector<int64_t> shape(layout.shape().begin(), layout.shape().end());
  auto type = tile::SharedType::get(b.getContext(), shape, element, tile::SmemAttr::get(b.getContext(), layout), stages);
  return Shared{{this, tile::AllocOp::create(b, loc, type, name)}};
}

Barrier KernelBuilder::barrier(StringRef name, int64_t slots, int64_t arrivals) {
  return Barrier{{this, tile::MbarAllocOp::create(b, loc, tile::MbarType::get(b.getContext(), slots, arrivals), name)}};
}

void KernelBuilder::roles(Body body) {
  auto op = tile::RolesOp::create(b, loc);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(&op.getBody().front());
  body();
}

void KernelBuilder::role(StringRef name, Team team, Each body) {
  auto op = tile::RoleOp::create(b, loc, name, team.instances, team.warps, team.regs);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(&op.getBody().front());
  body(Scalar{{this, op.getInstance()}});
}

void KernelBuilder::elect(Body body) {
  auto op = tile::ElectOp::create(b, loc);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(&op.getBody().front());
  body();
}

//===----------------------------------------------------------------------===//
// Control flow
//===----------------------------------------------------------------------===//

static SmallVector<Value> valuesOf(ArrayRef<Val *> carried) {
  return llvm::map_to_vector(carried, [](Val *value) { return value->v; });
}
static void set(ArrayRef<Val *> carried, ValueRange values) {
  for (auto [handle, value] : llvm::zip_equal(carried, values))
    handle->v = value;
}

void KernelBuilder::loop(Scalar from, Scalar to, Scalar step, Carried carried, Each body) {
  auto op = scf::ForOp::create(b, loc, from.v, to.v, step.v, valuesOf(carried));
  {
    OpBuilder::InsertionGuard guard(b);
    Block *block = op.getBody();
    if (!block->empty()) // Without carried values the op comes with its yield.
      block->back().erase();
    b.setInsertionPointToStart(block);
    set(carried, op.getRegionIterArgs());
    body(Scalar{{this, op.getInductionVar()}});
    scf::YieldOp::create(b, loc, valuesOf(carried));
  }
  set(carried, op.getResults());
}

void KernelBuilder::loop(int64_t from, int64_t to, Carried carried, Each body) {
  loop(i32(from), i32(to), i32(1), std::move(carried), body);
}

void KernelBuilder::persistent(Scalar count, Carried carried, Each body) {
  loop(ctaId(), count, numCtas(), std::move(carried), body);
}

void KernelBuilder::if_(Scalar condition, Carried carried, Body then, Body otherwise) {
  SmallVector<Value> before = valuesOf(carried);
  SmallVector<Type> types(ValueRange(before).getTypes());
  auto op = scf::IfOp::create(b, loc, types, condition.v, /*addThenBlock=*/true,
                                /*addElseBlock=*/!types.empty() || otherwise);
  OpBuilder::InsertionGuard guard(b);
  auto fill = [&](Block *block, Body body) {
    if (!block->empty())
      block->back().erase();
    b.setInsertionPointToStart(block);
    set(carried, before);
    if (body)
      body();
    scf::YieldOp::create(b, loc, valuesOf(carried));
  };
  fill(op.thenBlock(), then);
  if (op.elseBlock())
    fill(op.elseBlock(), otherwise);
  set(carried, op.getResults());
}

//===----------------------------------------------------------------------===//
// Scalars
//===----------------------------------------------------------------------===//

Scalar KernelBuilder::constant(TypedAttr value) {
  Value &known = constants[value];
  if (!known) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(&kernel.getBody().front());
    known = arith::ConstantOp::create(b, loc, value);
  }
  return Scalar{{this, known}};
}

Scalar KernelBuilder::i32(int64_t value) { return constant(b.getI32IntegerAttr(static_cast<int32_t>(value))); }
Scalar KernelBuilder::f32c(double value) { return constant(b.getF32FloatAttr(static_cast<float>(value))); }

Scalar KernelBuilder::ctaId() { return Scalar{{this, tile::CtaIdOp::create(b, loc)}}; }
Scalar KernelBuilder::numCtas() { return Scalar{{this, tile::NumCtasOp::create(b, loc)}}; }
Scalar KernelBuilder::clusterId() { return Scalar{{this, tile::ClusterIdOp::create(b, loc)}}; }
Scalar KernelBuilder::numClusters() { return Scalar{{this, tile::NumClustersOp::create(b, loc)}}; }
Scalar KernelBuilder::ctaRank() { return Scalar{{this, tile::CtaRankOp::create(b, loc)}}; }

Cursor KernelBuilder::cursor(int64_t slots, int64_t start) {
  return Cursor{{this, tile::CursorOp::create(b, loc, tile::CursorType::get(b.getContext(), slots),
                                                static_cast<uint64_t>(start))}};
}

Policy KernelBuilder::policy(tile::Eviction eviction) { return Policy{{this, tile::PolicyOp::create(b, loc, eviction)}}; }
