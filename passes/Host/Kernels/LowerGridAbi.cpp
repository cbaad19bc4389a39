//===- LowerGridAbi.cpp - From kernels to C functions and to LLVM ----------===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/Host/Kernels/LowerGridAbi.h"
#include "lib/Package/GridAbi.h"

#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVMPass.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/MemRefToLLVM/MemRefToLLVM.h"
#include "mlir/Conversion/Passes.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVMPass.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

#include <cstddef>

using namespace mlir;

namespace {

/// Reads the C structures and builds descriptors in one exported function.
struct Wrapper {
  OpBuilder b;
  Location loc;
  Type pointer, word;

  Value number(int64_t value) { return LLVM::ConstantOp::create(b, loc, word, b.getI64IntegerAttr(value)); }

  Value load(Type type, Value base, int64_t byteOffset) {
    Value address = LLVM::GEPOp::create(b, loc, pointer, b.getI8Type(), base,
                                        ArrayRef<LLVM::GEPArg>{LLVM::GEPArg(int32_t(byteOffset))});
    return LLVM::LoadOp::create(b, loc, type, address);
  }

  /// The memref {data, data, 0, extents, strides} seen as `type`.
  Value descriptor(MemRefType type, Value data, Value rows, Value rowStride) {
    int64_t rank = type.getRank();
    auto array = LLVM::LLVMArrayType::get(word, rank);
    auto structure = LLVM::LLVMStructType::getLiteral(b.getContext(), {pointer, pointer, word, array, array});
    Value d = LLVM::PoisonOp::create(b, loc, structure);
    auto put = [&](Value value, ArrayRef<int64_t> at) {
      d = LLVM::InsertValueOp::create(b, loc, d, value, at);
    };
    put(data, {0});
    put(data, {1});
    put(number(0), {2});
    auto [strides, offset] = type.getStridesAndOffset();
    for (int64_t i = 0; i < rank; ++i) {
      Value extent = !type.isDynamicDim(i) ? number(type.getDimSize(i)) : i == 0 ? rows : rowStride;
      Value stride = !ShapedType::isDynamic(strides[i]) ? number(strides[i]) : rowStride;
      put(extent, {3, i});
      put(stride, {4, i});
    }
    return UnrealizedConversionCastOp::create(b, loc, type, d).getResult(0);
  }
};

LogicalResult checkArgument(func::FuncOp kernel, unsigned i, MemRefType type) {
  auto [strides, offset] = type.getStridesAndOffset();
  for (int64_t d = 1; d < type.getRank(); ++d) {
    bool tableWidth = type.getRank() == 2 && d == 1;
    if ((type.isDynamicDim(d) && !tableWidth) || ShapedType::isDynamic(strides[d]))
      return kernel.emitOpError() << "argument " << i << " has type " << type
                                  << ": the grid ABI describes only "
                                  << "dimension 0 at run time; make dimension " << d << " static";
  }
  return success();
}

LogicalResult lowerKernel(func::FuncOp kernel) {
  MLIRContext *context = kernel.getContext();
  std::string name = kernel.getName().str();
  unsigned buffers = kernel.getNumArguments() - 3;
  for (unsigned i = 0; i < buffers; ++i) {
    auto type = dyn_cast<MemRefType>(kernel.getArgument(i).getType());
    if (!type)
      return kernel.emitOpError() << "argument " << i
                                  << " is not a memref: a grid function takes buffers, then "
                                  << "scratch, begin and end";
    if (failed(checkArgument(kernel, i, type)))
      return failure();
  }

  OpBuilder b(kernel);
  Wrapper w{b, kernel.getLoc(), LLVM::LLVMPointerType::get(context), b.getI64Type()};
  kernel.setName(name + ".body");
  kernel.setPrivate();
  kernel->setAttr("llvm.linkage", LLVM::LinkageAttr::get(context, LLVM::Linkage::Internal));
  auto scratchBytes = kernel->getAttrOfType<IntegerAttr>("k3.scratch");
  kernel->removeAttr("k3.grid");
  kernel->removeAttr("k3.scratch");
  for (unsigned i = 0; i < kernel.getNumArguments(); ++i)
    kernel.removeArgAttr(i, "k3.name");

  auto type = b.getFunctionType({w.pointer, w.word, w.word}, {});
  auto wrapper = func::FuncOp::create(b, kernel.getLoc(), name, type);
  w.b.setInsertionPointToStart(wrapper.addEntryBlock());
  Value args = wrapper.getArgument(0);
  Value table = w.load(w.pointer, args, offsetof(k3_grid_args, buffers));
  Value scratch = w.load(w.pointer, args, offsetof(k3_grid_args, scratch));
  SmallVector<Value> operands;
  for (unsigned i = 0; i < buffers; ++i) {
    int64_t entry = i * sizeof(k3_grid_buffer);
    Value data = w.load(w.pointer, table, entry + offsetof(k3_grid_buffer, data));
    Value rows = w.load(w.word, table, entry + offsetof(k3_grid_buffer, rows));
    Value rowStride = w.load(w.word, table, entry + offsetof(k3_grid_buffer, row_stride));
    operands.push_back(
        w.descriptor(cast<MemRefType>(kernel.getArgument(i).getType()), data, rows, rowStride));
  }
  Value bytes = w.number(scratchBytes ? scratchBytes.getInt() : 0);
  operands.push_back(
      w.descriptor(cast<MemRefType>(kernel.getArgument(buffers).getType()), scratch, bytes, bytes));
  for (unsigned i = 1; i < 3; ++i)
    operands.push_back(arith::IndexCastOp::create(w.b, w.loc, w.b.getIndexType(), wrapper.getArgument(i)));
  func::CallOp::create(w.b, w.loc, kernel, operands);
  func::ReturnOp::create(w.b, w.loc);
  return success();
}

struct LowerGridAbi : PassWrapper<LowerGridAbi, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(LowerGridAbi)
  StringRef getArgument() const override { return "k3-host-lower-grid-abi"; }
  StringRef getDescription() const override { return "Export each host kernel under the grid ABI"; }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<LLVM::LLVMDialect, func::FuncDialect, arith::ArithDialect>();
  }
  void runOnOperation() override {
    SmallVector<func::FuncOp> kernels;
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (function->hasAttr("k3.grid"))
        kernels.push_back(function);
    for (func::FuncOp kernel : kernels)
      if (failed(lowerKernel(kernel)))
        return signalPassFailure();
  }
};

} // namespace

namespace k3::host {

std::unique_ptr<Pass> createLowerGridAbiPass() { return std::make_unique<LowerGridAbi>(); }

void buildHostLoweringPipeline(OpPassManager &pm) {
  pm.addPass(createLowerGridAbiPass());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  pm.addPass(createSCFToControlFlowPass());
  pm.addPass(createConvertVectorToLLVMPass());
  pm.addPass(createConvertMathToLLVMPass());
  pm.addPass(createFinalizeMemRefToLLVMConversionPass());
  pm.addPass(createArithToLLVMConversionPass());
  pm.addPass(createConvertControlFlowToLLVMPass());
  pm.addPass(createConvertFuncToLLVMPass());
  pm.addPass(createReconcileUnrealizedCastsPass());
}

void registerHostKernelPasses() {
  registerPass([] { return createLowerGridAbiPass(); });
  static PassPipelineRegistration<> pipeline("k3-host-lower-kernels",
                                             "Host kernels to the LLVM dialect under the grid ABI",
                                             [](OpPassManager &pm) { buildHostLoweringPipeline(pm); });
}

} // namespace k3::host
