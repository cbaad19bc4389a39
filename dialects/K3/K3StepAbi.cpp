//===- K3StepAbi.cpp - Names and extents of what programs are called with --===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/K3/K3StepAbi.h"

#include "dialects/K3/K3Ops.h"

using namespace mlir;

namespace k3 {

namespace {

struct Argument {
  llvm::StringLiteral name;
  StepDim dim;
};

constexpr Argument stepArguments[] = {
    {"tokens", StepDim::Tokens},          {"cu_seqlens", StepDim::SequencesPlusOne}, {"context_lens", StepDim::Sequences},
    {"read_slots", StepDim::Sequences},   {"write_slots", StepDim::Sequences},       {"block_table", StepDim::Sequences},
    {"logit_rows", StepDim::LogitRows},   {"draft_lens", StepDim::Sequences},        {"accepted", StepDim::Sequences},
    {"ckpt_slots", StepDim::Checkpoints}, {"ckpt_rows", StepDim::Checkpoints}};
constexpr Argument copyStateArguments[] = {{"src_slots", StepDim::Slots},
                                           {"dst_slots", StepDim::Slots},
                                           {"src_pages", StepDim::Pages},
                                           {"dst_pages", StepDim::Pages}};
constexpr Argument sampleArguments[] = {{"logits", StepDim::LogitRows},
                                        {"temperature", StepDim::LogitRows},
                                        {"top_p", StepDim::LogitRows},
                                        {"seed", StepDim::LogitRows},
                                        {"step", StepDim::LogitRows}};

ArrayRef<Argument> abiOf(func::FuncOp function) {
  if (isStep(function))
    return stepArguments;
  if (function.getName() == "copy_state")
    return copyStateArguments;
  if (function.getName() == "sample")
    return sampleArguments;
  return {};
}

/// Position of a `k3.batch` operand in the step ABI: the operands are arguments 1 to 9 without logit_rows.
StepDim batchDim(unsigned operand) {
  unsigned index = operand < 5 ? operand + 1 : operand + 2;
  return stepArguments[index].dim;
}

} // namespace

bool isStep(func::FuncOp function) {
  return llvm::is_contained({StringRef("step"), StringRef("step_decode"), StringRef("step_ragged")}, function.getName());
}

std::string argumentName(func::FuncOp function, unsigned index) {
  ArrayRef<Argument> abi = abiOf(function);
  if (index < abi.size())
    return abi[index].name.str();
  if (auto name = function.getArgAttrOfType<StringAttr>(index, "k3.name"))
    return name.str();
  return "arg" + std::to_string(index);
}

std::string resultName(func::FuncOp function, unsigned index) {
  if (isStep(function))
    return "logits";
  if (function.getName() == "sample")
    return "ids";
  if (auto name = function.getResultAttrOfType<StringAttr>(index, "k3.name"))
    return name.str();
  return "result" + std::to_string(index);
}

std::optional<StepDim> stepDimOf(func::FuncOp function, unsigned index) {
  ArrayRef<Argument> abi = abiOf(function);
  if (index < abi.size())
    return abi[index].dim;
  for (OpOperand &use : function.getArgument(index).getUses()) {
    if (isa<BatchOp>(use.getOwner()))
      return batchDim(use.getOperandNumber());
    if (auto gather = dyn_cast<GatherRowsOp>(use.getOwner()); gather && use.get() == gather.getRows())
      return StepDim::LogitRows;
    if (auto head = dyn_cast<LmHeadOp>(use.getOwner()); head && use.get() == head.getRows())
      return StepDim::LogitRows;
    if (auto copy = dyn_cast<CopyStateOp>(use.getOwner()))
      return StepDim::Slots;
  }
  return std::nullopt;
}

} // namespace k3
