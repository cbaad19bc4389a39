//===- Executor.cpp - Runs the entries of a program -----------------------===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/Executor.h"

#include "runtime/GpuLaunch.h"

#include <chrono>

using namespace k3;

/// " 'name'", and of GPU code the kernel and the place in the source.
static std::string entryText(const fb::PackageT &package, const fb::EntryT &entry) {
  std::string text = " '" + entry.name + "'";
  const fb::LaunchT *launch = entry.op.AsLaunch();
  if (!launch || !isGpuKernel(package, launch->kernel))
    return text;
  text += " (kernel '" + package.kernels[launch->kernel]->symbol + "'";
  if (entry.loc > 0 && entry.loc < package.locs.size()) {
    const fb::LocT &loc = *package.locs[entry.loc];
    text += ", " + loc.file + ":" + std::to_string(loc.line) + ":" + std::to_string(loc.col);
  }
  return text + ")";
}

Status Executor::run(const fb::ProgramT &program, const SymbolValues &symbols, const ExecutorHooks &hooks) {
  bool plain = !hooks.fetch && !hooks.afterEntry && !hooks.stats && program.kind != fb::Kind::Body;
  if (!recordGraphs || !plain || !device.recordsGraphs())
    return runEntries(program, symbols, hooks);
  GraphKey key{&program, {}};
  for (unsigned i = 0; i < symbolCount; ++i)
    key.second[i] = symbols.has(static_cast<uint8_t>(i)) ? symbols.get(static_cast<uint8_t>(i)) : -1;
  auto [it, isNew] = graphs.try_emplace(key);
  if (isNew) {
    // Sizes that occur once are not worth a graph; and the first run does what a recording may not, such as loading code.
    if (graphs.size() > maxGraphs) {
      graphs.clear();
      graphs.try_emplace(key);
    }
    return runEntries(program, symbols, hooks);
  }
  if (!it->second) {
    auto graph = device.capture([&] { return runEntries(program, symbols, hooks); });
    if (!graph) {
      graphs.erase(it);
      return graph.takeStatus();
    }
    it->second = std::move(*graph);
  }
  return device.replay(*it->second).withContext("program '" + program.name + "'");
}

Status Executor::runEntries(const fb::ProgramT &program, const SymbolValues &symbols, const ExecutorHooks &hooks) {
  SymbolValues values = symbols;
  for (size_t i = 0; i < program.entries.size(); ++i) {
    const fb::EntryT &entry = *program.entries[i];
    Status status = hooks.stats ? runTimed(entry, values, hooks) : runEntry(entry, values, hooks);
    if (status.ok() && hooks.afterEntry)
      status = hooks.afterEntry(i, values);
    if (status.ok())
      continue;
    // What is wrong with a checkpoint is the user's to mend; the place in @pack would only hide the tensor's
    // name.
    if (entry.op.type == fb::Op::Fetch || entry.op.type == fb::Op::Call)
      return status;
    return std::move(status).withContext("program '" + program.name + "', entry " + std::to_string(i) +
                                         entryText(package, entry));
  }
  return Status::success();
}

Status Executor::runEntry(const fb::EntryT &entry, SymbolValues &symbols, const ExecutorHooks &hooks) {
  switch (entry.op.type) {
  case fb::Op::Launch:
    return launch(*entry.op.AsLaunch(), symbols);
  case fb::Op::Gemm:
    return gemm(*entry.op.AsGemm(), symbols);
  case fb::Op::Copy: {
    const fb::CopyT &copy = *entry.op.AsCopy();
    if (copy.peer_rank >= 0)
      return unsupported("a copy to another rank; this runtime runs one rank");
    K3_ASSIGN(ResolvedView source, resolveView(*copy.src, symbols, buffers));
    K3_ASSIGN(ResolvedView destination, resolveView(*copy.dst, symbols, buffers));
    K3_ASSIGN(int64_t bytes, evaluate(*copy.bytes, symbols));
    return bytes > 0 ? device.copy(destination.data, source.data, static_cast<uint64_t>(bytes))
                     : Status::success();
  }
  case fb::Op::Fill: {
    const fb::FillT &fill = *entry.op.AsFill();
    K3_ASSIGN(ResolvedView destination, resolveView(*fill.dst, symbols, buffers));
    K3_ASSIGN(int64_t bytes, evaluate(*fill.bytes, symbols));
    return bytes > 0 ? device.fill(destination.data, fill.byte, static_cast<uint64_t>(bytes))
                     : Status::success();
  }
  case fb::Op::Fetch: {
    if (!hooks.fetch)
      return badInput("a fetch of a checkpoint tensor outside @pack");
    const fb::FetchT &fetch = *entry.op.AsFetch();
    K3_ASSIGN(int64_t member, evaluateOr(fetch.member, symbols, 0));
    K3_ASSIGN(ResolvedView destination, resolveView(*fetch.dst, symbols, buffers));
    return hooks.fetch(fetch, static_cast<uint64_t>(member), destination);
  }
  case fb::Op::Call:
    return call(*entry.op.AsCall(), symbols, hooks);
  case fb::Op::Collective:
    return unsupported("a collective operation; this runtime runs one rank");
  case fb::Op::NONE:
    break;
  }
  return unsupported("is an operation that this runtime does not know");
}

/// The class of an entry in the statistics.
static std::string entryClass(const fb::PackageT &package, const fb::EntryT &entry) {
  switch (entry.op.type) {
  case fb::Op::Launch:
    return package.kernels[entry.op.AsLaunch()->kernel]->symbol;
  case fb::Op::Gemm:
    return "gemm";
  case fb::Op::Copy:
    return "copy";
  case fb::Op::Fill:
    return "fill";
  case fb::Op::Fetch:
    return "fetch";
  default:
    return "other";
  }
}

Status Executor::runTimed(const fb::EntryT &entry, SymbolValues &symbols, const ExecutorHooks &hooks) {
  if (entry.op.type == fb::Op::Call) // its entries are counted themselves
    return runEntry(entry, symbols, hooks);
  auto start = std::chrono::steady_clock::now();
  K3_TRY(runEntry(entry, symbols, hooks));
  K3_TRY(device.synchronise());
  EntryStat &stat = (*hooks.stats)[entryClass(package, entry)];
  stat.seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  ++stat.calls;
  K3_ASSIGN(int64_t bytes, evaluateOr(entry.bytes, symbols, 0));
  stat.bytes += static_cast<uint64_t>(bytes);
  int64_t flops = 0;
  if (const fb::GemmT *gemm = entry.op.AsGemm(); gemm && !entry.flops) {
    K3_ASSIGN(int64_t m, evaluate(*gemm->m, symbols));
    flops = 2 * m * static_cast<int64_t>(gemm->n) * static_cast<int64_t>(gemm->k);
  } else {
    K3_ASSIGN(flops, evaluateOr(entry.flops, symbols, 0));
  }
  stat.flops += static_cast<uint64_t>(flops);
  return Status::success();
}

Status Executor::launch(const fb::LaunchT &launch, const SymbolValues &symbols) {
  if (isGpuKernel(package, launch.kernel)) {
    GpuLaunchRecord record;
    K3_TRY(evaluateGpuLaunch(launch, symbols, buffers, arguments, record));
    return record.grid[0] ? device.launchGpu(record) : Status::success();
  }
  K3_ASSIGN(int64_t units, evaluate(*launch.grid->x, symbols));
  if (units <= 0)
    return Status::success();
  arrays.clear();
  for (size_t i = 0; i < launch.args.size(); ++i) {
    const fb::ArgBoxT &box = *launch.args[i];
    const fb::ViewT *view = nullptr;
    if (const fb::BufferArgT *buffer = box.arg.AsBufferArg())
      view = buffer->view.get();
    else if (const fb::DeviceScalarArgT *scalar = box.arg.AsDeviceScalarArg())
      view = scalar->view.get();
    else
      return unsupported("argument " + std::to_string(i) + " is no buffer; grid ABI 1 has only buffers");
    K3_ASSIGN(ResolvedView resolved, resolveView(*view, symbols, buffers));
    arrays.push_back(resolved.array());
  }
  return device.launch({launch.kernel, units, launch.grain, launch.dyn_smem, arrays});
}

Status Executor::gemm(const fb::GemmT &gemm, const SymbolValues &symbols) {
  if (gemm.batch)
    return unsupported("a batched matrix product");
  K3_ASSIGN(int64_t m, evaluate(*gemm.m, symbols));
  if (m <= 0 || gemm.n == 0)
    return Status::success();
  GemmRecord record;
  K3_ASSIGN(ResolvedView a, resolveView(*gemm.a, symbols, buffers));
  K3_ASSIGN(ResolvedView b, resolveView(*gemm.b, symbols, buffers));
  K3_ASSIGN(ResolvedView c, resolveView(*gemm.c, symbols, buffers));
  if (a.dtype != fb::DType::F32 || b.dtype != fb::DType::F32 || c.dtype != fb::DType::F32)
    return unsupported("a matrix product of other than f32 operands");
  record.a = a.array();
  record.b = b.array();
  record.c = c.array();
  record.m = m;
  record.n = static_cast<int64_t>(gemm.n);
  record.k = static_cast<int64_t>(gemm.k);
  record.transB = gemm.trans_b;
  record.alpha = gemm.alpha;
  record.beta = gemm.beta;
  return device.gemm(record);
}

Status Executor::call(const fb::CallT &call, SymbolValues &symbols, const ExecutorHooks &hooks) {
  if (!call.bind.empty())
    return unsupported("a call that binds views");
  K3_ASSIGN(int64_t members, evaluateOr(call.loop, symbols, 1));
  ExecutorHooks inner = hooks;
  inner.afterEntry = nullptr; // taps belong to the outer program
  for (int64_t member = 0; member < members; ++member) {
    SymbolValues values = symbols;
    values.set(fb::Sym::Member, member);
    values.set(fb::Sym::Slot, member % std::max<int64_t>(call.slots, 1));
    K3_TRY(runEntries(*package.programs[call.program], values, inner));
  }
  return Status::success();
}
