//===- ExecInterfaces.td - What every entry of a program answers -*- tablegen -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef K3_EXEC_INTERFACES
#define K3_EXEC_INTERFACES

include "mlir/IR/OpBase.td"

def Exec_EntryInterface : OpInterface<"EntryOpInterface"> {
  let description = "A node of the DAG of a program: it reads and writes views on a stream and ends with an event.";
  let cppNamespace = "::k3::exec";
  let methods = [
    InterfaceMethod<"The views it touches, each with read, write or both.",
                    "::llvm::SmallVector<::k3::exec::ViewAccess>", "getViewAccesses">,
    InterfaceMethod<"The stream that keeps it in order.", "int64_t", "getEntryStream", (ins), [{}],
                    [{ return $_op.getStream(); }]>,
    InterfaceMethod<"Its explicit waits.", "::mlir::OperandRange", "getWaits", (ins), [{}], [{ return $_op.getAfter(); }]>,
    InterfaceMethod<"Replaces its explicit waits.", "void", "setWaits", (ins "::mlir::ValueRange":$events), [{}],
                    [{ $_op.getAfterMutable().assign(events); }]>,
    InterfaceMethod<"Its end.", "::mlir::Value", "getEntryEvent", (ins), [{}], [{ return $_op.getEvent(); }]>
  ];
}

#endif // K3_EXEC_INTERFACES
