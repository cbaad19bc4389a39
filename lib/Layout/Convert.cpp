//===- Convert.cpp - Moving a tile from one register layout to another ----===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Layout/Convert.h"
#include "lib/Layout/Access.h"
#include "lib/Layout/Named.h"
#include "lib/Layout/Transform.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <utility>

using namespace k3;
using namespace k3::layout;

bool ShuffleRound::local() const { return laneXor() == 0; }

std::optional<int32_t> ShuffleRound::laneXor() const {
  std::optional<int32_t> distance;
  for (int32_t l = 0; l < numLanes; ++l) {
    int32_t from = source[static_cast<size_t>(l)];
    if (from >= 0 && distance.value_or(l ^ from) != (l ^ from))
      return std::nullopt;
    if (from >= 0)
      distance = l ^ from;
  }
  return distance;
}

int32_t Conversion::shuffles() const {
  return static_cast<int32_t>(
      std::count_if(rounds.begin(), rounds.end(), [](const ShuffleRound &round) { return !round.local(); }));
}

/// Elements per moved register: packed neighbours travel together if both layouts pack the same ones.
static int32_t commonUnit(const RegLayout &from, const RegLayout &to, int32_t elementBits) {
  size_t bases = elementBits < 32 ? static_cast<size_t>(log2Exact(32 / elementBits)) : 0;
  if (from.reg().size() < bases || to.reg().size() < bases ||
      !std::equal(from.reg().begin(), from.reg().begin() + static_cast<std::ptrdiff_t>(bases),
                  to.reg().begin()))
    return 1;
  return 1 << bases;
}

namespace {

struct Source {
  int32_t lane, reg;
};

/// The tables of both layouts, in units.
struct Tables {
  std::vector<int32_t> from, to;
  int32_t fromRegs, toRegs, unit;

  int32_t source(int32_t w, int32_t l, int32_t unitReg, int32_t e = 0) const {
    return from[static_cast<size_t>((w * numLanes + l) * fromRegs + unitReg * unit + e)];
  }
  int32_t target(int32_t w, int32_t l, int32_t unitReg, int32_t e = 0) const {
    return to[static_cast<size_t>((w * numLanes + l) * toRegs + unitReg * unit + e)];
  }
};

/// One register (of `unit` elements) from lane to lane.
struct Move {
  int32_t src, send, dst, receive;
};

} // namespace

/// Whether the plan that was made for warp 0 fills every register of every warp, once.
static bool proves(const Tables &tables, const std::vector<ShuffleRound> &rounds, int32_t warps) {
  int32_t units = tables.toRegs / tables.unit;
  for (int32_t w = 0; w < warps; ++w) {
    std::vector<int32_t> filled(static_cast<size_t>(numLanes * units));
    for (const ShuffleRound &round : rounds)
      for (int32_t l = 0; l < numLanes; ++l) {
        int32_t receive = round.receive[static_cast<size_t>(l)];
        if (receive < 0)
          continue;
        int32_t from = round.source[static_cast<size_t>(l)], send = round.send[static_cast<size_t>(from)];
        for (int32_t e = 0; e < tables.unit; ++e)
          if (send < 0 || tables.source(w, from, send, e) != tables.target(w, l, receive, e))
            return false;
        ++filled[static_cast<size_t>(l * units + receive)];
      }
    if (std::any_of(filled.begin(), filled.end(), [](int32_t n) { return n != 1; }))
      return false;
  }
  return true;
}

/// What every register of every lane is filled from, register by register; none where some element has no
/// holder in the warp.
static std::optional<std::vector<Move>> findMoves(const Tables &tables) {
  std::map<int32_t, std::vector<Source>> holders;
  for (int32_t l = 0; l < numLanes; ++l)
    for (int32_t r = 0; r < tables.fromRegs / tables.unit; ++r)
      holders[tables.source(0, l, r)].push_back({l, r});
  std::vector<Move> moves;
  for (int32_t r = 0; r < tables.toRegs / tables.unit; ++r)
    for (int32_t l = 0; l < numLanes; ++l) {
      auto found = holders.find(tables.target(0, l, r));
      if (found == holders.end())
        return std::nullopt;
      // Of replicated holders the own lane, else the one fewest bits away.
      auto key = [l](const Source &s) {
        return std::pair(__builtin_popcount(static_cast<unsigned>(s.lane ^ l)), s.lane ^ l);
      };
      const Source &nearest =
          *std::min_element(found->second.begin(), found->second.end(),
                            [&](const Source &a, const Source &b) { return key(a) < key(b); });
      moves.push_back({nearest.lane, nearest.reg, l, r});
    }
  return moves;
}

static ShuffleRound emptyRound() {
  std::vector<int32_t> none(numLanes, -1);
  return {none, none, none};
}

static void put(ShuffleRound &round, const Move &move) {
  round.source[static_cast<size_t>(move.dst)] = move.src;
  round.send[static_cast<size_t>(move.src)] = move.send;
  round.receive[static_cast<size_t>(move.dst)] = move.receive;
}

/// Moves inside lanes: one round takes one register of each lane.
static std::vector<ShuffleRound> localRounds(const std::vector<Move> &moves) {
  std::vector<ShuffleRound> rounds;
  std::vector<size_t> used(numLanes);
  for (const Move &move : moves) {
    size_t &n = used[static_cast<size_t>(move.dst)];
    if (n == rounds.size())
      rounds.push_back(emptyRound());
    put(rounds[n++], move);
  }
  return rounds;
}

/// Moves across lanes, first fit: a lane offers one register a round (to any number of takers) and takes one.
static std::vector<ShuffleRound> greedyRounds(const std::vector<Move> &moves) {
  std::vector<ShuffleRound> rounds;
  for (const Move &move : moves) {
    auto fits = [&](const ShuffleRound &round) {
      int32_t offered = round.send[static_cast<size_t>(move.src)];
      return round.receive[static_cast<size_t>(move.dst)] < 0 && (offered < 0 || offered == move.send);
    };
    auto round = std::find_if(rounds.begin(), rounds.end(), fits);
    if (round == rounds.end())
      round = rounds.insert(round, emptyRound());
    put(*round, move);
  }
  return rounds;
}

/// Moves across lanes where no register has two takers: colours the edges of a bipartite graph, offering
/// lanes on one side and taking lanes on the other, with as many colours as the largest degree (König's
/// theorem: a conflict is resolved by swapping two colours along an alternating path).
static std::vector<ShuffleRound> colouredRounds(const std::vector<Move> &moves) {
  std::vector<int32_t> degree(2 * numLanes);
  for (const Move &move : moves) {
    ++degree[static_cast<size_t>(move.src)];
    ++degree[static_cast<size_t>(numLanes + move.dst)];
  }
  size_t colours = static_cast<size_t>(*std::max_element(degree.begin(), degree.end()));
  // edge[node][colour]; nodes 0-31 offer, 32-63 take.
  std::vector<std::vector<int32_t>> edge(2 * numLanes, std::vector<int32_t>(colours, -1));
  auto ends = [&](int32_t e, bool taker) {
    const Move &move = moves[static_cast<size_t>(e)];
    return static_cast<size_t>(taker ? numLanes + move.dst : move.src);
  };
  auto firstFree = [&](size_t node) {
    return static_cast<size_t>(std::find(edge[node].begin(), edge[node].end(), -1) - edge[node].begin());
  };
  for (int32_t e = 0; e < static_cast<int32_t>(moves.size()); ++e) {
    size_t s = ends(e, false), d = ends(e, true), a = 0;
    while (a < colours && (edge[s][a] >= 0 || edge[d][a] >= 0))
      ++a;
    if (a == colours) {
      a = firstFree(s);
      size_t b = firstFree(d), node = d;
      // From d: its edge of colour a, then b, then a ... ; it cannot come back to s, which has no edge of
      // colour a.
      std::vector<int32_t> path;
      for (bool taker = false; edge[node][path.size() % 2 ? b : a] >= 0; taker = !taker) {
        path.push_back(edge[node][path.size() % 2 ? b : a]);
        node = ends(path.back(), taker);
      }
      for (size_t i = 0; i < path.size(); ++i)
        for (bool taker : {false, true})
          edge[ends(path[i], taker)][i % 2 ? b : a] = -1;
      for (size_t i = 0; i < path.size(); ++i)
        for (bool taker : {false, true})
          edge[ends(path[i], taker)][i % 2 ? a : b] = path[i];
    }
    edge[s][a] = edge[d][a] = e;
  }
  std::vector<ShuffleRound> rounds(colours, emptyRound());
  for (size_t s = 0; s < numLanes; ++s)
    for (size_t c = 0; c < colours; ++c)
      if (edge[s][c] >= 0)
        put(rounds[c], moves[static_cast<size_t>(edge[s][c])]);
  return rounds;
}

static std::optional<std::vector<ShuffleRound>> planShuffles(const Tables &tables, int32_t warps) {
  auto moves = findMoves(tables);
  if (!moves)
    return std::nullopt;
  auto split =
      std::stable_partition(moves->begin(), moves->end(), [](const Move &m) { return m.src == m.dst; });
  std::vector<Move> across(split, moves->end());
  moves->erase(split, moves->end());
  std::vector<ShuffleRound> rounds = localRounds(*moves), others;
  std::set<std::pair<int32_t, int32_t>> offered;
  for (const Move &move : across)
    offered.insert({move.src, move.send});
  if (!across.empty())
    others = offered.size() == across.size() ? colouredRounds(across) : greedyRounds(across);
  rounds.insert(rounds.end(), others.begin(), others.end());
  if (!proves(tables, rounds, warps))
    return std::nullopt;
  return rounds;
}

static Status checkSame(const RegLayout &from, const RegLayout &to, int32_t elementBits) {
  if (from.shape() != to.shape())
    return badInput("a conversion keeps the shape: " + coordText(from.shape()) + " to " +
                    coordText(to.shape()));
  if (from.numWarps() != to.numWarps())
    return badInput("a conversion keeps the team: " + std::to_string(from.numWarps()) + " warps to " +
                    std::to_string(to.numWarps()));
  if (elementBits != 8 && elementBits != 16 && elementBits != 32)
    return badInput("a conversion of " + std::to_string(elementBits) + "-bit elements, must be 8, 16 or 32");
  return Status::success();
}

Expected<Conversion> layout::planConversion(const RegLayout &from, const RegLayout &to, int32_t elementBits) {
  K3_TRY(checkSame(from, to, elementBits));
  if (from == to)
    return Conversion{Via::None, {}, 1, {}};
  if (auto regs = relabel(from, to))
    return Conversion{Via::Relabel, std::move(*regs), 1, {}};
  Tables tables{from.table(), to.table(), from.numRegs(), to.numRegs(), commonUnit(from, to, elementBits)};
  if (auto rounds = planShuffles(tables, to.numWarps())) {
    Conversion conversion{Via::Shuffle, {}, tables.unit, std::move(*rounds)};
    if (conversion.shuffles() <= maxShuffles)
      return conversion;
  }
  return Conversion{Via::Shared, {}, 1, {}};
}

Expected<SharedLayout> layout::stagingLayout(const RegLayout &from, const RegLayout &to,
                                             int32_t elementBits) {
  K3_TRY(checkSame(from, to, elementBits));
  if (from.rank() < 1 || from.rank() > 2)
    return unsupported("staging of a tile of rank " + std::to_string(from.rank()));
  int32_t bytes = elementBits / 8, cols = from.shape().back();
  std::vector<Expected<SharedLayout>> candidates;
  if (from.rank() == 1) {
    candidates.push_back(SharedLayout::make(bytes, {{}}, {{0, cols, bytes}}));
  } else {
    int32_t rows = from.shape()[0];
    for (int32_t span : {128, 64, 32})
      candidates.push_back(swizzled(span, rows, cols, bytes));
    for (int64_t padding : {0, 16})
      candidates.push_back(rowMajor(rows, cols, bytes, int64_t(cols) * bytes + padding));
  }
  std::optional<SharedLayout> best;
  int64_t bestCount = 0;
  Coord origin(from.shape().size());
  for (const Expected<SharedLayout> &candidate : candidates) {
    if (!candidate.ok())
      continue; // a swizzle that the shape does not allow
    K3_ASSIGN(BankCount store, bankCount(from, *candidate, origin));
    K3_ASSIGN(BankCount load, bankCount(to, *candidate, origin));
    if (!best || store.wavefronts + load.wavefronts < bestCount) {
      bestCount = store.wavefronts + load.wavefronts;
      best = *candidate;
    }
  }
  if (!best)
    return candidates.back().takeStatus();
  return *best;
}
