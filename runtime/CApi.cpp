//===- CApi.cpp - The C API over the runtime core -------------------------===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Handles are pointers to objects of the core; structs are read and written up to the size the caller knows.
//
//===----------------------------------------------------------------------===//

#include "runtime/include/k3/runtime.h"

#include "lib/Package/DType.h"
#include "runtime/Context.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

using namespace k3;

struct k3_package {
  std::shared_ptr<const ModelPackage> model;
};
struct k3_weights {
  std::shared_ptr<const WeightSource> source;
};
struct k3_context {
  std::unique_ptr<Context> core;
  std::shared_ptr<const ModelPackage> model;
  Engine::NamedArrays graphInputs, graphOutputs;
};

static k3_sequence *toHandle(Sequence *sequence) { return reinterpret_cast<k3_sequence *>(sequence); }
static Sequence *fromHandle(k3_sequence *sequence) { return reinterpret_cast<Sequence *>(sequence); }
static const Sequence *fromHandle(const k3_sequence *sequence) {
  return reinterpret_cast<const Sequence *>(sequence);
}

static k3_status toC(const Status &status) {
  if (status.ok())
    return {K3_OK, nullptr};
  return {static_cast<k3_code>(status.code()), strdup(status.text().c_str())};
}

static k3_status nullArgument(const char *function, const char *argument) {
  return toC(badUsage(std::string(function) + ": " + argument + " is NULL"));
}

#define K3_NEED(argument)                                                                                    \
  if (!(argument))                                                                                           \
  return nullArgument(__func__, #argument)

/// The caller's struct, with the fields that it does not know zero.
template <typename T>
static T readStruct(const T *caller) {
  T known{};
  if (caller)
    std::memcpy(&known, caller, std::min(caller->size, sizeof(T)));
  return known;
}

/// Fills the fields that the caller knows; `size` stays the caller's.
template <typename T>
static void writeStruct(T *caller, const T &known) {
  size_t size = caller->size;
  std::memcpy(caller, &known, std::min(size, sizeof(T)));
  caller->size = size;
}

namespace {
/// Holds a context for one call.
class Guard {
public:
  explicit Guard(Context &context) : context(context), held(!context.busy.exchange(true)) {}
  ~Guard() {
    if (held)
      context.busy = false;
  }
  Status status() const {
    return held ? Status::success()
                : badUsage(
                      "another call on this context is still running; a context takes one call at a time");
  }

private:
  Context &context;
  bool held;
};
} // namespace

#define K3_ENTER(core)                                                                                       \
  Guard guard(core);                                                                                         \
  if (Status entered = guard.status(); !entered.ok())                                                        \
  return toC(entered)

void k3_status_free(k3_status *status) {
  if (!status)
    return;
  std::free(status->text);
  *status = {K3_OK, nullptr};
}

uint32_t k3_abi_version(void) { return K3_RUNTIME_ABI; }

//===----------------------------------------------------------------------===//
// Package, weights
//===----------------------------------------------------------------------===//

k3_status k3_package_load(const char *path, k3_package **out) {
  K3_NEED(path);
  K3_NEED(out);
  auto model = ModelPackage::load(path);
  if (!model)
    return toC(model.status());
  *out = new k3_package{std::move(*model)};
  return toC(Status::success());
}

void k3_package_free(k3_package *package) { delete package; }

k3_status k3_package_get_info(const k3_package *package, k3_package_info *out) {
  K3_NEED(package);
  K3_NEED(out);
  const fb::PackageT &source = package->model->get();
  const StepLimits &limits = package->model->limits();
  k3_package_info info{};
  info.arch = source.model->arch.c_str();
  info.tokenizer = source.model->tokenizer.c_str();
  info.precision = source.precision.c_str();
  info.vocab = source.model->vocab;
  info.layers = source.model->layers;
  info.max_tokens = static_cast<uint32_t>(limits.tokens);
  info.max_sequences = static_cast<uint32_t>(limits.sequences);
  info.max_logit_rows = static_cast<uint32_t>(limits.logitRows);
  info.max_checkpoints = static_cast<uint32_t>(limits.checkpoints);
  info.max_context = limits.context;
  info.page_rows = static_cast<uint32_t>(limits.pageRows);
  info.block_table_width = static_cast<uint32_t>(limits.blockTableWidth);
  info.weight_bytes = source.weight_bytes;
  info.weight_count = source.weight_count;
  info.eos = source.model->eos.data();
  info.eos_count = source.model->eos.size();
  info.bos = source.model->bos;
  info.pad = source.model->pad;
  info.has_step = package->model->hasStep();
  writeStruct(out, info);
  return toC(Status::success());
}

k3_status k3_package_tap(const k3_package *package, size_t i, k3_tap_info *out) {
  K3_NEED(package);
  K3_NEED(out);
  const auto &taps = package->model->taps();
  if (i >= taps.size())
    return toC(
        badUsage("tap " + std::to_string(i) + " of a package with " + std::to_string(taps.size()) + " taps"));
  k3_tap_info info{};
  info.name = taps[i].name.c_str();
  info.dtype = static_cast<int32_t>(taps[i].dtype);
  info.is_state = taps[i].isState;
  info.writable = taps[i].writable;
  info.by_logit_row = taps[i].byLogitRow;
  writeStruct(out, info);
  return toC(Status::success());
}

k3_status k3_weights_open(const k3_package *package, const char *source, k3_weights **out) {
  K3_NEED(package);
  K3_NEED(source);
  K3_NEED(out);
  auto weights = openWeights(package->model->get(), source);
  if (!weights)
    return toC(weights.status());
  *out = new k3_weights{std::move(*weights)};
  return toC(Status::success());
}

void k3_weights_free(k3_weights *weights) { delete weights; }

//===----------------------------------------------------------------------===//
// Context, sequences
//===----------------------------------------------------------------------===//

k3_status k3_context_create(const k3_package *package, const k3_weights *weights,
                            const k3_context_options *options, k3_context **out) {
  K3_NEED(package);
  K3_NEED(weights);
  K3_NEED(out);
  k3_context_options known = readStruct(options);
  Context::Options core;
  core.device = known.device ? known.device : "";
  core.threads = known.threads;
  core.slots = known.slots;
  core.pages = known.pages;
  core.recordTaps = known.record_taps != 0;
  core.stats = known.stats != 0;
  if (known.progress)
    core.progress = [&known](uint64_t done, uint64_t total) {
      return known.progress(known.user, done, total) == 0;
    };
  auto context = Context::create(package->model, *weights->source, core);
  if (!context)
    return toC(context.status());
  *out = new k3_context{std::move(*context), package->model, {}, {}};
  return toC(Status::success());
}

void k3_context_free(k3_context *context) { delete context; }

k3_status k3_context_get_capacity(const k3_context *context, k3_capacity *out) {
  K3_NEED(context);
  K3_NEED(out);
  K3_ENTER(*context->core);
  k3_capacity capacity{};
  capacity.slots = context->core->engine().slots();
  capacity.free_slots = static_cast<uint32_t>(context->core->freeSlots());
  capacity.pages = context->core->engine().pages();
  capacity.free_pages = context->core->freePages();
  capacity.threads = context->core->engine().device().workers();
  writeStruct(out, capacity);
  return toC(Status::success());
}

k3_status k3_context_stat(const k3_context *context, size_t i, k3_stat *out) {
  K3_NEED(context);
  K3_NEED(out);
  K3_ENTER(*context->core);
  const EntryStats &stats = context->core->engine().stats();
  if (i >= stats.size())
    return toC(badUsage("statistic " + std::to_string(i) + " of " + std::to_string(stats.size())));
  const auto &[name, source] = *std::next(stats.begin(), static_cast<std::ptrdiff_t>(i));
  k3_stat stat{};
  stat.name = name.c_str();
  stat.calls = source.calls;
  stat.seconds = source.seconds;
  stat.bytes = source.bytes;
  stat.flops = source.flops;
  writeStruct(out, stat);
  return toC(Status::success());
}

k3_status k3_sequence_create(k3_context *context, k3_sequence **out) {
  K3_NEED(context);
  K3_NEED(out);
  K3_ENTER(*context->core);
  auto sequence = context->core->createSequence();
  if (!sequence)
    return toC(sequence.status());
  *out = toHandle(*sequence);
  return toC(Status::success());
}

k3_status k3_sequence_fork(k3_sequence *sequence, k3_sequence **out) {
  K3_NEED(sequence);
  K3_NEED(out);
  Context &context = *fromHandle(sequence)->context;
  K3_ENTER(context);
  auto fork = context.forkSequence(*fromHandle(sequence));
  if (!fork)
    return toC(fork.status());
  *out = toHandle(*fork);
  return toC(Status::success());
}

void k3_sequence_free(k3_sequence *sequence) {
  if (sequence)
    fromHandle(sequence)->context->freeSequence(*fromHandle(sequence));
}

uint64_t k3_sequence_length(const k3_sequence *sequence) {
  return sequence ? fromHandle(sequence)->length : 0;
}

//===----------------------------------------------------------------------===//
// Step, logits, sample
//===----------------------------------------------------------------------===//

static Status refuseNonZero(const char *name, std::span<const uint32_t> values) {
  for (uint32_t value : values)
    if (value)
      return unsupported(std::string(name) + " is " + std::to_string(value) +
                         ": the host target does not run draft tokens");
  return Status::success();
}

k3_status k3_step(k3_context *context, const k3_batch *batch) {
  K3_NEED(context);
  K3_NEED(batch);
  k3_batch known = readStruct(batch);
  K3_ENTER(*context->core);
  if (known.count && (!known.sequences || !known.tokens || !known.lengths))
    return nullArgument(__func__, "sequences, tokens or lengths");
  if (known.ckpts && (!known.ckpt_sequence || !known.ckpt_token || !known.ckpt_out))
    return nullArgument(__func__, "ckpt_sequence, ckpt_token or ckpt_out");
  if (known.logits < K3_LOGITS_LAST || known.logits > K3_LOGITS_NONE)
    return toC(
        badUsage("logit mode " + std::to_string(known.logits) + ", expected 0 (last), 1 (all) or 2 (none)"));
  if (known.draft_lens)
    if (Status status = refuseNonZero("draft_lens", {known.draft_lens, known.count}); !status.ok())
      return toC(status);
  std::vector<BatchItem> items(known.count);
  for (size_t i = 0; i < known.count; ++i) {
    if (known.lengths[i] && !known.tokens[i])
      return nullArgument(__func__, "tokens of a sequence");
    items[i] = {fromHandle(known.sequences[i]), {known.tokens[i], known.lengths[i]}};
  }
  std::vector<ForkPoint> points(known.ckpts);
  for (size_t c = 0; c < known.ckpts; ++c)
    points[c] = {known.ckpt_sequence[c], known.ckpt_token[c]};
  std::vector<Sequence *> forks;
  Status status = context->core->step(items, static_cast<LogitMode>(known.logits), points, forks);
  for (size_t c = 0; c < forks.size(); ++c)
    known.ckpt_out[c] = toHandle(forks[c]);
  return toC(status);
}

k3_status k3_logits(k3_context *context, size_t row, const float **data, size_t *vocab) {
  K3_NEED(context);
  K3_NEED(data);
  K3_ENTER(*context->core);
  const Engine &engine = context->core->engine();
  if (row >= engine.logitRowCount() || !context->core->rowHasValues(row))
    return toC(badUsage("logit row " + std::to_string(row) + " has no values; the last step has " +
                        std::to_string(engine.logitRowCount()) +
                        " rows, those of empty sequences stay empty"));
  size_t width = context->model->get().model->vocab;
  *data = engine.logits().data() + row * width;
  if (vocab)
    *vocab = width;
  return toC(Status::success());
}

size_t k3_logit_rows(const k3_context *context) {
  return context ? context->core->engine().logitRowCount() : 0;
}

k3_status k3_sample(k3_context *context, const k3_sample_options *options, int32_t *ids, size_t rows) {
  K3_NEED(context);
  if (rows)
    K3_NEED(ids);
  k3_sample_options known = readStruct(options);
  K3_ENTER(*context->core);
  if (known.temperature != 0)
    return toC(unsupported("temperature " + std::to_string(known.temperature) +
                           ": this package's @sample is greedy; use temperature 0"));
  return toC(context->core->sampleGreedy({ids, rows}));
}

//===----------------------------------------------------------------------===//
// Taps
//===----------------------------------------------------------------------===//

static Status fillArray(const std::string &name, const HostArray &source, k3_array &io) {
  io.dtype = static_cast<int32_t>(source.dtype);
  io.rank = static_cast<int32_t>(source.dims.size());
  if (source.dims.size() > std::size(io.dims))
    return unsupported("array '" + name + "' has more than 8 dimensions");
  std::copy(source.dims.begin(), source.dims.end(), io.dims);
  size_t room = io.bytes;
  io.bytes = source.bytes.size();
  if (!io.data)
    return Status::success();
  if (room < source.bytes.size())
    return badUsage("array '" + name + "' needs " + std::to_string(source.bytes.size()) +
                    " bytes, the array has " + std::to_string(room));
  std::copy(source.bytes.begin(), source.bytes.end(), static_cast<std::byte *>(io.data));
  return Status::success();
}

k3_status k3_tap_read(k3_context *context, const k3_sequence *sequence, const char *name, k3_array *io) {
  K3_NEED(context);
  K3_NEED(name);
  K3_NEED(io);
  K3_ENTER(*context->core);
  k3_array known = readStruct(io);
  Status status;
  if (sequence) {
    if (fromHandle(sequence)->context != context->core.get())
      return toC(badUsage("k3_tap_read: the sequence is not of this context"));
    auto array = context->core->readStateTap(*fromHandle(sequence), name);
    status = array ? fillArray(name, *array, known) : array.takeStatus();
  } else {
    const HostArray *array = context->core->engine().taps().record(name);
    status = array
                 ? fillArray(name, *array, known)
                 : badInput("tap '" + std::string(name) +
                            "' was not recorded: no such tap of a step, no step yet, or record_taps is off");
  }
  writeStruct(io, known);
  return toC(status);
}

/// A copy of the caller's array, once it makes sense.
static Expected<HostArray> readArray(const char *function, const char *name, const k3_array *value) {
  k3_array known = readStruct(value);
  std::string where = std::string(function) + ": array '" + name + "'";
  if (known.rank < 0 || known.rank > 8 || known.dtype <= 0 || known.dtype > K3_U8 ||
      (known.bytes && !known.data))
    return badUsage(where + " has a bad rank, type or data");
  HostArray array;
  array.dtype = static_cast<fb::DType>(known.dtype);
  array.dims.assign(known.dims, known.dims + known.rank);
  std::vector<uint64_t> shape(array.dims.begin(), array.dims.end());
  auto bytes = denseBytes(array.dtype, shape);
  if (!bytes || *bytes != known.bytes)
    return badUsage(where + " has " + std::to_string(known.bytes) + " bytes, which is not its shape");
  const auto *data = static_cast<const std::byte *>(known.data);
  array.bytes.assign(data, data + known.bytes);
  return array;
}

k3_status k3_tap_give(k3_context *context, const char *name, const k3_array *value) {
  K3_NEED(context);
  K3_NEED(name);
  K3_NEED(value);
  K3_ENTER(*context->core);
  auto array = readArray(__func__, name, value);
  if (!array)
    return toC(array.status());
  return toC(context->core->engine().taps().give(*context->model, name, std::move(*array)));
}

//===----------------------------------------------------------------------===//
// Graphs
//===----------------------------------------------------------------------===//

k3_status k3_package_graph_array(const k3_package *package, size_t i, k3_graph_array *out) {
  K3_NEED(package);
  K3_NEED(out);
  const auto &states = package->model->get().states;
  k3_graph_array info{};
  size_t at = i;
  for (const GraphFunction &graph : package->model->graphs()) {
    const auto &arrays = graph.first().io;
    if (at >= arrays.size()) {
      at -= arrays.size();
      continue;
    }
    const fb::IoT &array = *arrays[at];
    info.graph = graph.name.c_str();
    info.name = array.name.c_str();
    info.dtype = static_cast<int32_t>(array.dtype);
    info.is_output = array.output;
    info.rank = static_cast<int32_t>(array.dims.size());
    info.row_length = 1;
    for (size_t i = 1; i < array.dims.size(); ++i)
      info.row_length *= static_cast<uint64_t>(constantValue(*array.dims[i]->size).value_or(0));
    writeStruct(out, info);
    return toC(Status::success());
  }
  if (package->model->graphs().empty() || at >= states.size())
    return toC(badUsage("graph array " + std::to_string(i) + " is past the last one"));
  info.name = states[at]->name.c_str();
  info.dtype = static_cast<int32_t>(states[at]->dtype);
  info.is_state = 1;
  writeStruct(out, info);
  return toC(Status::success());
}

/// Whether any graph has an i32 input of that name.
static bool takesI32(const ModelPackage &model, const std::string &name) {
  for (const GraphFunction &graph : model.graphs())
    if (const fb::IoT *io = findIo(graph.first(), name); io && io->dtype == fb::DType::I32)
      return true;
  return false;
}

k3_status k3_graph_give(k3_context *context, const char *name, const k3_array *value) {
  K3_NEED(context);
  K3_NEED(name);
  K3_NEED(value);
  K3_ENTER(*context->core);
  auto array = readArray(__func__, name, value);
  if (array && array->dtype == fb::DType::I64 && takesI32(*context->model, name))
    array = narrowToI32(name, *array);
  if (!array)
    return toC(array.status());
  context->graphInputs[name] = std::move(*array);
  return toC(Status::success());
}

k3_status k3_graph_run(k3_context *context, const char *graph) {
  K3_NEED(context);
  K3_ENTER(*context->core);
  const GraphFunction *function = nullptr;
  for (const GraphFunction &candidate : context->model->graphs())
    if (graph ? candidate.name == graph : context->model->graphs().size() == 1)
      function = &candidate;
  if (!function)
    return toC(badInput(graph ? "the package has no graph '" + std::string(graph) + "'"
                              : "the package has " + std::to_string(context->model->graphs().size()) +
                                    " graphs; name one"));
  Status status = context->core->engine().runGraph(*function, context->graphInputs, context->graphOutputs);
  context->graphInputs.clear();
  return toC(status);
}

k3_status k3_graph_read(k3_context *context, const char *name, k3_array *io) {
  K3_NEED(context);
  K3_NEED(name);
  K3_NEED(io);
  K3_ENTER(*context->core);
  auto found = context->graphOutputs.find(name);
  if (found == context->graphOutputs.end())
    return toC(badInput("the last graph run gave no array '" + std::string(name) + "'"));
  k3_array known = readStruct(io);
  Status status = fillArray(name, found->second, known);
  writeStruct(io, known);
  return toC(status);
}

//===----------------------------------------------------------------------===//
// Low level
//===----------------------------------------------------------------------===//

k3_status k3_step_raw(k3_context *context, const k3_step_args *args) {
  K3_NEED(context);
  K3_NEED(args);
  k3_step_args known = readStruct(args);
  K3_ENTER(*context->core);
  if (!known.cu_seqlens)
    return nullArgument(__func__, "cu_seqlens");
  if ((known.T && !known.tokens) || (known.R && !known.logit_rows) ||
      (known.S && (!known.context_lens || !known.read_slots || !known.write_slots || !known.block_table)) ||
      (known.C && (!known.ckpt_slots || !known.ckpt_rows)))
    return nullArgument(__func__, "an array that the sizes ask for");
  if (known.variant < 0 || known.variant > 2)
    return toC(badUsage("variant " + std::to_string(known.variant) +
                        ", expected 0 (choose), 1 (decode) or 2 (ragged)"));
  const std::pair<const char *, const int32_t *> refused[] = {{"draft_lens", known.draft_lens},
                                                              {"accepted", known.accepted}};
  for (auto [name, values] : refused)
    if (values)
      if (Status status = refuseNonZero(name, {reinterpret_cast<const uint32_t *>(values), known.S});
          !status.ok())
        return toC(status);
  StepArrays arrays;
  arrays.variant = static_cast<fb::Variant>(known.variant);
  arrays.decodeShape = known.S > 0 && known.T == known.S;
  for (uint32_t s = 0; s <= known.S && arrays.decodeShape; ++s)
    arrays.decodeShape = known.cu_seqlens[s] == static_cast<int32_t>(s);
  size_t width = context->model->limits().blockTableWidth;
  arrays.tokens = {known.tokens, known.T};
  arrays.cuSeqlens = {known.cu_seqlens, known.S + size_t(1)};
  arrays.contextLens = {known.context_lens, known.S};
  arrays.readSlots = {known.read_slots, known.S};
  arrays.writeSlots = {known.write_slots, known.S};
  arrays.blockTable = {known.block_table, known.S * width};
  arrays.logitRows = {known.logit_rows, known.R};
  arrays.ckptSlots = {known.ckpt_slots, known.C};
  arrays.ckptRows = {known.ckpt_rows, known.C};
  Engine &engine = context->core->engine();
  Status status = context->core->stepRaw(arrays);
  if (status.ok() && known.logits)
    std::copy(engine.logits().begin(), engine.logits().end(), known.logits);
  return toC(status);
}

k3_status k3_copy_state_raw(k3_context *context, uint32_t n, const int32_t *src_slots,
                            const int32_t *dst_slots, uint32_t m, const int32_t *src_pages,
                            const int32_t *dst_pages) {
  K3_NEED(context);
  if ((n && (!src_slots || !dst_slots)) || (m && (!src_pages || !dst_pages)))
    return nullArgument(__func__, "an array that the counts ask for");
  K3_ENTER(*context->core);
  return toC(
      context->core->engine().copyState({src_slots, n}, {dst_slots, n}, {src_pages, m}, {dst_pages, m}));
}
