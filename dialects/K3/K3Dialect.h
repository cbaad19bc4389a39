//===- K3Dialect.h - The k3 dialect: its class, types, attributes, resources ---*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Include K3Ops.h for the ops. Weights and state are symbols; the resources below say what an op's effect on a symbol
// touches, so two effects conflict only when resource and symbol agree.
//
//===----------------------------------------------------------------------===//

#ifndef K3_DIALECTS_K3_K3DIALECT_H
#define K3_DIALECTS_K3_K3DIALECT_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "dialects/K3/K3Dialect.h.inc"
#include "dialects/K3/K3Enums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "dialects/K3/K3Attrs.h.inc"

#define GET_TYPEDEF_CLASSES
#include "dialects/K3/K3Types.h.inc"

namespace k3 {

/// Slots and pages behind a `k3.state` symbol.
struct StateResource : public mlir::SideEffects::Resource::Base<StateResource> {
  mlir::StringRef getName() final { return "k3.state"; }
};

/// Memory of a `k3.packed` weight, written once by `@pack`.
struct PackedResource : public mlir::SideEffects::Resource::Base<PackedResource> {
  mlir::StringRef getName() final { return "k3.packed"; }
};

/// The outside observer of taps; keeps them in order and alive.
struct TapResource : public mlir::SideEffects::Resource::Base<TapResource> {
  mlir::StringRef getName() final { return "k3.tap"; }
};

} // namespace k3

#endif // K3_DIALECTS_K3_K3DIALECT_H
