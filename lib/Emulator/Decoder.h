//===- Decoder.h - From operations to steps ---------------------*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Inside the interpreter only. A step is a closure that does one operation for a whole team; it returns false
// when the run was cancelled. Values are numbered per kernel, and a frame holds those of one team.
//
//===----------------------------------------------------------------------===//

#ifndef K3_EMULATOR_DECODER_H
#define K3_EMULATOR_DECODER_H

#include "lib/Emulator/Places.h"
#include "lib/Emulator/Program.h"
#include "lib/Emulator/Tensor.h"

#include "llvm/ADT/DenseMap.h"

namespace k3::emu {

/// Whatever an SSA value can be.
struct Value {
  int64_t i = 0;   ///< integer; slot of a cursor; number of an mbarrier array
  int64_t use = 0; ///< use number of a cursor; byte offset of a shared tile; group of a pending tile
  float f = 0;
  bool poison = false; ///< of a scalar
  uint32_t origin = 0;
  TensorRef tensor;                   ///< a tile, or what a pending one will hold
  Block *block = nullptr;             ///< of a shared tile
  Cta *cta = nullptr;                 ///< of a shared tile or barrier
  std::shared_ptr<const Array> array; ///< view, map
};

/// One team while it runs a program.
struct Frame {
  Team &team;
  const LaunchConfig &config;
  uint32_t firstOp; ///< operation numbers of the Machine begin here
  int64_t clusterSize;
  std::vector<Value> values;

  uint32_t op(uint32_t local) const { return firstOp + local; }
  Machine &machine() const { return team.machine; }
  /// An undefined scalar decides something.
  void decide(uint32_t op, const Value &value, const char *what) const;
  void poisonFinding(uint32_t op, uint32_t origin, const std::string &what) const;
};

using Step = std::function<bool(Frame &)>;
struct Code {
  std::vector<Step> steps;
  bool run(Frame &frame) const {
    for (const Step &step : steps)
      if (!step(frame))
        return false;
    return true;
  }
};
using CodeRef = std::shared_ptr<Code>;

struct RoleCode {
  CodeRef code;
  unsigned instance; ///< the value that holds the instance's number
};

struct Program::Impl {
  tile::KernelOp op;
  KernelSpec spec;
  std::vector<std::string> ops; ///< texts of operations
  CodeRef prologue;
  std::vector<RoleCode> roles;
  unsigned valueCount = 0;
  std::vector<unsigned> arguments; ///< values of the kernel's arguments
  int64_t clusterSize = 1, resident = 0;
};

class Decoder {
public:
  explicit Decoder(Program::Impl &program) : program(program) {}
  Status decodeKernel();

private:
  Program::Impl &program;
  llvm::DenseMap<mlir::Value, unsigned> numbers;
  std::map<std::pair<std::string, unsigned>, unsigned> barrierIds;
  uint64_t sharedEnd = 0;

  unsigned value(mlir::Value v);
  std::vector<unsigned> values(mlir::ValueRange range);
  /// The operation's number, for messages.
  uint32_t text(mlir::Operation *op);

  Status block(mlir::Block &block, Code &code);
  Status operation(mlir::Operation *op, Code &code);
  // Each of these appends the step of an operation it knows; false: not one of its own.
  Expected<bool> structure(mlir::Operation *op, Code &code);
  Expected<bool> control(mlir::Operation *op, Code &code);
  Expected<bool> arithmetic(mlir::Operation *op, Code &code);
  Expected<bool> conversion(mlir::Operation *op, Code &code);
  Expected<bool> synchronisation(mlir::Operation *op, Code &code);
  Expected<bool> copies(mlir::Operation *op, Code &code);
  Expected<bool> access(mlir::Operation *op, Code &code);
  Expected<bool> matrix(mlir::Operation *op, Code &code);
  Expected<bool> tensors(mlir::Operation *op, Code &code);
  Expected<bool> reduction(mlir::Operation *op, Code &code);
};

/// Element kind of an MLIR type; none for types the Emulator does not compute with.
std::optional<Elem> elemOf(mlir::Type type);
/// The element kind of a tile or scalar type that decode has checked.
Elem elemOrScalar(mlir::Type type);
std::shared_ptr<const SharedTile> sharedTile(tile::SharedType type);
std::shared_ptr<Tensor> makeTensor(mlir::Type type, const Frame &frame);
std::string place(mlir::Location location);

/// Wraps to the width of an integer type.
inline int64_t wrap(int64_t value, unsigned bits) {
  if (bits >= 64)
    return value;
  uint64_t low = static_cast<uint64_t>(value) << (64 - bits);
  return static_cast<int64_t>(low) >> (64 - bits);
}

} // namespace k3::emu

#endif // K3_EMULATOR_DECODER_H
