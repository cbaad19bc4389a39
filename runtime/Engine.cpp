//===- Engine.cpp - The step ABI on one device ----------------------------===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/Engine.h"

#include "lib/Package/DType.h"
#include "lib/Package/GpuIsa.h"
#include "runtime/HostSide.h"

#include <algorithm>

using namespace k3;

Engine::Engine(std::shared_ptr<const ModelPackage> package, std::unique_ptr<Device> device,
               const EngineOptions &options)
    : model(std::move(package)), machine(std::move(device)), executor(model->get(), *machine, buffers),
      slotCount(options.slots), pageCount(options.pages), timing(options.stats) {
  stepTaps.recording = options.recordTaps;
}

Engine::~Engine() {
  for (DeviceMemory &buffer : buffers)
    machine->release(buffer);
}

Expected<std::unique_ptr<Engine>> Engine::create(std::shared_ptr<const ModelPackage> package,
                                                 const WeightSource &weights, std::unique_ptr<Device> device,
                                                 const EngineOptions &options) {
  K3_TRY(device->loadKernels(package->get(), package->runTarget()));
  std::unique_ptr<Engine> engine(new Engine(std::move(package), std::move(device), options));
  K3_TRY(engine->allocate());
  K3_TRY(engine->openHostSide(options.threads));
  K3_TRY(engine->pack(weights, options));
  return engine;
}

SymbolValues Engine::baseSymbols() const {
  SymbolValues symbols;
  symbols.set(fb::Sym::Rank, 0);
  symbols.set(fb::Sym::SM, machine->workers());
  symbols.set(fb::Sym::Threads, machine->workers());
  return symbols;
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

/// Bytes of a buffer at the upper ends of all symbols; state by slots or pages.
Expected<uint64_t> Engine::bufferBytes(size_t index) const {
  const fb::BufferT &buffer = *model->get().buffers[index];
  if (buffer.space == fb::Space::State) {
    uint64_t bytes = 0;
    for (const auto &state : model->get().states)
      if (state->buffer == index)
        bytes = std::max(bytes,
                         state->offset + state->slot_stride *
                                             (state->kind == fb::StateKind::Paged ? pageCount : slotCount));
    return bytes;
  }
  SymbolValues symbols = model->upperSymbols();
  symbols.set(fb::Sym::SM, machine->workers());
  symbols.set(fb::Sym::Threads, machine->workers());
  K3_ASSIGN(int64_t size, evaluate(*buffer.bytes, symbols));
  auto bytes = static_cast<uint64_t>(std::max<int64_t>(size, 0));
  for (const auto &program : model->get().programs)
    if (program->arena_bytes && program->arena == index)
      bytes = std::max(bytes, program->arena_bytes);
  return bytes;
}

Status Engine::allocate() {
  const auto &declared = model->get().buffers;
  buffers.resize(declared.size());
  for (size_t i = 0; i < declared.size(); ++i) {
    if (declared[i]->space == fb::Space::Symmetric)
      return unsupported("buffer '" + declared[i]->name +
                         "' is shared between ranks; this runtime runs one rank");
    auto bytes = bufferBytes(i);
    if (!bytes)
      return bytes.takeStatus().withContext("buffer '" + declared[i]->name + "'");
    auto memory = machine->allocate(*bytes);
    if (!memory)
      return memory.takeStatus().withContext("buffer '" + declared[i]->name + "'");
    buffers[i] = *memory;
    if (declared[i]->space == fb::Space::Constant)
      K3_TRY(machine->copyIn(buffers[i].data, declared[i]->data.data(), declared[i]->data.size()));
  }
  return Status::success();
}

/// Where weights are packed or rows sampled on the host beside a GPU: its code and memory.
Status Engine::openHostSide(uint32_t threads) {
  const fb::PackageT &package = model->get();
  std::optional<uint32_t> target;
  for (const fb::ProgramT *program : {model->pack(), model->sample(), model->copyState()}) {
    if (!program || program->target == model->runTarget())
      continue;
    if (program == model->copyState() || isaNumber(package.targets[program->target]->isa))
      return unsupported("program '" + program->name + "' is for target '" + package.targets[program->target]->name +
                         "', the steps for '" + package.targets[model->runTarget()]->name + "'");
    target = program->target;
  }
  if (!target)
    return Status::success();
  hostSide = std::make_unique<HostSide>(package, threads);
  K3_TRY(hostSide->device.loadKernels(package, *target));
  for (size_t i = 0; i < package.buffers.size(); ++i) {
    if (package.buffers[i]->space == fb::Space::State)
      continue;
    K3_ASSIGN(uint64_t bytes, bufferBytes(i));
    K3_ASSIGN(hostSide->buffers[i], hostSide->device.allocate(bytes));
    if (package.buffers[i]->space == fb::Space::Constant)
      K3_TRY(hostSide->device.copyIn(hostSide->buffers[i].data, package.buffers[i]->data.data(),
                                     package.buffers[i]->data.size()));
  }
  return Status::success();
}

Status Engine::run(const fb::ProgramT &program, const SymbolValues &symbols, const ExecutorHooks &hooks) {
  if (onHostSide(program))
    return hostSide->executor.run(program, symbols, hooks);
  K3_TRY(executor.run(program, symbols, hooks));
  return machine->synchronise();
}

//===----------------------------------------------------------------------===//
// @pack
//===----------------------------------------------------------------------===//

/// Writes the tensor, or a slice of one dimension of it, to the destination.
Status Engine::fetch(Device &device, const WeightSource &weights, const fb::FetchT &fetch, uint64_t member,
                     const ResolvedView &destination, std::vector<std::byte> &scratch) {
  const fb::WeightT &weight = *model->get().weights[fetch.weight];
  const fb::PartT &part = *weight.parts[fetch.part];
  K3_ASSIGN(std::span<const std::byte> bytes, weights.tensor(weight, member, fetch.part, scratch));
  std::vector<std::byte> slice;
  if (fetch.slice_dim >= 0) {
    auto dim = static_cast<size_t>(fetch.slice_dim);
    K3_ASSIGN(int64_t low, evaluate(*fetch.slice_lo, baseSymbols()));
    K3_ASSIGN(int64_t length, evaluate(*fetch.slice_len, baseSymbols()));
    auto extent = static_cast<int64_t>(part.shape[dim]);
    if (low < 0 || length < 0 || low + length > extent || (dim == 0 && weight.used))
      return badInput("weight '" + weight.name + "': slice [" + std::to_string(low) + ", " +
                      std::to_string(low + length) + ") of dimension " + std::to_string(dim) + " of extent " +
                      std::to_string(extent));
    uint64_t inner = bitWidth(part.dtype) / 8, outer = 1;
    for (size_t i = 0; i < part.shape.size(); ++i)
      (i < dim ? outer : inner) *= i == dim ? 1 : part.shape[i];
    slice.reserve(outer * static_cast<uint64_t>(length) * inner);
    for (uint64_t o = 0; o < outer; ++o) {
      auto from =
          bytes.begin() + static_cast<int64_t>((o * part.shape[dim] + static_cast<uint64_t>(low)) * inner);
      slice.insert(slice.end(), from, from + length * static_cast<int64_t>(inner));
    }
    bytes = slice;
  }
  if (bytes.size() != destination.bytes()) {
    if (!weight.used || bytes.size() > destination.bytes())
      return badInput("weight '" + weight.name + "': " + std::to_string(bytes.size()) +
                      " bytes of the checkpoint go to a view of " + std::to_string(destination.bytes()));
    slice.assign(bytes.begin(), bytes.end()); // unused rows of a padded weight are zero
    slice.resize(destination.bytes());
    bytes = slice;
  }
  return copyViewIn(device, destination, bytes.data());
}

/// Checkpoint bytes that a program fetches, bodies included.
static Expected<uint64_t> fetchedBytes(const fb::PackageT &package, const fb::ProgramT &program) {
  uint64_t total = 0;
  for (const auto &entry : program.entries) {
    if (const fb::FetchT *fetch = entry->op.AsFetch()) {
      total += usedBytes(*package.weights[fetch->weight], fetch->part);
    } else if (const fb::CallT *call = entry->op.AsCall()) {
      K3_ASSIGN(int64_t loop, evaluateOr(call->loop, SymbolValues(), 1));
      K3_ASSIGN(uint64_t body, fetchedBytes(package, *package.programs[call->program]));
      total += static_cast<uint64_t>(loop) * body;
    }
  }
  return total;
}

Status Engine::pack(const WeightSource &weights, const EngineOptions &options) {
  if (const fb::ProgramT *program = model->pack()) {
    K3_ASSIGN(uint64_t total, fetchedBytes(model->get(), *program));
    uint64_t done = 0;
    std::vector<std::byte> scratch;
    ExecutorHooks hooks;
    hooks.fetch = [&](const fb::FetchT &entry, uint64_t member, const ResolvedView &destination) {
      Device &device = onHostSide(*program) ? hostSide->device : *machine;
      K3_TRY(fetch(device, weights, entry, member, destination, scratch));
      done += usedBytes(*model->get().weights[entry.weight], entry.part);
      if (options.progress && !options.progress(done, total))
        return Status(Code::BadUsage, "stopped by the progress callback");
      return Status::success();
    };
    K3_TRY(run(*program, baseSymbols(), hooks));
    for (size_t i = 0; i < buffers.size() && onHostSide(*program); ++i) {
      if (model->get().buffers[i]->space != fb::Space::Weights)
        continue;
      K3_TRY(machine->copyIn(buffers[i].data, hostSide->buffers[i].data, hostSide->buffers[i].bytes));
      hostSide->device.release(std::exchange(hostSide->buffers[i], {}));
    }
  }
  for (size_t i = 0; i < buffers.size(); ++i) {
    if (model->get().buffers[i]->space != fb::Space::Staging)
      continue;
    machine->release(std::exchange(buffers[i], {}));
    if (hostSide)
      hostSide->device.release(std::exchange(hostSide->buffers[i], {}));
  }
  return Status::success();
}

//===----------------------------------------------------------------------===//
// @step, @copy_state, @sample
//===----------------------------------------------------------------------===//

/// Extent of an io array at these sizes.
static Expected<uint64_t> ioElements(const fb::IoT &io, const SymbolValues &symbols) {
  uint64_t elements = 1;
  for (const auto &dim : io.dims) {
    K3_ASSIGN(int64_t extent, evaluate(*dim->size, symbols));
    elements *= static_cast<uint64_t>(std::max<int64_t>(extent, 0));
  }
  return elements;
}

Status Engine::writeInputs(const fb::ProgramT &program, const SymbolValues &symbols,
                           std::span<const NamedInput> inputs) {
  for (const auto &io : program.io) {
    if (io->output)
      continue;
    auto input =
        std::find_if(inputs.begin(), inputs.end(), [&](const NamedInput &i) { return i.name == io->name; });
    if (input == inputs.end())
      return unsupported("program '" + program.name + "' has an input '" + io->name +
                         "' that this runtime does not know");
    K3_ASSIGN(uint64_t elements, ioElements(*io, symbols));
    if (elements != input->values.size() || bitWidth(io->dtype) != 32)
      return badInput("program '" + program.name + "' takes " + std::to_string(elements) + " elements of " +
                      std::string(dtypeName(io->dtype)) + " for '" + io->name + "', the step has " +
                      std::to_string(input->values.size()) + " of I32");
    if (input->values.size_bytes() > buffers[io->buffer].bytes)
      return internalError("input '" + io->name + "' does not fit its buffer");
    K3_TRY(machine->copyIn(buffers[io->buffer].data, input->values.data(), input->values.size_bytes()));
  }
  return Status::success();
}

static Status checkLimit(const char *what, size_t count, uint64_t limit, const char *flag) {
  if (count <= limit)
    return Status::success();
  return badInput("the step has " + std::to_string(count) + " " + what +
                  ", the package was compiled for at most " + std::to_string(limit) +
                  "; make the step smaller or compile with a larger " + flag);
}

Status Engine::step(const StepArrays &arrays) {
  const StepLimits &limits = model->limits();
  size_t sequences = arrays.contextLens.size();
  K3_TRY(checkLimit("tokens", arrays.tokens.size(), limits.tokens, "--max-tokens"));
  K3_TRY(checkLimit("sequences", sequences, limits.sequences, "--max-seqs"));
  K3_TRY(checkLimit("logit rows", arrays.logitRows.size(), limits.logitRows, "--max-seqs, or --all-logits"));
  if (limits.checkpoints == 0 && !arrays.ckptRows.empty())
    return unsupported("ckpt_rows: this package was compiled without checkpoints");
  K3_TRY(checkLimit("checkpoints", arrays.ckptRows.size(), limits.checkpoints, "checkpoint limit"));

  SymbolValues symbols = baseSymbols();
  symbols.set(fb::Sym::T, static_cast<int64_t>(arrays.tokens.size()));
  symbols.set(fb::Sym::S, static_cast<int64_t>(sequences));
  symbols.set(fb::Sym::R, static_cast<int64_t>(arrays.logitRows.size()));
  symbols.set(fb::Sym::C, static_cast<int64_t>(arrays.ckptRows.size()));
  K3_ASSIGN(const fb::ProgramT *program, model->chooseStep(arrays.variant, arrays.decodeShape, symbols));

  std::vector<int32_t> zeros(sequences, 0);
  const NamedInput inputs[] = {{"tokens", arrays.tokens},
                               {"cu_seqlens", arrays.cuSeqlens},
                               {"context_lens", arrays.contextLens},
                               {"read_slots", arrays.readSlots},
                               {"write_slots", arrays.writeSlots},
                               {"block_table", arrays.blockTable},
                               {"logit_rows", arrays.logitRows},
                               {"draft_lens", zeros},
                               {"accepted", zeros},
                               {"ckpt_slots", arrays.ckptSlots},
                               {"ckpt_rows", arrays.ckptRows}};
  K3_TRY(writeInputs(*program, symbols, inputs));

  ExecutorHooks hooks;
  if (timing)
    hooks.stats = &entryStats;
  Status status = stepTaps.prepare(*program, symbols, buffers);
  if (status.ok()) {
    if (stepTaps.active())
      hooks.afterEntry = [&](size_t entry, const SymbolValues &values) {
        return stepTaps.afterEntry(*machine, *program, entry, values, buffers);
      };
    status = run(*program, symbols, hooks);
  }
  stepTaps.finish();
  logitRows = 0;
  logitValues.clear();
  K3_TRY(std::move(status));

  const fb::IoT *logits = findIo(*program, "logits");
  if (!logits || logits->dtype != fb::DType::F32)
    return badInput("program '" + program->name + "' has no f32 output 'logits'");
  logitValues.resize(arrays.logitRows.size() * model->get().model->vocab);
  if (logitValues.size() * sizeof(float) > buffers[logits->buffer].bytes)
    return internalError("output 'logits' does not fit its buffer");
  K3_TRY(
      machine->copyOut(logitValues.data(), buffers[logits->buffer].data, logitValues.size() * sizeof(float)));
  logitRows = arrays.logitRows.size();
  return Status::success();
}

Status Engine::copyState(std::span<const int32_t> sourceSlots, std::span<const int32_t> destinationSlots,
                         std::span<const int32_t> sourcePages, std::span<const int32_t> destinationPages) {
  const fb::ProgramT *program = model->copyState();
  if (!program)
    return unsupported("the package has no @copy_state program");
  auto most = [&](fb::Sym symbol) {
    int64_t bound = model->upperSymbols().get(static_cast<uint8_t>(symbol));
    for (const auto &limit : program->bucket)
      if (limit->sym == symbol)
        bound = static_cast<int64_t>(limit->max);
    return static_cast<size_t>(std::max<int64_t>(bound, 1));
  };
  size_t mostSlots = most(fb::Sym::N), mostPages = most(fb::Sym::M);
  for (size_t slot = 0, page = 0; slot < sourceSlots.size() || page < sourcePages.size();) {
    size_t slotsNow = std::min(mostSlots, sourceSlots.size() - slot);
    size_t pagesNow = std::min(mostPages, sourcePages.size() - page);
    SymbolValues symbols = baseSymbols();
    symbols.set(fb::Sym::N, static_cast<int64_t>(slotsNow));
    symbols.set(fb::Sym::M, static_cast<int64_t>(pagesNow));
    const NamedInput inputs[] = {{"src_slots", sourceSlots.subspan(slot, slotsNow)},
                                 {"dst_slots", destinationSlots.subspan(slot, slotsNow)},
                                 {"src_pages", sourcePages.subspan(page, pagesNow)},
                                 {"dst_pages", destinationPages.subspan(page, pagesNow)}};
    K3_TRY(writeInputs(*program, symbols, inputs));
    K3_TRY(run(*program, symbols, {}));
    slot += slotsNow;
    page += pagesNow;
  }
  return Status::success();
}

Status Engine::sampleGreedy(std::span<int32_t> ids) {
  const fb::ProgramT *program = model->sample();
  if (!program)
    return unsupported("the package has no @sample program");
  Device &device = onHostSide(*program) ? hostSide->device : *machine;
  const std::vector<DeviceMemory> &memory = onHostSide(*program) ? hostSide->buffers : buffers;
  SymbolValues symbols = baseSymbols();
  symbols.set(fb::Sym::R, static_cast<int64_t>(logitRows));
  for (const auto &io : program->io) {
    if (io->output)
      continue;
    K3_ASSIGN(uint64_t elements, ioElements(*io, symbols));
    uint64_t bytes = elements * bitWidth(io->dtype) / 8;
    if (bytes > memory[io->buffer].bytes)
      return internalError("input '" + io->name + "' of @sample does not fit its buffer");
    if (io->name != "logits") // temperature, top_p, seed, step: zeros mean greedy
      K3_TRY(device.fill(memory[io->buffer].data, 0, bytes));
    else if (elements != logitValues.size() || io->dtype != fb::DType::F32)
      return badInput("@sample takes " + std::to_string(elements) + " logits, the step gave " +
                      std::to_string(logitValues.size()));
    else
      K3_TRY(device.copyIn(memory[io->buffer].data, logitValues.data(), bytes));
  }
  ExecutorHooks hooks;
  if (timing)
    hooks.stats = &entryStats;
  K3_TRY(run(*program, symbols, hooks));
  const fb::IoT *output = findIo(*program, "ids");
  if (!output || output->dtype != fb::DType::I32 || ids.size_bytes() > memory[output->buffer].bytes)
    return badInput("@sample has no i32 output 'ids' of " + std::to_string(ids.size()) + " rows");
  return device.copyOut(ids.data(), memory[output->buffer].data, ids.size_bytes());
}

Status Engine::readState(const fb::StateT &state, uint64_t slotOrPage, std::vector<std::byte> &out) const {
  const auto &shape = state.local_shape.empty() ? state.shape : state.local_shape;
  uint64_t bytes = denseBytes(state.dtype, shape).value_or(0);
  if (state.kind == fb::StateKind::Paged)
    bytes *= state.page_rows;
  uint64_t offset = state.offset + slotOrPage * state.slot_stride;
  if (offset + bytes > buffers[state.buffer].bytes)
    return internalError("state '" + state.name + "' has no slot or page " + std::to_string(slotOrPage));
  out.resize(bytes);
  return machine->copyOut(out.data(), buffers[state.buffer].data + offset, bytes);
}
