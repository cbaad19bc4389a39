//===- DecodeReduce.cpp - Reductions in the order that the operation states --===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Registers of a lane ascending into four running sums, (s0 + s1) + (s2 + s3); lanes as a butterfly of
// distances 1 to 16; warps ascending; then the sums of the CTAs, ranks ascending.
//
//===----------------------------------------------------------------------===//

#include "lib/Emulator/Decoder.h"
#include "lib/Layout/Transform.h"

#include <cmath>
#include <cstring>

using namespace mlir;

namespace k3::emu {

namespace {
/// Which elements meet where, for one layout and dimension.
struct ReducePlan {
  int32_t warps = 0, slots = 0; ///< slots: results that a lane holds
  std::vector<int32_t> lanes;   ///< lane distances along the dimension
  int64_t results = 0;
  /// [warp][lane][slot]: the result's number, and the operand's elements in register order.
  struct Slot {
    int32_t result;
    std::vector<int32_t> elements;
  };
  std::vector<Slot> table;
  /// Per result: the warps whose partial results are added, ascending; copies of a part count once.
  std::vector<std::vector<int32_t>> parts;
  /// Per warp: the results it holds, ascending: the order of its row of scratch.
  std::vector<std::vector<int32_t>> held;

  Slot &at(int32_t warp, int32_t lane, int32_t slot) {
    return table[(warp * layout::numLanes + lane) * slots + slot];
  }
  const Slot &at(int32_t warp, int32_t lane, int32_t slot) const {
    return table[(warp * layout::numLanes + lane) * slots + slot];
  }
};
} // namespace

static ReducePlan plan(const layout::RegLayout &layout, int32_t dim) {
  ReducePlan plan;
  plan.warps = layout.numWarps();
  layout::Coord shape = layout.shape(), reduced = shape;
  reduced.erase(reduced.begin() + dim);
  plan.results = 1;
  for (int32_t extent : reduced)
    plan.results *= extent;
  for (int32_t bit = 0; bit < 5; ++bit)
    if (layout.lane()[bit][dim] != 0)
      plan.lanes.push_back(1 << bit);
  std::vector<int32_t> table = layout.table();
  int32_t regs = layout.numRegs();
  auto split = [&](int32_t element) {
    layout::Coord at = layout::coordOf(element, shape);
    int32_t along = at[dim];
    at.erase(at.begin() + dim);
    return std::pair<int32_t, int32_t>(reduced.empty() ? 0 : layout::linearIndex(at, reduced), along);
  };
  // Registers with one result in lane 0 of warp 0 have one result everywhere: bases do not mix dimensions.
  std::vector<int32_t> slotOf, firstOf;
  for (int32_t r = 0; r < regs; ++r) {
    int32_t result = split(table[r]).first;
    size_t slot = 0;
    while (slot < firstOf.size() && firstOf[slot] != result)
      ++slot;
    if (slot == firstOf.size())
      firstOf.push_back(result);
    slotOf.push_back(static_cast<int32_t>(slot));
  }
  plan.slots = static_cast<int32_t>(firstOf.size());
  plan.table.resize(size_t(plan.warps) * layout::numLanes * plan.slots);
  plan.held.resize(plan.warps);
  // The first coordinate of a warp's part of a result tells copies from parts.
  std::vector<std::vector<std::pair<int32_t, int32_t>>> starts(plan.results);
  size_t at = 0;
  for (int32_t w = 0; w < plan.warps; ++w) {
    std::vector<int32_t> least(plan.results, INT32_MAX);
    for (int32_t l = 0; l < layout::numLanes; ++l)
      for (int32_t r = 0; r < regs; ++r) {
        int32_t element = table[at++];
        auto [result, along] = split(element);
        ReducePlan::Slot &slot = plan.at(w, l, slotOf[r]);
        slot.result = result;
        slot.elements.push_back(element);
        least[result] = std::min(least[result], along);
      }
    for (int32_t result = 0; result < plan.results; ++result)
      if (least[result] != INT32_MAX) {
        starts[result].emplace_back(least[result], w);
        plan.held[w].push_back(result);
      }
  }
  for (auto &list : starts) {
    std::vector<int32_t> warps;
    for (size_t i = 0; i < list.size(); ++i) {
      bool copy = false;
      for (size_t j = 0; j < i; ++j)
        copy |= list[j].first == list[i].first;
      if (!copy)
        warps.push_back(list[i].second);
    }
    plan.parts.push_back(std::move(warps));
  }
  return plan;
}

static float combine(tile::ReduceKind kind, float a, float b) {
  switch (kind) {
  case tile::ReduceKind::Add:
    return a + b;
  case tile::ReduceKind::Max:
    return std::isnan(a) ? b : std::isnan(b) ? a : a > b ? a : b;
  case tile::ReduceKind::Min:
    return std::isnan(a) ? b : std::isnan(b) ? a : a < b ? a : b;
  }
  return 0;
}
static int32_t combine(tile::ReduceKind kind, int32_t a, int32_t b) {
  switch (kind) {
  case tile::ReduceKind::Add:
    return static_cast<int32_t>(static_cast<uint32_t>(a) + static_cast<uint32_t>(b));
  case tile::ReduceKind::Max:
    return std::max(a, b);
  case tile::ReduceKind::Min:
    return std::min(a, b);
  }
  return 0;
}

/// Every warp's own result of each of its held results: [warp][result].
template <typename T>
static std::vector<std::vector<T>> partials(const ReducePlan &plan, const std::vector<T> &in,
                                            tile::ReduceKind kind) {
  std::vector<std::vector<T>> out(plan.warps, std::vector<T>(plan.results));
  std::vector<T> lane(layout::numLanes), other(layout::numLanes);
  for (int32_t w = 0; w < plan.warps; ++w)
    for (int32_t s = 0; s < plan.slots; ++s) {
      for (int32_t l = 0; l < layout::numLanes; ++l) {
        const std::vector<int32_t> &elements = plan.at(w, l, s).elements;
        T sums[4];
        size_t n = elements.size();
        for (size_t i = 0; i < n; ++i)
          sums[i % 4] = i < 4 ? in[elements[i]] : combine(kind, sums[i % 4], in[elements[i]]);
        T low = n > 1 ? combine(kind, sums[0], sums[1]) : sums[0];
        lane[l] = n > 3   ? combine(kind, low, combine(kind, sums[2], sums[3]))
                  : n > 2 ? combine(kind, low, sums[2])
                          : low;
      }
      for (int32_t distance : plan.lanes) {
        for (int32_t l = 0; l < layout::numLanes; ++l)
          other[l] = combine(kind, lane[l], lane[l ^ distance]);
        std::swap(lane, other);
      }
      for (int32_t l = 0; l < layout::numLanes; ++l)
        out[w][plan.at(w, l, s).result] = lane[l];
    }
  return out;
}

namespace {
struct ReduceStep {
  std::vector<ReducePlan> plans;
  std::vector<unsigned> in, to;
  std::vector<Type> types;
  tile::ReduceKind kind;
  tile::Across across;
  std::optional<unsigned> scratch;
  int64_t dim = 0, rowBytes = 0;
  uint32_t number = 0;

  bool operator()(Frame &frame) const;
  bool exchange(Frame &frame, std::vector<std::vector<std::vector<uint32_t>>> &bits) const;
  template <typename T>
  void finish(Frame &frame, size_t i, const std::vector<std::vector<std::vector<uint32_t>>> &bits,
              int64_t ranks) const;
};
} // namespace

/// Writes this CTA's partial results to the scratch of every CTA that needs them, synchronises, and reads
/// all: bits[i] gets a row per (rank, warp).
bool ReduceStep::exchange(Frame &frame, std::vector<std::vector<std::vector<uint32_t>>> &bits) const {
  uint32_t operation = frame.op(number);
  Team &team = frame.team;
  bool cluster = across == tile::Across::Cluster;
  const Value &buffer = frame.values[*scratch];
  int64_t warps = plans[0].warps, ranks = cluster ? frame.clusterSize : 1;
  for (int64_t rank = 0; rank < ranks; ++rank) {
    Block &target = cluster ? *team.cta.cluster->ctas[rank]->shared : *buffer.block;
    WarpRanges writes;
    for (int64_t w = 0; w < warps; ++w) {
      int64_t row = (cluster ? team.cta.rank * warps : 0) + w;
      uint64_t at = buffer.use + row * rowBytes;
      writes.push_back({Range{at, static_cast<uint32_t>(rowBytes), kAnyLane}});
      for (size_t i = 0; i < plans.size(); ++i)
        for (int32_t result : plans[i].held[w]) {
          if (target.inside(at, 4)) {
            std::memcpy(target.data() + at, &bits[i][w][result], 4);
            target.clearPoison(at, 4);
          }
          at += 4;
        }
    }
    team.write(operation, target, writes);
  }
  if (cluster) {
    team.clusterArrive(operation, false);
    if (!team.clusterWait(operation))
      return false;
  } else {
    team.teamSync();
  }
  WarpRanges all(warps, {Range{static_cast<uint64_t>(buffer.use),
                               static_cast<uint32_t>(ranks * warps * rowBytes), kAnyLane}});
  team.read(operation, *buffer.block, all);
  if (!cluster)
    return !team.cancelled();
  for (size_t i = 0; i < plans.size(); ++i) {
    bits[i].assign(ranks * warps, std::vector<uint32_t>(plans[i].results));
    for (int64_t row = 0; row < ranks * warps; ++row) {
      uint64_t at = buffer.use + row * rowBytes;
      for (size_t before = 0; before < i; ++before)
        at += 4 * plans[before].held[row % warps].size();
      for (int32_t result : plans[i].held[row % warps]) {
        if (buffer.block->inside(at, 4))
          std::memcpy(&bits[i][row][result], buffer.block->data() + at, 4);
        at += 4;
      }
    }
  }
  return !team.cancelled();
}

template <typename T>
void ReduceStep::finish(Frame &frame, size_t i, const std::vector<std::vector<std::vector<uint32_t>>> &bits,
                        int64_t ranks) const {
  const ReducePlan &p = plans[i];
  const Tensor &source = *frame.values[in[i]].tensor;
  std::vector<T> result(p.results);
  for (int64_t r = 0; r < p.results; ++r) {
    for (int64_t rank = 0; rank < ranks; ++rank) {
      T ofCta{};
      bool first = true;
      for (int32_t w : p.parts[r]) {
        T part;
        std::memcpy(&part, &bits[i][rank * p.warps + w][r], 4);
        ofCta = first ? part : combine(kind, ofCta, part);
        first = false;
        if (across == tile::Across::Lane)
          break;
      }
      result[r] = rank == 0 ? ofCta : combine(kind, result[r], ofCta);
    }
  }
  // A result is undefined where one of its elements is.
  std::vector<uint8_t> bad(p.results);
  if (!source.poison.empty()) {
    layout::Coord shape(source.shape.begin(), source.shape.end()), reduced = shape;
    reduced.erase(reduced.begin() + dim);
    for (int64_t e = 0; e < source.count(); ++e)
      if (source.poison[e]) {
        layout::Coord at = layout::coordOf(e, shape);
        at.erase(at.begin() + dim);
        bad[reduced.empty() ? 0 : layout::linearIndex(at, reduced)] = 1;
      }
  }
  Value made;
  if (isa<RankedTensorType>(types[i])) {
    TensorRef tensor = makeTensor(types[i], frame);
    for (int64_t r = 0; r < p.results; ++r) {
      if constexpr (std::is_same_v<T, float>)
        tensor->f[r] = roundTo(tensor->elem, result[r]);
      else
        tensor->n[r] = result[r];
      if (bad[r])
        tensor->setPoison(r, source.origin);
    }
    made.tensor = std::move(tensor);
  } else {
    if constexpr (std::is_same_v<T, float>)
      made.f = result[0];
    else
      made.i = result[0];
    made.poison = bad[0];
    made.origin = source.origin;
  }
  frame.values[to[i]] = std::move(made);
}

bool ReduceStep::operator()(Frame &frame) const {
  // Partial results as bits: [operand][warp][result].
  std::vector<std::vector<std::vector<uint32_t>>> bits(plans.size());
  for (size_t i = 0; i < plans.size(); ++i) {
    const Tensor &source = *frame.values[in[i]].tensor;
    auto keep = [&](const auto &partial) {
      for (const auto &warp : partial) {
        bits[i].emplace_back(warp.size());
        std::memcpy(bits[i].back().data(), warp.data(), 4 * warp.size());
      }
    };
    if (isFloat(source.elem))
      keep(partials(plans[i], source.f, kind));
    else
      keep(partials(plans[i], source.n, kind));
  }
  if (scratch && !exchange(frame, bits))
    return false;
  int64_t ranks = across == tile::Across::Cluster ? frame.clusterSize : 1;
  for (size_t i = 0; i < plans.size(); ++i)
    if (isFloat(frame.values[in[i]].tensor->elem))
      finish<float>(frame, i, bits, ranks);
    else
      finish<int32_t>(frame, i, bits, ranks);
  return true;
}

Expected<bool> Decoder::reduction(Operation *op, Code &code) {
  auto reduce = dyn_cast<tile::ReduceOp>(op);
  if (!reduce)
    return false;
  ReduceStep step;
  step.in = values(reduce.getValues());
  step.to = values(reduce.getResults());
  step.kind = reduce.getKind();
  step.across = reduce.getAcross();
  step.dim = reduce.getDim();
  step.number = text(op);
  for (mlir::Value v : reduce.getValues())
    step.plans.push_back(plan(tile::layoutOf(v.getType()), static_cast<int32_t>(step.dim)));
  for (mlir::Value v : reduce.getResults())
    step.types.push_back(v.getType());
  auto refuse = [&](const std::string &why) {
    return unsupported("kernel '" + program.spec.name + "': tile.reduce at " + place(op->getLoc()) + ": " +
                       why);
  };
  bool crosses = false;
  for (const ReducePlan &p : step.plans)
    for (const std::vector<int32_t> &parts : p.parts)
      crosses |= parts.size() > 1;
  if (step.across == tile::Across::Lane && crosses)
    return refuse("the dimension runs across warps");
  if (reduce.getScratch() && step.across != tile::Across::Lane) {
    step.scratch = value(reduce.getScratch());
    // A row per warp, and per CTA of the cluster.
    auto type = cast<tile::SharedType>(reduce.getScratch().getType());
    step.rowBytes = type.getShape().back() * type.getElementBytes();
    int64_t held = 0;
    for (const ReducePlan &p : step.plans)
      held += static_cast<int64_t>(p.held[0].size());
    if (step.rowBytes < 4 * held)
      return refuse("a warp holds " + std::to_string(held) + " results, a row of scratch has " +
                    std::to_string(step.rowBytes / 4));
  } else if (step.across == tile::Across::Cluster || crosses) {
    return refuse("there is no scratch");
  }
  code.steps.push_back(std::move(step));
  return true;
}

} // namespace k3::emu
