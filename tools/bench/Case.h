//===- Case.h - A kernel of a package and what it computes ------*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A case is a program of one launch whose kernel says in the package (meta "kernel.<name>") what it computes. Operands are
// numbered as in passes/Kernels/Kernels.h.
//
//===----------------------------------------------------------------------===//

#ifndef K3_TOOLS_BENCH_CASE_H
#define K3_TOOLS_BENCH_CASE_H

#include "runtime/ModelPackage.h"
#include "runtime/View.h"

#include <string>
#include <vector>

namespace k3::bench {

enum class Family { Gemm, RmsNorm, AttnRes };
enum class Epilogue { None, ResidualAdd, SituGlu, SigmoidGate };

struct Problem {
  Family family = Family::Gemm;
  std::string text;     ///< the JSON without the schedule: equal for kernels that compute the same
  std::string schedule; ///< what a tuning variant says of itself
  int64_t n = 0, k = 0;
  Epilogue epilogue = Epilogue::None;
  double beta = 0, linearBeta = 0;
  int64_t d = 0, sources = 0;
  double eps = 0;
  bool addsDelta = false, writesBank = false, norm = false;
  std::vector<int> operands; ///< operand of every argument, -1 for a scalar; empty where the package does not say

  /// Rows of the weight of a product: twice n with SiTU-GLU.
  int64_t weightRows() const { return epilogue == Epilogue::SituGlu ? 2 * n : n; }
  double flops(int64_t rows) const;
};

/// The meta text of kernel `kernel`. Errors: no JSON, an unknown family or epilogue, a missing number.
Expected<Problem> parseProblem(const std::string &kernel, const std::string &json);

struct Case {
  std::string function;
  const fb::ProgramT *program = nullptr;
  const fb::LaunchT *launch = nullptr;
  std::string kernel;
  Problem problem;
};

/// The case that function `graph` is, by its program number `program`. Fails where the program is more than one launch or its
/// kernel does not say what it computes.
Expected<Case> caseOf(const fb::PackageT &package, const GraphFunction &graph, const fb::ProgramT &program);

/// A tensor of the launch.
struct Operand {
  unsigned number = 0; ///< passes/Kernels/Kernels.h
  bool written = false, constant = false;
  uint32_t buffer = 0;
  uint64_t offset = 0; ///< bytes in the buffer
  ResolvedView view;   ///< shape and type; `data` is not bound
  uint64_t end() const { return offset + view.bytes(); }
};

/// The tensors of the launch at these sizes, ascending by number. Fails where they are not those of the problem.
Expected<std::vector<Operand>> operandsOf(const fb::PackageT &package, const Case &which, const SymbolValues &symbols);

/// The operand of that number, or NULL.
const Operand *findOperand(const std::vector<Operand> &operands, unsigned number);

} // namespace k3::bench

#endif // K3_TOOLS_BENCH_CASE_H
