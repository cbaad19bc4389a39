//===- Structure.cpp - The frame of a kernel: parameters, prologue, roles, control flow --===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/Lower/Emitter.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace k3;
using namespace k3::lower;

//===----------------------------------------------------------------------===//
// Function and prologue
//===----------------------------------------------------------------------===//

void Emitter::createFunction() {
  MLIRContext *context = b.getContext();
  SmallVector<Type> parameters;
  for (Type type : kernel.getArgumentTypes())
    parameters.push_back(types(type).front());
  auto type = LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(context), parameters);
  function = LLVM::LLVMFuncOp::create(b, (kernel.getSymName() + ".lowered").str(), type);
  function->setAttr(NVVM::NVVMDialect::getKernelFuncAttrName(), b.getUnitAttr());
  function->setAttr(NVVM::NVVMDialect::getReqntidAttrName(),
                    b.getDenseI32ArrayAttr({static_cast<int32_t>(*kernel.getThreads()), 1, 1}));
  // With reqntid it gives setmaxnreg its pool; above 1 it bounds the registers, so that as many CTAs fit a
  // multiprocessor.
  auto ctas = kernel->getAttrOfType<IntegerAttr>("tile.min_ctas");
  function->setAttr(NVVM::NVVMDialect::getMinctasmAttrName(),
                    b.getI32IntegerAttr(ctas ? static_cast<int32_t>(ctas.getInt()) : 1));
  if (kernel.getClusterSize() > 1)
    function->setAttr(NVVM::NVVMDialect::getClusterDimAttrName(),
                      b.getDenseI32ArrayAttr(*kernel.getCluster()));

  Block *entry = function.addEntryBlock(b);
  for (auto [i, argument] : llvm::enumerate(kernel.getBody().getArguments())) {
    Registers registers{entry->getArgument(i)};
    if (isa<tile::MapType>(argument.getType())) {
      function.setArgAttr(i, LLVM::LLVMDialect::getByValAttrName(),
                          TypeAttr::get(LLVM::LLVMArrayType::get(b.getI8Type(), 128)));
      function.setArgAttr(i, NVVM::NVVMDialect::getGridConstantAttrName(), b.getUnitAttr());
      function.setArgAttr(i, LLVM::LLVMDialect::getAlignAttrName(), b.getI64IntegerAttr(64));
    }
    // The stride of an argument is not a parameter; a tile.strided gives it.
    registers.resize(types(argument.getType()).size());
    values[argument] = registers;
  }
}

/// The one array of dynamic shared memory, at offset 0 of the window.
static LLVM::GlobalOp sharedArray(ModuleOp module, ImplicitLocOpBuilder &b) {
  StringRef name = "k3_shared";
  if (auto made = module.lookupSymbol<LLVM::GlobalOp>(name))
    return made;
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(module.getBody());
  return LLVM::GlobalOp::create(b, LLVM::LLVMArrayType::get(b.getI8Type(), 0), /*isConstant=*/false,
                                LLVM::Linkage::External, name, Attribute(), /*alignment=*/1024,
                                /*addrSpace=*/3);
}

static bool usesPeers(tile::KernelOp kernel) {
  WalkResult walk = kernel.walk([](Operation *op) {
    bool uses = isa<tile::PeerOp>(op);
    if (auto arrive = dyn_cast<tile::MbarArriveOp>(op))
      uses |= arrive.getPeer() != nullptr;
    if (auto load = dyn_cast<tile::MapLoadOp>(op))
      uses |= load.getMulticast() != nullptr;
    if (auto reduce = dyn_cast<tile::ReduceOp>(op))
      uses |= reduce.getAcross() == tile::Across::Cluster;
    return uses ? WalkResult::interrupt() : WalkResult::advance();
  });
  return walk.wasInterrupted();
}

LogicalResult Emitter::initialise() {
  SmallVector<tile::AllocOp> buffers(kernel.getBody().getOps<tile::AllocOp>());
  SmallVector<tile::MbarAllocOp> barriers(kernel.getBody().getOps<tile::MbarAllocOp>());
  if (!buffers.empty() || !barriers.empty()) {
    Value array = LLVM::AddressOfOp::create(b, sharedArray(module, b));
    sharedBase = LLVM::PtrToIntOp::create(b, b.getI32Type(), array);
  }
  auto place = [&](auto op) -> LogicalResult {
    if (!op.getOffset())
      return op->emitOpError() << "'" << op.getName() << "' has no 'offset'; run passes/Tile first";
    b.setLoc(op.getLoc());
    set(op->getResult(0), add(sharedBase, *op.getOffset()));
    return success();
  };
  for (tile::AllocOp op : buffers)
    if (failed(place(op)))
      return failure();
  for (tile::MbarAllocOp op : barriers)
    if (failed(place(op)))
      return failure();
  b.setLoc(kernel.getLoc());

  SmallVector<Value> maps;
  for (Value argument : kernel.getBody().getArguments())
    if (isa<tile::MapType>(argument.getType()))
      maps.push_back(one(argument));
  if (!maps.empty() || !barriers.empty())
    when(compare(LLVM::ICmpPredicate::eq, NVVM::ThreadIdXOp::create(b, b.getI32Type()), 0), [&] {
      for (Value map : maps)
        NVVM::PrefetchOp::create(b, NVVM::PrefetchCacheLevelAttr(), NVVM::CacheEvictionPriorityAttr(), map,
                                 Value(), b.getUnitAttr());
      for (tile::MbarAllocOp op : barriers)
        for (int64_t slot = 0; slot < op.getType().getSlots(); ++slot)
          NVVM::MBarrierInitOp::create(b, sharedPointer(one(op.getBarrier()), 8 * slot),
                                       i32(op.getType().getArrivals()), Value());
      if (!barriers.empty())
        NVVM::FenceMbarrierInitOp::create(b);
    });
  if (kernel.getClusterSize() > 1 && (!barriers.empty() || usesPeers(kernel)))
    clusterBarrier(/*aligned=*/true); // Nobody touches a peer that has not begun.
  else if (!barriers.empty())
    NVVM::BarrierOp::create(b);
  return success();
}

LogicalResult Emitter::run() {
  if (!kernel.getThreads())
    return kernel.emitOpError() << "has no 'threads'; run passes/Tile first";
  if (!kernel.getSharedBytes() && !kernel.getBody().getOps<tile::AllocOp>().empty())
    return kernel.emitOpError() << "has no 'shared_bytes'; run passes/Tile first";
  createFunction();
  Block *entry = &function.getBody().front(), *prologue = addBlock();
  start(entry);
  Value thread = NVVM::ThreadIdXOp::create(b, b.getI32Type());
  lane = land(thread, 31);
  // Through a shuffle it is seen to be the same in all lanes.
  warp = shuffle(shr(thread, 5), NVVM::ShflKind::idx, i32(0));
  team = {*kernel.getThreads() / 32, 1, warp, i32(0), entry};
  branch(prologue);
  start(prologue);
  if (failed(initialise()) || failed(emit(kernel.getBody().front())))
    return failure();
  if (kernel.getClusterSize() > 1 && usesPeers(kernel))
    clusterBarrier(/*aligned=*/false); // Nobody leaves while a peer may still use its memory.
  LLVM::ReturnOp::create(b, ValueRange());
  StringAttr name = kernel.getSymNameAttr();
  kernel.setSymName((name.getValue() + ".tile").str());
  function.setSymName(name);
  return success();
}

//===----------------------------------------------------------------------===//
// Roles
//===----------------------------------------------------------------------===//

LogicalResult Emitter::lower(tile::RolesOp op) {
  SmallVector<tile::RoleOp> roles(op.getBody().getOps<tile::RoleOp>());
  for (tile::RoleOp each : roles)
    if (!each.getFirstWarp())
      return each.emitOpError() << "'" << each.getName() << "' has no 'at_warp'; run passes/Tile first";
  llvm::sort(roles, [](tile::RoleOp x, tile::RoleOp y) { return *x.getFirstWarp() < *y.getFirstWarp(); });
  int64_t warps = *kernel.getThreads() / 32;
  Block *done = addBlock();
  for (auto [i, each] : llvm::enumerate(roles)) {
    // A role with a register budget has all warps of its warpgroups, the idle ones too.
    int64_t first = *each.getFirstWarp(), end = first + each.getTotalWarps();
    if (each.getRegs())
      end = std::min(llvm::alignTo(end, arch::warpgroupWarps),
                     static_cast<uint64_t>(i + 1 < roles.size() ? *roles[i + 1].getFirstWarp() : warps));
    int64_t before = i == 0 ? 0 : *roles[i - 1].getFirstWarp() + roles[i - 1].getTotalWarps();
    if (first < before || end > warps)
      return each.emitOpError() << "'" << each.getName() << "' has warps " << first << " to " << end - 1
                                << ", the ones before it end at " << before << ", the kernel has " << warps;
    Block *body = addBlock(), *next = i + 1 < roles.size() || end < warps ? addBlock() : done;
    Value mine = first > before ? compare(LLVM::ICmpPredicate::ult, add(warp, -first), end - first)
                 : next != done ? compare(LLVM::ICmpPredicate::ult, warp, end)
                                : Value();
    if (mine)
      branch(mine, body, next);
    else
      branch(body);
    start(body);
    Team outer = team;
    if (failed(role(each, end)))
      return failure();
    team = outer;
    branch(done);
    start(next);
    if (next != done && i + 1 == roles.size())
      branch(done);
  }
  start(done);
  return success();
}

LogicalResult Emitter::role(tile::RoleOp op, int64_t end) {
  b.setLoc(op.getLoc());
  int64_t first = *op.getFirstWarp(), total = op.getTotalWarps();
  Block *idle = addBlock();
  if (op.getRegs()) {
    // A multiprocessor's registers, given out in eights, are what the kernel starts with.
    int64_t atStart =
        std::min<int64_t>(arch::maxRegistersPerThread, arch::registersPerSm / *kernel.getThreads() / 8 * 8);
    int64_t regs = *op.getRegs();
    NVVM::SetMaxRegisterOp::create(b, static_cast<uint32_t>(regs),
                                   regs > atStart ? NVVM::SetMaxRegisterAction::increase
                                                  : NVVM::SetMaxRegisterAction::decrease);
  }
  Value inRole = add(warp, -first);
  if (end > first + total) {
    Block *busy = addBlock();
    branch(compare(LLVM::ICmpPredicate::ult, inRole, total), busy, idle);
    start(busy);
  }
  team = {op.getWarps(), op.getInstances(), inRole, i32(0), b.getInsertionBlock()};
  if (op.getInstances() > 1) {
    team.instance = op.getWarps() == 1 ? inRole : Value(LLVM::UDivOp::create(b, inRole, i32(op.getWarps())));
    team.warp = op.getWarps() == 1 ? i32(0) : Value(LLVM::URemOp::create(b, inRole, i32(op.getWarps())));
  }
  Block *body = addBlock();
  branch(body);
  start(body);
  set(op.getInstance(), team.instance);
  if (failed(emit(op.getBody().front())))
    return failure();
  branch(idle);
  start(idle);
  return success();
}

LogicalResult Emitter::lower(tile::ElectOp op) {
  Block *chosen = addBlock(), *done = addBlock();
  if (team.warps > 1) {
    Block *firstWarp = addBlock();
    branch(compare(LLVM::ICmpPredicate::eq, team.warp, 0), firstWarp, done);
    start(firstWarp);
  }
  branch(NVVM::ElectSyncOp::create(b, b.getI1Type(), Value()), chosen, done);
  start(chosen);
  if (failed(emit(op.getBody().front())))
    return failure();
  branch(done);
  start(done);
  return success();
}

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

Block *Emitter::addBlock(TypeRange types) {
  Block *block = new Block();
  function.getBody().push_back(block);
  block->addArguments(types, SmallVector<Location>(types.size(), b.getLoc()));
  return block;
}

void Emitter::branch(Block *to, ValueRange list) { LLVM::BrOp::create(b, list, to); }

void Emitter::branch(Value condition, Block *then, Block *otherwise, ValueRange list) {
  LLVM::CondBrOp::create(b, condition, then, ValueRange(), otherwise, list);
}

void Emitter::when(Value condition, function_ref<void()> body) {
  if (!condition)
    return body();
  Block *then = addBlock(), *done = addBlock();
  branch(condition, then, done);
  start(then);
  body();
  branch(done);
  start(done);
}

//===----------------------------------------------------------------------===//
// scf
//===----------------------------------------------------------------------===//

LogicalResult Emitter::lower(scf::ForOp op) {
  Type counter = op.getInductionVar().getType();
  SmallVector<Type> carried = types(op.getInitArgs().getTypes()), all{counter};
  llvm::append_range(all, carried);
  Block *header = addBlock(all), *body = addBlock(), *done = addBlock(carried);
  Registers initial{one(op.getLowerBound())};
  llvm::append_range(initial, get(op.getInitArgs()));
  branch(header, initial);
  start(header);
  auto predicate = op.getUnsignedCmp() ? LLVM::ICmpPredicate::ult : LLVM::ICmpPredicate::slt;
  Value index = header->getArgument(0);
  ValueRange state = header->getArguments().drop_front();
  branch(compare(predicate, index, one(op.getUpperBound())), body, done, state);
  start(body);
  set(op.getInductionVar(), index);
  set(ValueRange(op.getRegionIterArgs()), state);
  if (failed(emit(*op.getBody())))
    return failure();
  Registers next{add(index, one(op.getStep()))};
  llvm::append_range(next, get(op.getYieldedValues()));
  branch(header, next);
  start(done);
  set(op.getResults(), done->getArguments());
  return success();
}

LogicalResult Emitter::lower(scf::IfOp op) {
  Block *then = addBlock(), *done = addBlock(types(op.getResultTypes()));
  Block *otherwise = op.elseBlock() ? addBlock() : done;
  branch(one(op.getCondition()), then, otherwise);
  for (auto [from, to] : {std::pair(op.thenBlock(), then), std::pair(op.elseBlock(), otherwise)}) {
    if (!from)
      continue;
    start(to);
    if (failed(emit(*from)))
      return failure();
    branch(done, get(from->getTerminator()->getOperands()));
  }
  start(done);
  set(op.getResults(), done->getArguments());
  return success();
}

LogicalResult Emitter::lower(scf::WhileOp op) {
  Block *before = addBlock(types(op.getInits().getTypes())), *done = addBlock(types(op.getResultTypes())),
        *after = addBlock();
  branch(before, get(op.getInits()));
  start(before);
  set(ValueRange(op.getBeforeArguments()), before->getArguments());
  if (failed(emit(*op.getBeforeBody())))
    return failure();
  Registers passed = get(op.getConditionOp().getArgs());
  branch(one(op.getConditionOp().getCondition()), after, done, passed);
  start(after);
  set(ValueRange(op.getAfterArguments()), passed);
  if (failed(emit(*op.getAfterBody())))
    return failure();
  branch(before, get(op.getYieldOp().getOperands()));
  start(done);
  set(op.getResults(), done->getArguments());
  return success();
}

//===----------------------------------------------------------------------===//
// Every op
//===----------------------------------------------------------------------===//

LogicalResult Emitter::emit(Block &block) {
  for (Operation &op : block) {
    b.setLoc(op.getLoc());
    if (!isa<scf::YieldOp, scf::ConditionOp, tile::ReturnOp, tile::AllocOp, tile::MbarAllocOp>(op) &&
        failed(emit(&op)))
      return failure();
  }
  return success();
}

LogicalResult Emitter::emit(Operation *op) {
  for (Type type : op->getResultTypes())
    if (isa<IndexType>(getElementTypeOrSelf(type)))
      return op->emitOpError() << "is not lowered: scalars of kernels are i32, not index";
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case<tile::RolesOp, tile::ElectOp, scf::ForOp, scf::IfOp, scf::WhileOp, arith::ConstantOp, tile::RcpOp,
            tile::SplatOp, tile::IotaOp, tile::ExpandOp, tile::SliceOp, tile::ConcatOp, tile::TransOp,
            tile::BitcastOp, tile::ConvertOp, tile::ReduceOp, tile::StridedOp, tile::LoadOp, tile::StoreOp,
            tile::GatherLoadOp, tile::CpAsyncOp>([&](auto each) { return lower(each); })
      .Case<tile::AliasOp, tile::SlotOp, tile::PartOp, tile::PeerOp, tile::LoadSharedOp, tile::StoreSharedOp,
            tile::LdmatrixOp, tile::StmatrixOp, tile::PolicyOp, tile::MapLoadOp, tile::MapStoreOp,
            tile::BulkLoadOp, tile::BulkStoreOp, tile::BulkPrefetchOp, tile::BulkCommitOp, tile::BulkWaitOp, tile::CpAsyncCommitOp,
            tile::CpAsyncWaitOp>([&](auto each) { return lower(each); })
      .Case<tile::CursorOp, tile::AdvanceOp, tile::MbarExpectOp, tile::MbarArriveOp, tile::MbarWaitOp,
            tile::WarpSyncOp, tile::TeamSyncOp, tile::NamedSyncOp, tile::ClusterArriveOp, tile::ClusterWaitOp,
            tile::FenceProxyOp, tile::SignalOp, tile::AwaitOp, tile::AtomicAddOp, tile::AssertFlagOp,
            tile::PdlWaitOp, tile::PdlLaunchOp, tile::CtaIdOp, tile::NumCtasOp, tile::ClusterIdOp,
            tile::NumClustersOp, tile::CtaRankOp>([&](auto each) { return lower(each); })
      .Case<tile::WgmmaOp, tile::WgmmaFenceOp, tile::WgmmaCommitOp, tile::WgmmaWaitOp, tile::MmaOp>(
          [&](auto each) { return lower(each); })
      .Default([&](Operation *other) -> LogicalResult {
        if (isa<arith::ArithDialect, math::MathDialect>(other->getDialect()))
          return elementwise(other);
        return other->emitOpError() << "is not lowered to NVVM";
      });
}
