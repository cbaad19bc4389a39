//===- Machine.h - Grids of CTAs on emulated memory -------------*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A Machine runs kernels one after the other. A kernel is given as a C++ function that is called once per
// role instance (a team of warps), in a fibre, and does its work through the operations of Team; the
// interpreter of the tile dialect is one such function. The Machine owns the findings.
//
//===----------------------------------------------------------------------===//

#ifndef K3_EMULATOR_MACHINE_H
#define K3_EMULATOR_MACHINE_H

#include "lib/Emulator/Barrier.h"
#include "lib/Emulator/Memory.h"
#include "lib/Emulator/Report.h"
#include "lib/Emulator/Scheduler.h"

#include <map>
#include <set>

namespace k3::emu {

class Team;
class Machine;

struct RoleSpec {
  std::string name;
  unsigned instances = 1, warps = 1;
};
struct MbarSpec {
  std::string name;
  unsigned slots = 1, arrivals = 1;
};
struct SharedSpec {
  std::string name;
  uint64_t offset = 0, bytes = 0;
};
/// What a CTA consists of.
struct KernelSpec {
  std::string name;
  std::vector<RoleSpec> roles;
  std::vector<MbarSpec> mbars;
  std::vector<SharedSpec> buffers;
  uint64_t sharedBytes = 0;
};
struct Grid {
  unsigned ctas = 1, cluster = 1;
  /// How many CTAs the kernel declares to be resident at once; 0: none, a few run at a time.
  unsigned resident = 0;
  /// Launched by programmatic dependent launch: earlier grids are only known after pdl_wait.
  bool dependent = false;
};
struct Options {
  Schedule schedule;
  bool trackRaces = true;
  uint64_t maxSwitches = 100'000'000;
};

/// The agents of a CTA, in their order: warps, the cp.async of each warp, three queues per team, mbarrier
/// slots.
struct AgentLayout {
  AgentLayout() = default;
  explicit AgentLayout(const KernelSpec &kernel);
  unsigned warps = 0, teams = 0, slots = 0;
  enum Queue { Wgmma, BulkRead, BulkWrite, kQueues };
  unsigned cpAsync(unsigned warp) const { return warps + warp; }
  unsigned queue(unsigned team, Queue q) const { return 2 * warps + team * kQueues + q; }
  unsigned slot(unsigned n) const { return 2 * warps + teams * kQueues + n; }
};

/// One CTA while it runs.
struct Cta {
  uint32_t number = 0; ///< unique over launches, the high part of its agents
  unsigned index = 0, rank = 0;
  std::unique_ptr<Block> shared;
  std::vector<std::vector<Mbarrier>> mbars;
  std::map<unsigned, NamedBarrier> named;
  std::vector<std::unique_ptr<Team>> teams;
  struct Cluster *cluster = nullptr;
  unsigned running = 0;        ///< teams
  unsigned copiesInFlight = 0; ///< that complete on an mbarrier of this CTA
};
struct Cluster {
  std::vector<std::unique_ptr<Cta>> ctas;
  ClusterBarrier barrier;
  unsigned running = 0; ///< teams
};

class Machine {
public:
  explicit Machine(Options options);
  ~Machine();

  /// Text of an operation for messages, e.g. "tile.map_load at gemm.mlir:12:5". Returns its number, from 1.
  uint32_t op(std::string text);
  const std::string &opText(uint32_t op) const { return ops[op]; }

  /// Forgets the order of everything so far: a new step, or the host has waited.
  void newStep();

  /// Runs one grid to its end. False if it was stopped (deadlock, step budget).
  bool launch(const KernelSpec &kernel, const Grid &grid, const std::function<void(Team &)> &body);

  Report report;
  const Options options;

  // For Team and the interpreter.
  /// Where the operations of a program that ran here begin.
  std::map<const void *, uint32_t> firstOps;
  std::unique_ptr<Scheduler> scheduler;
  GridSpan grids;
  /// The release sequence of an ordered word of global memory.
  std::map<std::pair<const Block *, uint64_t>, Clocks> words;
  std::string agentName(AgentId agent, uint32_t time) const;
  std::string describe(const AccessRecord &record) const;
  /// Reports a conflict of `record` with an earlier access.
  void conflict(Conflict kind, const Block &block, const AccessRecord &record, bool writes,
                const AccessRecord &earlier, bool earlierWrote, uint64_t offset, unsigned size);
  void finding(FindingKind kind, uint64_t key, std::string text);

private:
  struct Launch {
    KernelSpec kernel;
    Grid grid;
    AgentLayout agents;
    uint32_t firstCta = 0;
  };
  std::vector<std::string> ops{""};
  std::vector<Launch> launches;
  std::vector<std::unique_ptr<Cluster>> live;
  uint32_t nextCta = 1;
  unsigned nextCluster = 0;
  const std::function<void(Team &)> *body = nullptr;
  void startCluster();
  void endTeam(Cta &cta);
  friend class Team;
};

} // namespace k3::emu

#endif // K3_EMULATOR_MACHINE_H
