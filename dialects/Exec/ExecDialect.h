//===- ExecDialect.h - The exec dialect: class, types, enums -------- -*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Include ExecOps.h for the ops.
//
//===----------------------------------------------------------------------===//

#ifndef K3_DIALECTS_EXEC_EXECDIALECT_H
#define K3_DIALECTS_EXEC_EXECDIALECT_H

#include "dialects/Exec/SymbolMap.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"

#include "dialects/Exec/ExecDialect.h.inc"
#include "dialects/Exec/ExecEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "dialects/Exec/ExecAttrs.h.inc"

#define GET_TYPEDEF_CLASSES
#include "dialects/Exec/ExecTypes.h.inc"

#endif // K3_DIALECTS_EXEC_EXECDIALECT_H
