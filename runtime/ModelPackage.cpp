//===- ModelPackage.cpp - A loaded package, as the runtime sees it --------===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/ModelPackage.h"

#include "lib/Package/Package.h"

#include <algorithm>

using namespace k3;

Expected<std::shared_ptr<const ModelPackage>> ModelPackage::load(const std::string &path) {
  K3_ASSIGN(std::unique_ptr<fb::PackageT> package, readPackage(path));
  auto adopted = adopt(std::move(package));
  if (!adopted)
    return adopted.takeStatus().withContext(path);
  return adopted;
}

Expected<std::shared_ptr<const ModelPackage>> ModelPackage::adopt(std::unique_ptr<fb::PackageT> package) {
  auto result = std::make_shared<ModelPackage>();
  result->package = std::move(package);
  K3_TRY(result->index());
  return std::shared_ptr<const ModelPackage>(std::move(result));
}

/// Refuses the second program of a kind that must be unique.
static Status takeUnique(const fb::ProgramT *&place, const fb::ProgramT &program) {
  if (place)
    return unsupported("programs '" + place->name + "' and '" + program.name + "' are both @" +
                       fb::EnumNameKind(program.kind) + ", this runtime expects one");
  place = &program;
  return Status::success();
}

Status ModelPackage::index() {
  if (!package->model)
    return badInput("the package has no model section");
  if (package->mesh && package->mesh->world > 1)
    return unsupported("was compiled for " + std::to_string(package->mesh->world) +
                       " ranks, this runtime runs one; compile with a mesh of size 1");
  for (const auto &program : package->programs) {
    switch (program->kind) {
    case fb::Kind::Step:
      steps.push_back(program.get());
      break;
    case fb::Kind::Pack:
      K3_TRY(takeUnique(packProgram, *program));
      break;
    case fb::Kind::CopyState:
      K3_TRY(takeUnique(copyStateProgram, *program));
      break;
    case fb::Kind::Sample:
      K3_TRY(takeUnique(sampleProgram, *program));
      break;
    case fb::Kind::Aux:
      K3_TRY(addGraph(*program));
      break;
    case fb::Kind::Body:
      break;
    }
  }
  if (steps.empty() && graphFunctions.empty())
    return badInput("the package has no @step program and no graph");
  for (const fb::ProgramT *step : steps)
    if (step->target != steps[0]->target)
      return unsupported("the package has step programs for several targets, this runtime expects one");
  for (const GraphFunction &graph : graphFunctions)
    for (const fb::ProgramT *program : graph.programs)
      if (program->target != runTarget())
        return unsupported("the package has graphs for several targets, this runtime expects one");
  for (const auto &state : package->states)
    pagedState |= state->kind == fb::StateKind::Paged;
  collectLimits();
  if (pagedState && hasStep() && (stepLimits.pageRows == 0 || stepLimits.blockTableWidth == 0))
    return badInput("the package has a paged state but no page size or no step with a block_table");
  collectTaps();
  return Status::success();
}

/// "f" of "f.b2"; nothing for a name without such an end.
static std::optional<std::string> functionOfBucket(const std::string &name) {
  size_t dot = name.rfind(".b");
  bool digits = dot != std::string::npos && dot > 0 && dot + 2 < name.size();
  for (size_t i = dot + 2; digits && i < name.size(); ++i)
    digits = name[i] >= '0' && name[i] <= '9';
  return digits ? std::optional<std::string>(name.substr(0, dot)) : std::nullopt;
}

/// Same names, types, extents and directions, in the same order.
static bool sameIo(const fb::ProgramT &a, const fb::ProgramT &b) {
  auto sameDim = [](const auto &x, const auto &y) { return exprText(*x->size) == exprText(*y->size); };
  auto same = [&](const auto &x, const auto &y) {
    return x->name == y->name && x->dtype == y->dtype && x->output == y->output && x->buffer == y->buffer &&
           std::equal(x->dims.begin(), x->dims.end(), y->dims.begin(), y->dims.end(), sameDim);
  };
  return std::equal(a.io.begin(), a.io.end(), b.io.begin(), b.io.end(), same);
}

/// No sizes are in both.
static bool disjoint(const fb::ProgramT &a, const fb::ProgramT &b) {
  for (const auto &x : a.bucket)
    for (const auto &y : b.bucket)
      if (x->sym == y->sym && (x->max < y->min || y->max < x->min))
        return true;
  return false;
}

Status ModelPackage::addGraph(const fb::ProgramT &program) {
  std::string name = functionOfBucket(program.name).value_or(program.name);
  auto known = std::find_if(graphFunctions.begin(), graphFunctions.end(),
                            [&](const GraphFunction &function) { return function.name == name; });
  if (known == graphFunctions.end()) {
    graphFunctions.push_back({name, {&program}});
    return Status::success();
  }
  for (const fb::ProgramT *other : known->programs) {
    std::string both = "programs '" + other->name + "' and '" + program.name + "' of graph '" + name + "' ";
    if (!sameIo(*other, program))
      return badInput(both + "have different inputs or outputs");
    if (!disjoint(*other, program))
      return badInput(both + "have buckets that overlap");
  }
  known->programs.push_back(&program);
  return Status::success();
}

/// "T = 1..16, S = 1..4"
static std::string bucketText(const fb::ProgramT &program) {
  std::string text;
  for (const auto &limit : program.bucket)
    text += (text.empty() ? "" : ", ") + std::string(symbolName(static_cast<uint8_t>(limit->sym))) + " = " +
            std::to_string(limit->min) + ".." + std::to_string(limit->max);
  return text;
}

Expected<const fb::ProgramT *> GraphFunction::choose(const SymbolValues &sizes) const {
  for (const fb::ProgramT *program : programs)
    if (fitsBucket(*program, sizes))
      return program;
  std::string have, buckets;
  for (const auto &limit : first().bucket)
    if (auto symbol = static_cast<uint8_t>(limit->sym); sizes.has(symbol))
      have += (have.empty() ? "" : ", ") + std::string(symbolName(symbol)) + " = " + std::to_string(sizes.get(symbol));
  for (const fb::ProgramT *program : programs)
    buckets += (buckets.empty() ? "" : "; ") + bucketText(*program);
  return badInput("graph '" + name + "': " + have + " is outside of what it was compiled for (" + buckets +
                  "); compile with a larger --max-tokens or --max-seqs");
}

void ModelPackage::collectLimits() {
  auto widen = [this](const fb::LimitT &limit) {
    int64_t value = static_cast<int64_t>(limit.max);
    uint8_t symbol = static_cast<uint8_t>(limit.sym);
    if (!upper.has(symbol) || upper.get(symbol) < value)
      upper.set(limit.sym, value);
  };
  for (const auto &limit : package->limits)
    widen(*limit);
  for (const auto &program : package->programs)
    for (const auto &limit : program->bucket)
      widen(*limit);
  auto bound = [this](fb::Sym symbol, int64_t absent) {
    if (!upper.has(static_cast<uint8_t>(symbol)))
      upper.set(symbol, absent);
    return static_cast<uint64_t>(upper.get(static_cast<uint8_t>(symbol)));
  };
  stepLimits.tokens = bound(fb::Sym::T, 1);
  stepLimits.sequences = bound(fb::Sym::S, static_cast<int64_t>(stepLimits.tokens));
  stepLimits.logitRows = bound(fb::Sym::R, static_cast<int64_t>(stepLimits.sequences));
  stepLimits.checkpoints = bound(fb::Sym::C, 0);
  bound(fb::Sym::N, static_cast<int64_t>(stepLimits.sequences));
  bound(fb::Sym::M, static_cast<int64_t>(stepLimits.sequences));
  bound(fb::Sym::Rank, 0);
  stepLimits.context = package->max_context ? package->max_context : UINT64_MAX;
  stepLimits.pageRows = package->page_rows;
  for (const fb::ProgramT *step : steps)
    if (const fb::IoT *table = findIo(*step, "block_table"); table && table->dims.size() == 2)
      stepLimits.blockTableWidth =
          std::max<uint64_t>(stepLimits.blockTableWidth,
                             static_cast<uint64_t>(constantValue(*table->dims[1]->size).value_or(0)));
  if (stepLimits.blockTableWidth)
    stepLimits.context = std::min(stepLimits.context, stepLimits.blockTableWidth * stepLimits.pageRows);
}

/// Whether the first dimension of a tap is the symbol R.
static bool countsLogitRows(const fb::TapT &tap) {
  if (!tap.view || tap.view->dims.empty())
    return false;
  const auto &terms = tap.view->dims[0]->size->terms;
  return terms.size() == 1 && (terms[0].a() == static_cast<uint8_t>(fb::Sym::R) ||
                               terms[0].b() == static_cast<uint8_t>(fb::Sym::R));
}

void ModelPackage::collectTaps() {
  for (const fb::ProgramT *step : steps) {
    for (const auto &tap : step->taps) {
      if (std::any_of(tapList.begin(), tapList.end(),
                      [&](const TapInfo &known) { return known.name == tap->name; }))
        continue;
      TapInfo info;
      info.name = tap->name;
      info.isState = !tap->state.empty();
      info.writable = tap->writable && !info.isState;
      info.byLogitRow = countsLogitRows(*tap);
      if (tap->view)
        info.dtype = tap->view->dtype;
      if (info.isState)
        for (const auto &state : package->states)
          if (state->name == tap->state)
            info.dtype = state->dtype;
      tapList.push_back(std::move(info));
    }
  }
}

Expected<const fb::ProgramT *> ModelPackage::chooseStep(fb::Variant variant, bool decodeShape,
                                                        const SymbolValues &sizes) const {
  auto find = [&](fb::Variant wanted) -> const fb::ProgramT * {
    for (const fb::ProgramT *step : steps)
      if (step->variant == wanted && fitsBucket(*step, sizes))
        return step;
    return nullptr;
  };
  const fb::ProgramT *step = nullptr;
  if (variant == fb::Variant::Any) {
    if (decodeShape)
      step = find(fb::Variant::Decode);
    if (!step)
      step = find(fb::Variant::Ragged);
  } else {
    step = find(variant);
  }
  if (!step && variant != fb::Variant::Decode)
    step = find(fb::Variant::Any);
  if (step)
    return step;
  if (!hasStep())
    return badInput("the package has no @step program, only graphs");
  auto number = [&](fb::Sym symbol) { return std::to_string(sizes.get(static_cast<uint8_t>(symbol))); };
  return badInput(std::string("the package has no ") +
                  (variant == fb::Variant::Any ? "" : std::string(fb::EnumNameVariant(variant)) + " ") +
                  "step program for T = " + number(fb::Sym::T) + ", S = " + number(fb::Sym::S) +
                  ", R = " + number(fb::Sym::R) + ", C = " + number(fb::Sym::C));
}

bool k3::fitsBucket(const fb::ProgramT &program, const SymbolValues &sizes) {
  return std::all_of(program.bucket.begin(), program.bucket.end(), [&](const auto &limit) {
    uint8_t symbol = static_cast<uint8_t>(limit->sym);
    if (!sizes.has(symbol))
      return true;
    auto value = static_cast<uint64_t>(sizes.get(symbol));
    return value >= limit->min && value <= limit->max;
  });
}

const fb::IoT *k3::findIo(const fb::ProgramT &program, const std::string &name) {
  for (const auto &io : program.io)
    if (io->name == name)
      return io.get();
  return nullptr;
}
