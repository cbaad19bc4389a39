//===- Context.cpp - Sequences, slots and pages over an engine ------------===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/Context.h"

#include "runtime/OpenDevice.h"

#include <algorithm>
#include <limits>
#include <set>

using namespace k3;

/// Far more than any machine has CPUs; what asks for more has a typing error, and would run into the limits of the system.
static constexpr uint32_t maxThreads = 1024;

Expected<std::unique_ptr<Context>> Context::create(std::shared_ptr<const ModelPackage> package,
                                                   const WeightSource &weights, const Options &options,
                                                   std::unique_ptr<Device> device) {
  if (options.threads > maxThreads)
    return badUsage(std::to_string(options.threads) + " threads, expected at most " + std::to_string(maxThreads));
  const StepLimits &limits = package->limits();
  EngineOptions engineOptions;
  engineOptions.threads = options.threads;
  engineOptions.slots =
      options.slots ? options.slots : static_cast<uint32_t>(2 * limits.sequences + limits.checkpoints);
  engineOptions.pages = options.pages;
  if (package->hasPagedState() && !options.pages)
    engineOptions.pages = limits.sequences * std::max<uint64_t>(limits.blockTableWidth, 1);
  // Page numbers are i32.
  engineOptions.pages = std::min<uint64_t>(engineOptions.pages, std::numeric_limits<int32_t>::max());
  engineOptions.recordTaps = options.recordTaps;
  engineOptions.stats = options.stats;
  engineOptions.progress = options.progress;
  if (options.recordTaps && package->taps().empty())
    return unsupported("the package has no taps; compile it with --taps=REGEX");
  if (!device) {
    K3_ASSIGN(device, openDevice(options.device, *package, options.threads));
  }
  K3_ASSIGN(std::unique_ptr<Engine> engine, Engine::create(package, weights, std::move(device), engineOptions));
  return std::unique_ptr<Context>(new Context(std::move(engine)));
}

uint64_t Context::pagesFor(uint64_t length) const {
  if (!stepEngine->package().hasPagedState())
    return 0;
  uint64_t rows = stepEngine->package().limits().pageRows;
  return (length + rows - 1) / rows;
}

//===----------------------------------------------------------------------===//
// Sequences
//===----------------------------------------------------------------------===//

static Status outOfSlots(uint64_t needed, uint64_t available, uint64_t capacity) {
  return {Code::NoSlot, "out of state slots: " + std::to_string(needed) + " needed, " +
                            std::to_string(available) + " of " + std::to_string(capacity) +
                            " free; free a sequence or create the context with more slots"};
}

static Status outOfPages(uint64_t needed, uint64_t available, uint64_t capacity) {
  return {Code::NoSlot, "out of cache pages: " + std::to_string(needed) + " needed, " +
                            std::to_string(available) + " of " + std::to_string(capacity) +
                            " free; free a sequence or create the context with more pages"};
}

Sequence *Context::addSequence() {
  auto sequence = std::make_unique<Sequence>();
  sequence->context = this;
  sequence->slot = slotPool.take();
  sequences.push_back(std::move(sequence));
  return sequences.back().get();
}

Expected<Sequence *> Context::createSequence() {
  if (slotPool.available() == 0)
    return outOfSlots(1, 0, slotPool.capacity());
  return addSequence();
}

void Context::freeSequence(Sequence &sequence) {
  slotPool.giveBack(sequence.slot);
  for (int32_t page : sequence.pages)
    pagePool.release(page);
  std::erase_if(sequences, [&](const auto &owned) { return owned.get() == &sequence; });
}

/// Gives `fork` the first `length` tokens of `source`: full pages are shared, the last partial one becomes a
/// copy that the caller makes (copyFrom -> copyTo).
void Context::sharePast(const Sequence &source, uint64_t length, Sequence &fork,
                        std::vector<int32_t> &copyFrom, std::vector<int32_t> &copyTo) {
  fork.length = length;
  uint64_t pages = pagesFor(length);
  bool partial = pages > 0 && length % stepEngine->package().limits().pageRows != 0;
  for (uint64_t i = 0; i < pages; ++i) {
    if (partial && i + 1 == pages) {
      copyFrom.push_back(source.pages[i]);
      fork.pages.push_back(pagePool.take());
      copyTo.push_back(fork.pages.back());
    } else {
      pagePool.share(source.pages[i]);
      fork.pages.push_back(source.pages[i]);
    }
  }
}

Expected<Sequence *> Context::forkSequence(Sequence &source) {
  if (slotPool.available() == 0)
    return outOfSlots(1, 0, slotPool.capacity());
  bool partial = pagesFor(source.length) > 0 && source.length % stepEngine->package().limits().pageRows != 0;
  if (partial && pagePool.available() == 0)
    return outOfPages(1, 0, pagePool.capacity());
  Sequence *fork = addSequence();
  std::vector<int32_t> copyFrom, copyTo;
  sharePast(source, source.length, *fork, copyFrom, copyTo);
  if (source.length > 0) {
    Status status = stepEngine->copyState({&source.slot, 1}, {&fork->slot, 1}, copyFrom, copyTo);
    if (!status.ok()) {
      freeSequence(*fork);
      return status;
    }
  }
  return fork;
}

//===----------------------------------------------------------------------===//
// Step
//===----------------------------------------------------------------------===//

Status Context::checkBatch(std::span<const BatchItem> batch, LogitMode mode,
                           std::span<const ForkPoint> checkpoints) const {
  const ModelPackage &package = stepEngine->package();
  if (!package.hasStep())
    return badInput("the package has no @step program, only graphs");
  const StepLimits &limits = package.limits();
  auto vocab = static_cast<int64_t>(package.get().model->vocab);
  std::set<const Sequence *> seen;
  uint64_t tokens = 0;
  for (size_t i = 0; i < batch.size(); ++i) {
    const BatchItem &item = batch[i];
    std::string where = "sequence " + std::to_string(i) + " of the batch";
    if (!item.sequence || item.sequence->context != this)
      return badUsage(where + " is not of this context");
    if (!seen.insert(item.sequence).second)
      return badUsage(where + " is in the batch twice");
    for (size_t t = 0; t < item.tokens.size(); ++t)
      if (item.tokens[t] < 0 || item.tokens[t] >= vocab)
        return badInput(where + ": token " + std::to_string(t) + " is id " + std::to_string(item.tokens[t]) +
                        ", the vocabulary has ids 0 to " + std::to_string(vocab - 1));
    if (item.tokens.size() > limits.context || item.sequence->length > limits.context - item.tokens.size())
      return badInput(where + " would have " + std::to_string(item.sequence->length + item.tokens.size()) +
                      " tokens, the package was compiled for at most " + std::to_string(limits.context) +
                      " (--max-context)");
    tokens += item.tokens.size();
  }
  if (batch.size() > limits.sequences)
    return badInput("the batch has " + std::to_string(batch.size()) +
                    " sequences, the package was compiled for at most " + std::to_string(limits.sequences) +
                    " (--max-seqs)");
  if (tokens > limits.tokens)
    return badInput("the batch has " + std::to_string(tokens) +
                    " tokens, the package was compiled for at most " + std::to_string(limits.tokens) +
                    " a step (--max-tokens); send them in several steps");
  if (mode == LogitMode::All && tokens > limits.logitRows)
    return badInput("logits of all " + std::to_string(tokens) +
                    " tokens were asked for, the package gives at most " + std::to_string(limits.logitRows) +
                    " rows a step; compile with --all-logits");
  if (!checkpoints.empty() && limits.checkpoints == 0)
    return unsupported("this package was compiled without checkpoints");
  if (checkpoints.size() > limits.checkpoints)
    return badInput("the batch has " + std::to_string(checkpoints.size()) +
                    " checkpoints, the package was compiled for at most " +
                    std::to_string(limits.checkpoints));
  for (size_t c = 0; c < checkpoints.size(); ++c)
    if (checkpoints[c].sequence >= batch.size() ||
        checkpoints[c].token >= batch[checkpoints[c].sequence].tokens.size())
      return badUsage("checkpoint " + std::to_string(c) + " is not at a new token of the batch");

  if (!checkpoints.empty() && package.hasPagedState() && !package.copyState())
    return unsupported("checkpoints need a @copy_state program, which the package does not have");
  if (slotPool.available() < checkpoints.size())
    return outOfSlots(checkpoints.size(), slotPool.available(), slotPool.capacity());
  uint64_t pages = 0;
  for (const BatchItem &item : batch)
    pages += pagesFor(item.sequence->length + item.tokens.size()) - item.sequence->pages.size();
  for (const ForkPoint &point : checkpoints) {
    uint64_t length = batch[point.sequence].sequence->length + point.token + 1;
    pages += pagesFor(length) > 0 && length % limits.pageRows != 0;
  }
  if (pages > pagePool.available())
    return outOfPages(pages, pagePool.available(), pagePool.capacity());
  return Status::success();
}

/// Gives back the pages beyond the committed length.
void Context::trimPages(Sequence &sequence) {
  while (sequence.pages.size() > pagesFor(sequence.length)) {
    pagePool.release(sequence.pages.back());
    sequence.pages.pop_back();
  }
}

Status Context::step(std::span<const BatchItem> batch, LogitMode mode, std::span<const ForkPoint> checkpoints,
                     std::vector<Sequence *> &forks) {
  K3_TRY(checkBatch(batch, mode, checkpoints));
  for (const BatchItem &item : batch)
    while (item.sequence->pages.size() < pagesFor(item.sequence->length + item.tokens.size()))
      item.sequence->pages.push_back(pagePool.take());
  forks.clear();
  for (size_t c = 0; c < checkpoints.size(); ++c)
    forks.push_back(addSequence());
  Status status = runStep(batch, mode, checkpoints, forks);
  if (status.ok())
    status = commitForks(batch, checkpoints, forks);
  if (!status.ok()) {
    for (Sequence *fork : forks)
      freeSequence(*fork);
    forks.clear();
  } else {
    for (const BatchItem &item : batch)
      item.sequence->length += item.tokens.size();
  }
  for (const BatchItem &item : batch)
    trimPages(*item.sequence);
  return status;
}

Status Context::runStep(std::span<const BatchItem> batch, LogitMode mode,
                        std::span<const ForkPoint> checkpoints, std::span<Sequence *const> forks) {
  size_t width = stepEngine->package().limits().blockTableWidth;
  std::vector<int32_t> tokens, starts{0}, contexts, slots, rows, ckptSlots, ckptRows;
  std::vector<int32_t> table(batch.size() * width, -1);
  emptyRows.clear();
  bool decode = !batch.empty();
  for (size_t i = 0; i < batch.size(); ++i) {
    const BatchItem &item = batch[i];
    tokens.insert(tokens.end(), item.tokens.begin(), item.tokens.end());
    starts.push_back(static_cast<int32_t>(tokens.size()));
    contexts.push_back(static_cast<int32_t>(item.sequence->length));
    slots.push_back(item.sequence->slot);
    std::copy(item.sequence->pages.begin(), item.sequence->pages.end(),
              table.begin() + static_cast<long>(i * width));
    decode &= item.tokens.size() == 1;
    if (mode == LogitMode::Last) {
      rows.push_back(item.tokens.empty() ? -1 : starts.back() - 1);
      emptyRows.push_back(item.tokens.empty());
    }
  }
  if (mode == LogitMode::All)
    for (size_t t = 0; t < tokens.size(); ++t)
      rows.push_back(static_cast<int32_t>(t));
  for (size_t c = 0; c < checkpoints.size(); ++c) {
    ckptSlots.push_back(forks[c]->slot);
    ckptRows.push_back(starts[checkpoints[c].sequence] + static_cast<int32_t>(checkpoints[c].token));
  }
  StepArrays arrays;
  arrays.decodeShape = decode;
  arrays.tokens = tokens;
  arrays.cuSeqlens = starts;
  arrays.contextLens = contexts;
  arrays.readSlots = slots;
  arrays.writeSlots = slots;
  arrays.blockTable = table;
  arrays.logitRows = rows;
  arrays.ckptSlots = ckptSlots;
  arrays.ckptRows = ckptRows;
  return stepEngine->step(arrays);
}

Status Context::commitForks(std::span<const BatchItem> batch, std::span<const ForkPoint> checkpoints,
                            std::span<Sequence *const> forks) {
  std::vector<int32_t> copyFrom, copyTo;
  for (size_t c = 0; c < checkpoints.size(); ++c) {
    const Sequence &source = *batch[checkpoints[c].sequence].sequence;
    sharePast(source, source.length + checkpoints[c].token + 1, *forks[c], copyFrom, copyTo);
  }
  return copyFrom.empty() ? Status::success() : stepEngine->copyState({}, {}, copyFrom, copyTo);
}

Status Context::sampleGreedy(std::span<int32_t> ids) {
  if (ids.size() != stepEngine->logitRowCount())
    return badUsage(std::to_string(ids.size()) + " ids were asked for, the last step has " +
                    std::to_string(stepEngine->logitRowCount()) + " logit rows");
  K3_TRY(stepEngine->sampleGreedy(ids));
  for (size_t row = 0; row < ids.size(); ++row)
    if (!rowHasValues(row))
      ids[row] = -1;
  return Status::success();
}
