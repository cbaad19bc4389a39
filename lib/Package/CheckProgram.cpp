//===- CheckProgram.cpp - Entries, views, taps and arguments of a program -*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Package/Check.h"
#include "lib/Package/DType.h"
#include "lib/Package/Expr.h"

#include <set>
#include <string>

using namespace k3;

namespace {

class ProgramChecker {
public:
  ProgramChecker(const fb::PackageT &package, const fb::ProgramT &program)
      : package(package), program(program) {}
  Status run();

private:
  Status setLimits();
  void applyLimits(const std::vector<std::unique_ptr<fb::LimitT>> &limits);
  Status checkEntry(const fb::EntryT &entry, size_t number);
  Status checkOp(const fb::EntryT &entry);
  Status checkLaunch(const fb::LaunchT &launch);
  Status checkArg(const fb::ArgBoxT *box);
  Status checkGemm(const fb::GemmT &gemm);
  Status checkFetch(const fb::FetchT &fetch);
  Status checkCollective(const fb::CollectiveT &collective);
  Status checkCall(const fb::CallT &call);
  Status checkTaps();
  Status checkView(const std::unique_ptr<fb::ViewT> &view, const char *what);
  Status checkViewRange(const fb::ViewT &view, const SymbolValues &symbols);
  Status checkExpr(const std::unique_ptr<fb::ExprT> &expression, const char *what, bool required = false);

  const fb::PackageT &package;
  const fb::ProgramT &program;
  SymbolValues lower, upper; ///< The two ends of the bucket.
};

Status need(const void *field, const char *what) {
  if (field)
    return Status::success();
  return badInput(std::string("has no ") + what);
}

} // namespace

void ProgramChecker::applyLimits(const std::vector<std::unique_ptr<fb::LimitT>> &limits) {
  for (const auto &limit : limits) {
    lower.set(limit->sym, static_cast<int64_t>(limit->min));
    upper.set(limit->sym, static_cast<int64_t>(limit->max));
  }
}

/// The bucket of the program, and what it does not name from the package. Member and Slot of a body come from
/// its calls.
Status ProgramChecker::setLimits() {
  for (const auto &limit : program.bucket)
    if (!limit || limit->sym > fb::Sym::MAX || limit->min > limit->max || limit->max >> 62)
      return badInput("its bucket has an unknown symbol or an empty range");
  applyLimits(package.limits);
  applyLimits(program.bucket);
  if (program.kind != fb::Kind::Body)
    return Status::success();
  int64_t members = 0, slots = 1;
  for (const auto &caller : package.programs) {
    for (const auto &entry : caller->entries) {
      const fb::CallT *call = entry ? entry->op.AsCall() : nullptr;
      if (!call || call->program >= package.programs.size() ||
          package.programs[call->program].get() != &program)
        continue;
      K3_ASSIGN(int64_t loop, evaluateOr(call->loop, upper, 1));
      members = std::max(members, loop);
      slots = std::max<int64_t>(slots, call->slots);
    }
  }
  lower.set(fb::Sym::Member, 0);
  lower.set(fb::Sym::Slot, 0);
  upper.set(fb::Sym::Member, std::max<int64_t>(members - 1, 0));
  upper.set(fb::Sym::Slot, std::max<int64_t>(std::min(slots, members) - 1, 0));
  return Status::success();
}

Status ProgramChecker::run() {
  if (program.kind > fb::Kind::MAX || program.variant > fb::Variant::MAX)
    return unsupported("has a kind or variant that this release does not know; use a newer k3-run");
  K3_TRY(checkIndex("target", program.target, package.targets.size()));
  if (program.streams == 0)
    return badInput("has no stream");
  K3_TRY(setLimits());
  if (program.arena_bytes != 0)
    K3_TRY(checkIndex("arena buffer", program.arena, package.buffers.size()));
  for (const auto &io : program.io) {
    K3_TRY(need(io.get(), "input or output at some place"));
    K3_TRY(checkIndex("buffer", io->buffer, package.buffers.size()).withContext("io '" + io->name + "'"));
    for (const auto &dim : io->dims)
      K3_TRY(need(dim ? dim->size.get() : nullptr, "extent for a dim of an io"));
  }
  for (size_t i = 0; i < program.entries.size(); ++i) {
    if (!program.entries[i])
      return badInput("entry " + std::to_string(i) + " is empty");
    std::string where = "entry " + std::to_string(i) + " '" + program.entries[i]->name + "'";
    K3_TRY(checkEntry(*program.entries[i], i).withContext(where));
  }
  return checkTaps();
}

Status ProgramChecker::checkEntry(const fb::EntryT &entry, size_t number) {
  if (entry.stream >= program.streams)
    return badInput("runs on stream " + std::to_string(entry.stream) + ", the program has " +
                    std::to_string(program.streams));
  for (uint32_t wait : entry.waits)
    if (wait >= number)
      return badInput("waits for entry " + std::to_string(wait) + ", which does not come before it");
  if (!package.locs.empty())
    K3_TRY(checkIndex("location", entry.loc, package.locs.size()));
  K3_TRY(checkExpr(entry.bytes, "bytes"));
  K3_TRY(checkExpr(entry.flops, "flops"));
  return checkOp(entry);
}

Status ProgramChecker::checkOp(const fb::EntryT &entry) {
  if (entry.op.type == fb::Op::NONE || entry.op.type > fb::Op::MAX || !entry.op.value)
    return unsupported("is an operation (number " + std::to_string(static_cast<unsigned>(entry.op.type)) +
                       ") that this release does not know; use a newer k3-run");
  switch (entry.op.type) {
  case fb::Op::Launch:
    return checkLaunch(*entry.op.AsLaunch());
  case fb::Op::Gemm:
    return checkGemm(*entry.op.AsGemm());
  case fb::Op::Copy:
    K3_TRY(checkView(entry.op.AsCopy()->src, "source"));
    K3_TRY(checkView(entry.op.AsCopy()->dst, "destination"));
    return checkExpr(entry.op.AsCopy()->bytes, "bytes", /*required=*/true);
  case fb::Op::Fill:
    K3_TRY(checkView(entry.op.AsFill()->dst, "destination"));
    return checkExpr(entry.op.AsFill()->bytes, "bytes", /*required=*/true);
  case fb::Op::Fetch:
    return checkFetch(*entry.op.AsFetch());
  case fb::Op::Collective:
    return checkCollective(*entry.op.AsCollective());
  case fb::Op::Call:
    return checkCall(*entry.op.AsCall());
  case fb::Op::NONE:
    break;
  }
  return internalError("an operation has no check");
}

Status ProgramChecker::checkLaunch(const fb::LaunchT &launch) {
  K3_TRY(checkIndex("kernel", launch.kernel, package.kernels.size()));
  K3_TRY(need(launch.grid.get(), "grid"));
  K3_TRY(checkExpr(launch.grid->x, "grid", /*required=*/true));
  K3_TRY(checkExpr(launch.grid->y, "grid"));
  K3_TRY(checkExpr(launch.grid->z, "grid"));
  K3_TRY(checkExpr(launch.max_ctas, "max_ctas"));
  K3_TRY(checkExpr(launch.min_resident, "min_resident"));
  if (launch.grain == 0)
    return badInput("has a grain of 0");
  for (size_t i = 0; i < launch.args.size(); ++i)
    K3_TRY(checkArg(launch.args[i].get()).withContext("argument " + std::to_string(i)));
  for (const SymbolValues *end : {&lower, &upper})
    K3_TRY(checkGpuLaunch(package, program, launch, *end));
  return Status::success();
}

Status ProgramChecker::checkArg(const fb::ArgBoxT *box) {
  if (!box || box->arg.type == fb::Arg::NONE || box->arg.type > fb::Arg::MAX || !box->arg.value)
    return unsupported("is of a kind that this release does not know; use a newer k3-run");
  if (const fb::BufferArgT *arg = box->arg.AsBufferArg()) {
    if (arg->access < 1 || arg->access > 3)
      return badInput("has access " + std::to_string(arg->access) +
                      ", expected 1 (read), 2 (write) or 3 (both)");
    return checkView(arg->view, "view");
  }
  if (const fb::ScalarArgT *arg = box->arg.AsScalarArg())
    return checkExpr(arg->value, "value", /*required=*/!arg->is_const);
  if (const fb::DeviceScalarArgT *arg = box->arg.AsDeviceScalarArg())
    return checkView(arg->view, "view");
  if (const fb::TensorMapArgT *arg = box->arg.AsTensorMapArg())
    return checkView(arg->view, "view");
  return checkView(box->arg.AsSymmetricArg()->view, "view");
}

Status ProgramChecker::checkGemm(const fb::GemmT &gemm) {
  K3_TRY(checkView(gemm.a, "view a"));
  K3_TRY(checkView(gemm.b, "view b"));
  K3_TRY(checkView(gemm.c, "view c"));
  K3_TRY(checkExpr(gemm.m, "m", /*required=*/true));
  K3_TRY(checkExpr(gemm.batch, "batch"));
  auto extent = [](const fb::ViewT &view, size_t fromEnd) -> std::optional<int64_t> {
    if (view.dims.size() < fromEnd)
      return std::nullopt;
    return constantValue(*view.dims[view.dims.size() - fromEnd]->size);
  };
  auto differs = [](std::optional<int64_t> have, uint64_t want) {
    return have && static_cast<uint64_t>(*have) != want;
  };
  uint64_t rows = gemm.trans_b ? gemm.n : gemm.k, columns = gemm.trans_b ? gemm.k : gemm.n;
  if (differs(extent(*gemm.a, 1), gemm.k) || differs(extent(*gemm.b, 1), columns) ||
      differs(extent(*gemm.b, 2), rows) || differs(extent(*gemm.c, 1), gemm.n))
    return badInput("its views do not have the extents of n = " + std::to_string(gemm.n) +
                    ", k = " + std::to_string(gemm.k));
  return Status::success();
}

Status ProgramChecker::checkFetch(const fb::FetchT &fetch) {
  K3_TRY(checkIndex("weight", fetch.weight, package.weights.size()));
  const fb::WeightT &weight = *package.weights[fetch.weight];
  K3_TRY(checkIndex("part", fetch.part, weight.parts.size()).withContext("weight '" + weight.name + "'"));
  K3_TRY(checkExpr(fetch.member, "member"));
  K3_TRY(checkExpr(fetch.slice_lo, "slice start", fetch.slice_dim >= 0));
  K3_TRY(checkExpr(fetch.slice_len, "slice length", fetch.slice_dim >= 0));
  if (fetch.slice_dim >= 0)
    K3_TRY(checkIndex("slice dim", fetch.slice_dim, weight.parts[fetch.part]->shape.size()));
  return checkView(fetch.dst, "destination");
}

Status ProgramChecker::checkCollective(const fb::CollectiveT &collective) {
  if (collective.kind > fb::CollectiveKind::MAX)
    return unsupported("is a collective that this release does not know; use a newer k3-run");
  for (uint16_t axis : collective.axes)
    K3_TRY(checkIndex("mesh axis", axis, package.mesh ? package.mesh->axes.size() : 0));
  if (collective.kind == fb::CollectiveKind::Barrier)
    return Status::success();
  K3_TRY(checkView(collective.src, "source"));
  K3_TRY(checkView(collective.dst, "destination"));
  if (collective.scratch)
    K3_TRY(checkView(collective.scratch, "scratch"));
  if (collective.counts)
    K3_TRY(checkView(collective.counts, "counts"));
  return checkExpr(collective.capacity, "capacity");
}

Status ProgramChecker::checkCall(const fb::CallT &call) {
  K3_TRY(checkIndex("program", call.program, package.programs.size()));
  const fb::ProgramT &body = *package.programs[call.program];
  if (body.kind != fb::Kind::Body || program.kind == fb::Kind::Body)
    return badInput("calls program '" + body.name +
                    "': only programs of kind Body are called, and they call none");
  if (call.slots == 0)
    return badInput("has 0 staging slots");
  for (const auto &view : call.bind)
    K3_TRY(checkView(view, "bound view"));
  return checkExpr(call.loop, "loop");
}

Status ProgramChecker::checkTaps() {
  std::set<std::string_view> seen;
  for (const auto &tap : program.taps) {
    K3_TRY(need(tap.get(), "tap at some place"));
    std::string where = "tap '" + tap->name + "'";
    if (!seen.insert(tap->name).second)
      return badInput(where + " is there twice");
    if (tap->state.empty()) {
      K3_TRY(checkView(tap->view, "view").withContext(where));
      K3_TRY(checkIndex("entry", tap->entry, program.entries.size()).withContext(where));
      continue;
    }
    bool found = false;
    for (const auto &state : package.states)
      found |= state->name == tap->state;
    if (!found || tap->writable)
      return badInput(where +
                      (found ? " of a state cannot be given" : ": there is no state '" + tap->state + "'"));
  }
  return Status::success();
}

Status ProgramChecker::checkExpr(const std::unique_ptr<fb::ExprT> &expression, const char *what,
                                 bool required) {
  if (!expression)
    return required ? need(nullptr, what) : Status::success();
  // A symbol without a limit (SM, Rank, ...) has no value before the run; anything else must evaluate at both
  // ends.
  for (const fb::Term &term : expression->terms) {
    if (term.a() >= symbolCount || term.b() >= symbolCount || term.div() == 0)
      return badInput(std::string(what) + ": expression '" + exprText(*expression) +
                      "' has an unknown symbol or divides by 0");
    if (!upper.has(term.a()) || !upper.has(term.b()))
      return Status::success();
  }
  for (const SymbolValues *end : {&lower, &upper}) {
    Expected<int64_t> value = evaluate(*expression, *end);
    if (!value.ok())
      return value.takeStatus().withContext(what);
  }
  return Status::success();
}

Status ProgramChecker::checkView(const std::unique_ptr<fb::ViewT> &view, const char *what) {
  K3_TRY(need(view.get(), what));
  std::string where = std::string(what) + (view->name.empty() ? "" : " '" + view->name + "'");
  K3_TRY(checkIndex("buffer", view->buffer, package.buffers.size()).withContext(where));
  if (bitWidth(view->dtype) == 0)
    return badInput(where + " has no element type that this release knows");
  if (view->strides.size() != view->dims.size())
    return badInput(where + " has " + std::to_string(view->dims.size()) + " dims and " +
                    std::to_string(view->strides.size()) + " strides");
  K3_TRY(checkExpr(view->offset, "offset").withContext(where));
  for (size_t i = 0; i < view->dims.size(); ++i) {
    K3_TRY(need(view->dims[i].get(), "dim at some place").withContext(where));
    K3_TRY(checkExpr(view->dims[i]->size, "extent", /*required=*/true).withContext(where));
    K3_TRY(checkExpr(view->strides[i], "stride", /*required=*/true).withContext(where));
  }
  for (const SymbolValues *end : {&lower, &upper})
    K3_TRY(checkViewRange(*view, *end).withContext(where));
  return Status::success();
}

/// offset .. offset + (1 + sum (extent - 1) * stride) * element inside the buffer, where all of it has a
/// value. State buffers are sized by the runtime.
Status ProgramChecker::checkViewRange(const fb::ViewT &view, const SymbolValues &symbols) {
  const fb::BufferT &buffer = *package.buffers[view.buffer];
  int64_t offset = 0, room = 0, last = 0;
  if (view.offset && !tryEvaluate(*view.offset, symbols, offset))
    return Status::success();
  if (offset < 0)
    return badInput("begins before its buffer '" + buffer.name + "'");
  bool empty = false;
  for (size_t i = 0; i < view.dims.size(); ++i) {
    int64_t extent = 0, stride = 0, reach = 0;
    if (!tryEvaluate(*view.dims[i]->size, symbols, extent) || !tryEvaluate(*view.strides[i], symbols, stride))
      return Status::success();
    if (extent < 0 || stride < 0)
      return badInput("has a negative extent or stride in dim " + std::to_string(i));
    empty |= extent == 0;
    if (__builtin_mul_overflow(extent - (extent != 0), stride, &reach) ||
        __builtin_add_overflow(last, reach, &last))
      return badInput("is larger than 2^63 elements");
  }
  if (empty || buffer.space == fb::Space::State || !buffer.bytes ||
      !tryEvaluate(*buffer.bytes, symbols, room))
    return Status::success();
  int64_t end = 0;
  if (__builtin_add_overflow(last, 1, &end) || __builtin_mul_overflow(end, bitWidth(view.dtype) / 8, &end) ||
      __builtin_add_overflow(end, offset, &end) || end > room)
    return badInput("ends at byte " + std::to_string(end) + " of buffer '" + buffer.name + "', which has " +
                    std::to_string(room));
  return Status::success();
}

Status k3::checkProgram(const fb::PackageT &package, const fb::ProgramT &program) {
  return ProgramChecker(package, program).run();
}
