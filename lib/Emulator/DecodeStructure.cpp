//===- DecodeStructure.cpp - Kernels, roles, control flow, shared memory, cursors --===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Emulator/Decoder.h"

#include "mlir/IR/Location.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace k3::emu {

std::string place(Location location) {
  if (auto file = dyn_cast<FileLineColLoc>(location))
    return (llvm::sys::path::filename(file.getFilename()) + ":" + llvm::Twine(file.getLine()) + ":" +
            llvm::Twine(file.getColumn()))
        .str();
  if (auto name = dyn_cast<NameLoc>(location))
    return name.getName().str();
  if (auto fused = dyn_cast<FusedLoc>(location))
    if (!fused.getLocations().empty())
      return place(fused.getLocations().front());
  if (auto call = dyn_cast<CallSiteLoc>(location))
    return place(call.getCallee());
  return "";
}

uint32_t Decoder::text(Operation *op) {
  std::string text = op->getName().getStringRef().str(), where = place(op->getLoc());
  if (where.empty())
    where = "operation " + std::to_string(program.ops.size());
  program.ops.push_back(text + " at " + where);
  return static_cast<uint32_t>(program.ops.size() - 1);
}

unsigned Decoder::value(mlir::Value v) {
  auto [at, added] = numbers.try_emplace(v, program.valueCount);
  program.valueCount += added;
  return at->second;
}

std::vector<unsigned> Decoder::values(ValueRange range) {
  std::vector<unsigned> result;
  for (mlir::Value v : range)
    result.push_back(value(v));
  return result;
}

std::optional<Elem> elemOf(Type type) {
  if (isa<IndexType>(type))
    return Elem::I64;
  if (type.isF32())
    return Elem::F32;
  if (type.isBF16())
    return Elem::BF16;
  if (type.isF16())
    return Elem::F16;
  if (isa<Float8E4M3FNType>(type))
    return Elem::F8E4M3;
  if (isa<Float8E5M2Type>(type))
    return Elem::F8E5M2;
  if (auto integer = dyn_cast<IntegerType>(type))
    switch (integer.getWidth()) {
    case 1:
      return Elem::I1;
    case 8:
      return Elem::I8;
    case 16:
      return Elem::I16;
    case 32:
      return Elem::I32;
    case 64:
      return Elem::I64;
    }
  return std::nullopt;
}

Elem elemOrScalar(Type type) { return *elemOf(getElementTypeOrSelf(type)); }

std::shared_ptr<const SharedTile> sharedTile(tile::SharedType type) {
  return std::make_shared<SharedTile>(type.getLayout().getLayout());
}

TensorRef makeTensor(Type type, const Frame &frame) {
  auto tensor = cast<RankedTensorType>(type);
  auto result = std::make_shared<Tensor>(elemOrScalar(type), tensor.getShape().vec());
  result->fence = frame.team.fenceCount() + 1;
  return result;
}

void Frame::poisonFinding(uint32_t number, uint32_t origin, const std::string &what) const {
  machine().finding(FindingKind::Poison, static_cast<uint64_t>(number) << 32 | origin,
                    machine().opText(number) + " by " + team.name() + ": " + what +
                        (origin == 0 ? ", memory that was never written"
                                     : ", which comes from " + machine().opText(origin)));
}

void Frame::decide(uint32_t number, const Value &value, const char *what) const {
  if (value.poison)
    poisonFinding(number, value.origin, std::string(what) + " is an undefined value");
}

//===----------------------------------------------------------------------===//
// Blocks and kernels
//===----------------------------------------------------------------------===//

Status Decoder::operation(Operation *op, Code &code) {
  for (auto decode : {&Decoder::structure, &Decoder::control, &Decoder::arithmetic, &Decoder::conversion,
                      &Decoder::synchronisation, &Decoder::copies, &Decoder::access, &Decoder::matrix,
                      &Decoder::tensors, &Decoder::reduction}) {
    Expected<bool> known = (this->*decode)(op, code);
    if (!known)
      return known.takeStatus();
    if (*known)
      return Status::success();
  }
  return unsupported("kernel '" + program.spec.name + "': the Emulator does not execute " +
                     op->getName().getStringRef().str() + " at " + place(op->getLoc()));
}

Status Decoder::block(mlir::Block &block, Code &code) {
  for (Operation &op : block) {
    // Element types are checked once, here.
    for (Type type : op.getResultTypes())
      if (isa<RankedTensorType, IntegerType, FloatType>(type) && !elemOf(getElementTypeOrSelf(type))) {
        std::string name;
        llvm::raw_string_ostream(name) << type;
        return unsupported("kernel '" + program.spec.name + "': the Emulator does not compute with " + name +
                           " (" + op.getName().getStringRef().str() + " at " + place(op.getLoc()) + ")");
      }
    if (isa<tile::ReturnOp, tile::RolesOp>(op))
      continue;
    K3_TRY(operation(&op, code));
  }
  return Status::success();
}

Status Decoder::decodeKernel() {
  tile::KernelOp kernel = program.op;
  program.spec.name = kernel.getSymName().str();
  program.clusterSize = kernel.getClusterSize();
  program.resident = kernel.getResident().value_or(0);
  for (int32_t extent :
       kernel.getCluster().value_or(ArrayRef<int32_t>{}).drop_front(kernel.getCluster() ? 1 : 0))
    if (extent != 1)
      return unsupported("kernel '" + program.spec.name + "': the Emulator runs clusters along x only");
  program.arguments = values(kernel.getBody().getArguments());
  if (!kernel.getBody().hasOneBlock())
    return unsupported("kernel '" + program.spec.name + "': the Emulator runs structured control flow only");
  program.prologue = std::make_shared<Code>();
  K3_TRY(block(kernel.getBody().front(), *program.prologue));
  tile::RolesOp roles = kernel.getRoles();
  if (!roles)
    return badInput("kernel '" + program.spec.name + "' has no tile.roles");
  for (Operation &op : roles.getBody().front()) {
    auto role = dyn_cast<tile::RoleOp>(op);
    if (!role)
      continue;
    program.spec.roles.push_back({role.getName().str(), static_cast<unsigned>(role.getInstances()),
                                  static_cast<unsigned>(role.getWarps())});
    auto code = std::make_shared<Code>();
    unsigned instance = value(role.getInstance());
    K3_TRY(block(role.getBody().front(), *code));
    program.roles.push_back({code, instance});
  }
  program.spec.sharedBytes = std::max<uint64_t>(sharedEnd, kernel.getSharedBytes().value_or(0));
  return Status::success();
}

//===----------------------------------------------------------------------===//
// Where a CTA is, shared memory, cursors
//===----------------------------------------------------------------------===//

static unsigned gridIndex(const Frame &frame, tile::Dimension dim) {
  const std::array<unsigned, 3> &grid = frame.config.grid;
  unsigned index = frame.team.cta.index;
  switch (dim) {
  case tile::Dimension::X:
    return index % grid[0];
  case tile::Dimension::Y:
    return index / grid[0] % grid[1];
  case tile::Dimension::Z:
    return index / grid[0] / grid[1];
  }
  return 0;
}

Expected<bool> Decoder::structure(Operation *op, Code &code) {
  auto scalar = [&](auto compute) {
    code.steps.push_back([to = value(op->getResult(0)), compute](Frame &frame) {
      frame.values[to] = Value();
      frame.values[to].i = compute(frame);
      return true;
    });
    return true;
  };
  if (auto id = dyn_cast<tile::CtaIdOp>(op))
    return scalar([dim = id.getDim()](Frame &frame) { return gridIndex(frame, dim); });
  if (auto count = dyn_cast<tile::NumCtasOp>(op))
    return scalar(
        [dim = count.getDim()](Frame &frame) { return frame.config.grid[static_cast<size_t>(dim)]; });
  if (isa<tile::ClusterIdOp>(op))
    return scalar([](Frame &frame) { return gridIndex(frame, tile::Dimension::X) / frame.clusterSize; });
  if (isa<tile::NumClustersOp>(op))
    return scalar([](Frame &frame) { return frame.config.grid[0] / frame.clusterSize; });
  if (isa<tile::CtaRankOp>(op))
    return scalar([](Frame &frame) { return frame.team.cta.rank; });

  if (auto alloc = dyn_cast<tile::AllocOp>(op)) {
    tile::SharedType type = alloc.getBuffer().getType();
    uint64_t bytes = type.getStageStride() * (type.getStages() - 1) + type.getBytes();
    uint64_t offset = alloc.getOffset() ? *alloc.getOffset() : llvm::alignTo(sharedEnd, type.getAlignment());
    sharedEnd = std::max(sharedEnd, offset + bytes);
    std::string name = alloc.getName().str();
    program.spec.buffers.push_back({name, offset, bytes});
    if (type.getStages() > 1)
      for (int64_t stage = 0; stage < type.getStages(); ++stage)
        program.spec.buffers.push_back({name + "[" + std::to_string(stage) + "]",
                                        offset + stage * type.getStageStride(),
                                        static_cast<uint64_t>(type.getBytes())});
    code.steps.push_back([to = value(alloc.getBuffer()), offset](Frame &frame) {
      Value &v = frame.values[to] = Value();
      v.block = frame.team.cta.shared.get();
      v.cta = &frame.team.cta;
      v.use = static_cast<int64_t>(offset);
      return true;
    });
    return true;
  }
  if (auto alloc = dyn_cast<tile::MbarAllocOp>(op)) {
    tile::MbarType type = alloc.getBarrier().getType();
    int64_t number = static_cast<int64_t>(program.spec.mbars.size());
    program.spec.mbars.push_back({alloc.getName().str(), static_cast<unsigned>(type.getSlots()),
                                  static_cast<unsigned>(type.getArrivals())});
    return scalar([number](Frame &) { return number; });
  }
  auto moved = [&](mlir::Value source, mlir::Value result, auto distance) {
    code.steps.push_back([from = value(source), to = value(result), distance](Frame &frame) {
      Value v = frame.values[from];
      v.use += distance(frame);
      frame.values[to] = std::move(v);
      return true;
    });
    return true;
  };
  if (auto alias = dyn_cast<tile::AliasOp>(op))
    return moved(alias.getSource(), alias.getResult(),
                 [offset = static_cast<int64_t>(alias.getOffset())](Frame &) { return offset; });
  if (auto slot = dyn_cast<tile::SlotOp>(op)) {
    tile::SharedType type = slot.getBuffer().getType();
    return moved(slot.getBuffer(), slot.getSlot(),
                 [index = value(slot.getIndex()), number = text(op), stages = type.getStages(),
                  stride = type.getStageStride()](Frame &frame) -> int64_t {
                   const Value &at = frame.values[index];
                   frame.decide(frame.op(number), at, "the slot");
                   if (at.i >= 0 && at.i < stages)
                     return at.i * stride;
                   frame.machine().finding(FindingKind::Bounds, frame.op(number),
                                           frame.machine().opText(frame.op(number)) + ": slot " +
                                               std::to_string(at.i) + " of " + std::to_string(stages));
                   return 0;
                 });
  }
  if (auto part = dyn_cast<tile::PartOp>(op)) {
    int64_t dim = part.getDim();
    int64_t count = part.getSource().getType().getShape()[dim] / part.getPart().getType().getShape()[dim];
    return moved(part.getSource(), part.getPart(),
                 [index = value(part.getIndex()), number = text(op), count,
                  stride = part.getStride()](Frame &frame) -> int64_t {
                   const Value &at = frame.values[index];
                   frame.decide(frame.op(number), at, "the part");
                   if (at.i >= 0 && at.i < count)
                     return at.i * stride;
                   frame.machine().finding(FindingKind::Bounds, frame.op(number),
                                           frame.machine().opText(frame.op(number)) + ": part " +
                                               std::to_string(at.i) + " of " + std::to_string(count));
                   return 0;
                 });
  }
  if (auto peer = dyn_cast<tile::PeerOp>(op)) {
    code.steps.push_back([from = value(peer.getSource()), rank = value(peer.getRank()),
                          to = value(peer.getPeer()), number = text(op)](Frame &frame) {
      Value v = frame.values[from];
      const Value &at = frame.values[rank];
      frame.decide(frame.op(number), at, "the rank");
      Cluster &cluster = *frame.team.cta.cluster;
      if (at.i >= 0 && at.i < static_cast<int64_t>(cluster.ctas.size())) {
        v.cta = cluster.ctas[at.i].get();
        v.block = v.cta->shared.get();
      } else {
        frame.machine().finding(FindingKind::Bounds, frame.op(number),
                                frame.machine().opText(frame.op(number)) + ": rank " + std::to_string(at.i) +
                                    " of a cluster of " + std::to_string(cluster.ctas.size()));
      }
      frame.values[to] = std::move(v);
      return true;
    });
    return true;
  }
  if (auto cursor = dyn_cast<tile::CursorOp>(op))
    return scalar([start = static_cast<int64_t>(cursor.getStart())](Frame &) { return start; });
  if (auto advance = dyn_cast<tile::AdvanceOp>(op)) {
    int64_t slots = advance.getCursor().getType().getSlots();
    code.steps.push_back([from = value(advance.getCursor()), to = value(advance.getResult()),
                          by = static_cast<int64_t>(advance.getBy()), slots](Frame &frame) {
      Value v = frame.values[from];
      int64_t at = v.use * slots + v.i + by;
      v.i = at % slots;
      v.use = at / slots;
      frame.values[to] = v;
      return true;
    });
    return true;
  }
  if (isa<tile::PolicyOp>(op))
    return scalar([](Frame &) { return 0; });
  if (auto strided = dyn_cast<tile::StridedOp>(op)) {
    code.steps.push_back([from = value(strided.getSource()), stride = value(strided.getStride()),
                          number = text(op), to = value(strided.getView())](Frame &frame) {
      Value v = frame.values[from];
      const Value &by = frame.values[stride];
      frame.decide(frame.op(number), by, "the stride");
      Array array = *v.array;
      array.strides[0] = by.i;
      v.array = std::make_shared<Array>(std::move(array));
      frame.values[to] = std::move(v);
      return true;
    });
    return true;
  }
  if (auto elect = dyn_cast<tile::ElectOp>(op)) {
    auto body = std::make_shared<Code>();
    K3_TRY(block(elect.getBody().front(), *body));
    code.steps.push_back([body](Frame &frame) {
      frame.team.setElected(true);
      bool on = body->run(frame);
      frame.team.setElected(false);
      return on;
    });
    return true;
  }
  return false;
}

//===----------------------------------------------------------------------===//
// scf
//===----------------------------------------------------------------------===//

Expected<bool> Decoder::control(Operation *op, Code &code) {
  // A region's yielded values, moved together: they may name each other's targets.
  auto move = [](Frame &frame, const std::vector<unsigned> &from, const std::vector<unsigned> &to) {
    if (from.size() == 1) {
      frame.values[to[0]] = Value(frame.values[from[0]]);
      return;
    }
    std::vector<Value> held;
    held.reserve(from.size());
    for (unsigned v : from)
      held.push_back(frame.values[v]);
    for (size_t i = 0; i < to.size(); ++i)
      frame.values[to[i]] = std::move(held[i]);
  };
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    auto body = std::make_shared<Code>();
    auto yield = cast<scf::YieldOp>(loop.getBody()->getTerminator());
    std::vector<unsigned> inits = values(loop.getInitArgs()), carried = values(loop.getRegionIterArgs());
    std::vector<unsigned> results = values(loop.getResults());
    unsigned induction = value(loop.getInductionVar());
    K3_TRY(block(*loop.getBody(), *body));
    std::vector<unsigned> yields = values(yield.getOperands());
    code.steps.push_back([=, lower = value(loop.getLowerBound()), upper = value(loop.getUpperBound()),
                          step = value(loop.getStep()), number = text(op)](Frame &frame) {
      Value low = frame.values[lower], high = frame.values[upper], by = frame.values[step];
      for (const Value *bound : {&low, &high, &by})
        frame.decide(frame.op(number), *bound, "a bound of the loop");
      if (by.i <= 0) {
        frame.machine().finding(FindingKind::Bounds, frame.op(number),
                                frame.machine().opText(frame.op(number)) + ": the step is " +
                                    std::to_string(by.i));
        return false;
      }
      move(frame, inits, carried);
      for (int64_t i = low.i; i < high.i; i += by.i) {
        frame.values[induction] = Value();
        frame.values[induction].i = i;
        if (!body->run(frame))
          return false;
        move(frame, yields, carried);
      }
      move(frame, carried, results);
      return true;
    });
    return true;
  }
  if (auto branch = dyn_cast<scf::IfOp>(op)) {
    auto thenCode = std::make_shared<Code>(), elseCode = std::make_shared<Code>();
    std::vector<unsigned> results = values(branch.getResults()), thenYield, elseYield;
    K3_TRY(block(*branch.thenBlock(), *thenCode));
    thenYield = values(branch.thenYield().getOperands());
    if (branch.elseBlock()) {
      K3_TRY(block(*branch.elseBlock(), *elseCode));
      elseYield = values(branch.elseYield().getOperands());
    }
    code.steps.push_back([=, condition = value(branch.getCondition()), number = text(op)](Frame &frame) {
      const Value &decides = frame.values[condition];
      frame.decide(frame.op(number), decides, "the condition");
      bool taken = decides.i != 0;
      if (!(taken ? thenCode : elseCode)->run(frame))
        return false;
      move(frame, taken ? thenYield : elseYield, results);
      return true;
    });
    return true;
  }
  if (auto loop = dyn_cast<scf::WhileOp>(op)) {
    auto before = std::make_shared<Code>(), after = std::make_shared<Code>();
    std::vector<unsigned> inits = values(loop.getInits()), beforeArgs = values(loop.getBeforeArguments());
    std::vector<unsigned> afterArgs = values(loop.getAfterArguments()), results = values(loop.getResults());
    K3_TRY(block(*loop.getBeforeBody(), *before));
    K3_TRY(block(*loop.getAfterBody(), *after));
    scf::ConditionOp condition = loop.getConditionOp();
    std::vector<unsigned> passed = values(condition.getArgs()),
                          yields = values(loop.getYieldOp().getOperands());
    code.steps.push_back([=, decides = value(condition.getCondition()), number = text(op)](Frame &frame) {
      move(frame, inits, beforeArgs);
      while (true) {
        if (!before->run(frame) || frame.team.cancelled())
          return false;
        frame.decide(frame.op(number), frame.values[decides], "the condition");
        if (frame.values[decides].i == 0)
          break;
        move(frame, passed, afterArgs);
        if (!after->run(frame))
          return false;
        move(frame, yields, beforeArgs);
      }
      move(frame, passed, results);
      return true;
    });
    return true;
  }
  return isa<scf::YieldOp, scf::ConditionOp>(op);
}

} // namespace k3::emu
