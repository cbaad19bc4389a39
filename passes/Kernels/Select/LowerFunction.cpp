//===- LowerFunction.cpp - Core ops become GPU launches ---------*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/Exec/Program/FunctionLowering.h"
#include "passes/Kernels/Select/GpuKernels.h"
#include "passes/Kernels/Select/Passes.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace k3 {

namespace {

using exec::LaunchSymbol;
using kernels::AttnResProblem;
using kernels::GemmEpilogue;
using kernels::GemmProblem;
using kernels::RmsNormProblem;

float toFloat(const APFloat &value) { return static_cast<float>(value.convertToDouble()); }

ArrayRef<int64_t> inner(Value value) { return cast<RankedTensorType>(value.getType()).getShape().drop_front(); }

/// The product that `op` is an epilogue of: its only reader is `op`.
LinearOp fusedProduct(Operation *op) {
  auto product = [](Value value) -> LinearOp {
    auto linear = value.getDefiningOp<LinearOp>();
    return linear && linear->hasOneUse() ? linear : LinearOp();
  };
  if (auto add = dyn_cast<arith::AddFOp>(op)) {
    if (LinearOp linear = product(add.getLhs()))
      return linear;
    return product(add.getRhs());
  }
  if (auto glu = dyn_cast<SituGluOp>(op))
    return product(glu.getX());
  if (auto gate = dyn_cast<SigmoidGateOp>(op))
    return inner(gate.getGate()).size() == 1 ? product(gate.getGate()) : LinearOp();
  return {};
}

bool isFused(Operation *op) {
  auto linear = dyn_cast<LinearOp>(op);
  return linear && linear->hasOneUse() && fusedProduct(*linear->user_begin()) == linear;
}

/// What an op computes, or nothing where no kernel does it.
std::optional<KernelProblem> problemOf(Operation *op) {
  return TypeSwitch<Operation *, std::optional<KernelProblem>>(op)
      .Case([](LinearOp linear) { return GemmProblem{inner(linear.getY())[0], inner(linear.getX())[0]}; })
      .Case([](RmsNormOp norm) { return RmsNormProblem{inner(norm.getX())[0], toFloat(norm.getEps())}; })
      .Case([](AttnResOp mix) {
        return AttnResProblem{inner(mix.getPartial())[0], int64_t(mix.getBank().size()) + 1, toFloat(mix.getEps()),
                              bool(mix.getDelta()), /*writesBank=*/false, bool(mix.getNorm())};
      })
      .Case<arith::AddFOp, SituGluOp, SigmoidGateOp>([](auto op) -> std::optional<KernelProblem> {
        LinearOp linear = fusedProduct(op);
        if (!linear)
          return std::nullopt;
        GemmProblem problem{inner(linear.getY())[0], inner(linear.getX())[0]};
        if constexpr (std::is_same_v<decltype(op), SituGluOp>) {
          problem.n /= 2;
          problem.epilogue = GemmEpilogue::SituGlu;
          problem.situBeta = toFloat(op.getBeta());
          problem.situLinearBeta = toFloat(op.getLinearBeta());
        } else {
          problem.epilogue = std::is_same_v<decltype(op), SigmoidGateOp> ? GemmEpilogue::SigmoidGate : GemmEpilogue::ResidualAdd;
        }
        return problem;
      })
      .Default([](Operation *) { return std::nullopt; });
}

LogicalResult refuse(Operation *op) {
  return op->emitOpError("has no GPU kernel; GPU targets compile k3.linear (alone, or read once by an arith.addf, a k3.situ_glu or as "
                         "the gate of a k3.sigmoid_gate), k3.rms_norm and k3.attn_res");
}

class GpuLowering : public FunctionLowering {
public:
  GpuLowering(func::FuncOp function, exec::ProgramOp program, GpuKernels &kernels, ModuleOp module, kernels::RowRange rows,
              int64_t maxRows)
      : FunctionLowering(function, builder), builder(program, module), kernels(kernels), rows(rows), maxRows(maxRows) {}

private:
  LogicalResult lower(Operation *op) override {
    if (isFused(op))
      return success();
    std::optional<KernelProblem> problem = problemOf(op);
    if (!problem)
      return refuse(op);
    OpResult result = op->getResult(0);
    return TypeSwitch<Operation *, LogicalResult>(op)
        .Case([&](LinearOp linear) { return gemm(linear, *problem, result, Value()); })
        .Case([&](arith::AddFOp add) {
          LinearOp linear = fusedProduct(add);
          return gemm(linear, *problem, result, add.getLhs() == linear.getY() ? add.getRhs() : add.getLhs());
        })
        .Case([&](SituGluOp glu) { return gemm(fusedProduct(glu), *problem, result, Value()); })
        .Case([&](SigmoidGateOp gate) { return gemm(fusedProduct(gate), *problem, result, gate.getO()); })
        .Case([&](RmsNormOp norm) {
          return launch(*problem, {{view(norm.getX()), 'r'}, {p.packed(norm.getWeightAttr()), 'r'}, {make(result, norm.getX()).view, 'w'}},
                        at(norm.getX()).rows);
        })
        .Case([&](AttnResOp mix) { return attnRes(mix, *problem); })
        .Default(refuse);
  }

  struct Operand {
    Value view;
    char access;
  };

  LogicalResult gemm(LinearOp linear, const KernelProblem &problem, OpResult result, Value extra) {
    const Placed x = at(linear.getX());
    SmallVector<Operand> operands{{x.view, 'r'}, {p.packed(linear.getWeightAttr()), 'r'}, {make(result, x.rows).view, 'w'}};
    if (extra)
      operands.push_back({matrixOf(extra), 'r'});
    return launch(problem, operands, x.rows);
  }

  LogicalResult attnRes(AttnResOp mix, const KernelProblem &problem) {
    SmallVector<Operand> operands(7, Operand{Value(), 'r'});
    operands[0].view = view(mix.getPartial());
    if (mix.getDelta())
      operands[1].view = view(mix.getDelta());
    operands[2].view = p.packed(mix.getQueryAttr());
    if (mix.getNormAttr())
      operands[3].view = p.packed(mix.getNormAttr());
    if (mix.getSum())
      operands[4] = {make(mix->getResult(1), mix.getPartial()).view, 'w'};
    operands[5] = {make(mix->getResult(0), mix.getPartial()).view, 'w'};
    for (Value bank : mix.getBank())
      operands.push_back({view(bank), 'r'});
    return launch(problem, operands, at(mix.getPartial()).rows);
  }

  /// The launch of the kernel that serves this program's rows.
  LogicalResult launch(const KernelProblem &problem, ArrayRef<Operand> operands, AffineExpr launchRows) {
    const kernels::BuiltKernel *built = kernels.get(problem, rows, maxRows, p.loc);
    if (!built)
      return failure();
    MLIRContext *context = p.b.getContext();
    SmallVector<Value> views;
    SmallVector<int64_t> numberOf(operands.size(), -1);
    std::string access;
    auto number = [&](unsigned operand) {
      if (numberOf[operand] < 0) {
        numberOf[operand] = views.size();
        views.push_back(operands[operand].view);
        access += operands[operand].access;
      }
      return numberOf[operand];
    };
    SmallVector<Attribute> args;
    tile::KernelOp kernel = built->kernel;
    for (auto [i, arg] : llvm::enumerate(built->args)) {
      switch (arg.kind) {
      case kernels::KernelArg::View:
        args.push_back(exec::PointerArgAttr::get(context, number(arg.operand), static_cast<exec::ArgRole>(kernel.getArgRole(i))));
        break;
      case kernels::KernelArg::Map: {
        auto type = cast<tile::MapType>(kernel.getArgumentTypes()[i]);
        args.push_back(exec::MapArgAttr::get(context, number(arg.operand), type.getBox(), type.getSwizzle()));
        break;
      }
      case kernels::KernelArg::Tokens:
        args.push_back(exec::ScalarArgAttr::get(context, p.b.getI32Type(), AffineMapAttr::get(p.map({launchRows}))));
        break;
      }
    }
    declare(kernel, access, problem);
    const kernels::LaunchPlan &plan = built->plan;
    exec::GpuGrid grid;
    grid.grid = p.map({launchRows.ceilDiv(plan.rowsPerUnit), p.constant(plan.unitsPerRows)});
    // Kernels number their CTAs along x; a bound makes the grid one row, so there always is one.
    grid.maxCtas = p.map({plan.ctasPerSm ? p.symbol(LaunchSymbol::SM) * plan.ctasPerSm : p.constant(INT32_MAX)});
    grid.block = 32;
    for (int32_t extent : kernel.getCluster().value_or(ArrayRef<int32_t>{}))
      grid.cluster.push_back(extent);
    grid.dependent = plan.dependent;
    if (kernel.getResident())
      grid.resident = p.map({p.constant(*kernel.getResident())});
    exec::GpuLaunchOp::create(p.b, p.loc, kernel.getSymName(), views, access, args, grid, p.stream);
    return success();
  }

  void declare(tile::KernelOp kernel, StringRef access, const KernelProblem &problem) {
    if (p.symbols.lookup(kernel.getSymName()))
      return;
    OpBuilder declarations(p.module.getContext());
    StringAttr name = declarations.getStringAttr(kernel.getSymName());
    auto declaration = exec::KernelOp::create(declarations, p.loc, name, declarations.getStringAttr(access), StringAttr(), name);
    declaration->setAttr(kProblemAttr, declarations.getStringAttr(problemJson(problem)));
    p.symbols.insert(declaration);
  }

  ProgramBuilder builder;
  GpuKernels &kernels;
  kernels::RowRange rows;
  int64_t maxRows;
};

} // namespace

LogicalResult lowerGpuFunction(func::FuncOp function, exec::ProgramOp program, GpuKernels &kernels, ModuleOp module,
                               kernels::RowRange rows, int64_t maxRows) {
  return GpuLowering(function, program, kernels, module, rows, maxRows).run();
}

FailureOr<SmallVector<int64_t>> gpuRanges(func::FuncOp function, const GpuKernels &kernels, int64_t maxRows) {
  SmallVector<int64_t> first{1};
  for (Operation &op : function.getBody().front().without_terminator()) {
    if (isa<SplitOp, ReshapeOp, TapOp, BatchOp>(op) || isFused(&op))
      continue;
    std::optional<KernelProblem> problem = problemOf(&op);
    if (!problem)
      return refuse(&op);
    for (kernels::RowRange range : kernels.ranges(*problem, maxRows))
      first.push_back(range.first);
  }
  llvm::sort(first);
  first.erase(llvm::unique(first), first.end());
  return first;
}

} // namespace k3
