//===- ModelPackage.h - A loaded package, as the runtime sees it *- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A checked package plus what every part of the runtime asks of it: its programs by kind, its limits, its
// taps. Immutable; shared by contexts.
//
//===----------------------------------------------------------------------===//

#ifndef K3_RUNTIME_MODELPACKAGE_H
#define K3_RUNTIME_MODELPACKAGE_H

#include "lib/Package/Expr.h"
#include "lib/Package/Package_generated.h"
#include "lib/Support/Status.h"

#include <memory>
#include <string>
#include <vector>

namespace k3 {

/// A tap that some step program has.
struct TapInfo {
  std::string name;
  fb::DType dtype = fb::DType::F32;
  bool isState = false;
  bool writable = false;
  bool byLogitRow = false; ///< dimension 0 counts logit rows
};

/// A function that is not part of a model: one program, or one per bucket of its launch-time sizes. Those of function
/// `f` are called f.b0, f.b1, ...; their inputs and outputs are the same, their buckets disjoint.
struct GraphFunction {
  std::string name;
  std::vector<const fb::ProgramT *> programs;

  const fb::ProgramT &first() const { return *programs.front(); }
  /// The program whose bucket holds the sizes; the error names them and the buckets.
  Expected<const fb::ProgramT *> choose(const SymbolValues &sizes) const;
};

/// What the step programs accept. One of each at least, but C, which may be 0.
struct StepLimits {
  uint64_t tokens = 0, sequences = 0, logitRows = 0, checkpoints = 0;
  uint64_t context = 0;         ///< tokens of a sequence
  uint64_t pageRows = 0;        ///< tokens of a page
  uint64_t blockTableWidth = 0; ///< 0: no step program has a block table
};

class ModelPackage {
public:
  static Expected<std::shared_ptr<const ModelPackage>> load(const std::string &path);
  /// From memory that `readPackage` or a test made; it has passed checkPackage.
  static Expected<std::shared_ptr<const ModelPackage>> adopt(std::unique_ptr<fb::PackageT> package);

  const fb::PackageT &get() const { return *package; }
  const StepLimits &limits() const { return stepLimits; }
  const std::vector<TapInfo> &taps() const { return tapList; }
  bool hasPagedState() const { return pagedState; }

  /// NULL where the package has none.
  const fb::ProgramT *pack() const { return packProgram; }
  const fb::ProgramT *copyState() const { return copyStateProgram; }
  const fb::ProgramT *sample() const { return sampleProgram; }
  /// Of a package that was compiled from a hand-written graph.
  const std::vector<GraphFunction> &graphs() const { return graphFunctions; }
  bool hasStep() const { return !steps.empty(); }
  /// The target of the steps, or else of the graphs; number in Package.targets.
  uint32_t runTarget() const { return hasStep() ? steps[0]->target : graphFunctions[0].first().target; }

  /// The step program for these sizes: of `variant`, or (Any) the decode one where `decodeShape` says that
  /// every sequence has one token, else the ragged one. Its bucket holds the sizes; the first in package
  /// order that fits.
  Expected<const fb::ProgramT *> chooseStep(fb::Variant variant, bool decodeShape,
                                            const SymbolValues &sizes) const;

  /// Upper ends of all symbols: package limits, widened by the buckets of the programs.
  const SymbolValues &upperSymbols() const { return upper; }

private:
  Status index();
  Status addGraph(const fb::ProgramT &program);
  void collectLimits();
  void collectTaps();

  std::unique_ptr<fb::PackageT> package;
  StepLimits stepLimits;
  SymbolValues upper;
  std::vector<TapInfo> tapList;
  std::vector<const fb::ProgramT *> steps;
  std::vector<GraphFunction> graphFunctions;
  const fb::ProgramT *packProgram = nullptr, *copyStateProgram = nullptr, *sampleProgram = nullptr;
  bool pagedState = false;
};

/// Whether every limit of the bucket holds the symbol's value; symbols without a value fit.
bool fitsBucket(const fb::ProgramT &program, const SymbolValues &sizes);

/// The input or output of that name, or NULL.
const fb::IoT *findIo(const fb::ProgramT &program, const std::string &name);

} // namespace k3

#endif // K3_RUNTIME_MODELPACKAGE_H
