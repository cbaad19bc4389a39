//===- DecodeMatrix.cpp - Products ----------------------------------------===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Emulator/Decoder.h"
#include "lib/Emulator/Mma.h"

using namespace mlir;

namespace k3::emu {

namespace {
/// An operand as an fp32 array, with the rows of a or columns of b that hold an undefined element.
struct Operand {
  std::vector<float> data;
  std::vector<uint8_t> bad; ///< per row (a) or column (b); empty where all is defined
  uint32_t origin = 0;
};
} // namespace

static void markBad(Operand &operand, size_t lines, int64_t line, uint32_t origin) {
  if (operand.bad.empty()) {
    operand.bad.resize(lines);
    operand.origin = origin;
  }
  operand.bad[line] = 1;
}

/// From shared memory, [lines, K] or with `trans` [K, lines]; the result is [lines, K] (a), or with `kMajor`
/// [K, lines] (b).
static Operand fromSharedTile(const SharedTile &tile, Elem elem, const Block &block, uint64_t base,
                              int64_t lines, int64_t k, bool trans, bool kMajor) {
  Operand operand;
  operand.data.resize(lines * k);
  int64_t width = trans ? lines : k;
  auto place = [&](int64_t element) {
    int64_t row = element / width, col = element % width, line = trans ? col : row, at = trans ? row : col;
    return std::pair(line, kMajor ? at * lines + line : line * k + at);
  };
  // Along a run the result's step is constant as long as the row does not end.
  int64_t stride = trans == kMajor ? 1 : kMajor ? lines : k;
  for (const Run &run : tile.runs) {
    uint64_t from = base + run.byte, size = run.count * tile.elementBytes;
    if (!block.inside(from, size))
      continue;
    for (int64_t done = 0; done < run.count;) {
      int64_t element = run.element + done, n = std::min(run.count - done, width - element % width);
      decodeFloats(elem, block.data() + from + done * tile.elementBytes,
                   operand.data.data() + place(element).second, stride, n);
      done += n;
    }
    block.eachPoison(from, size, [&](uint64_t bad) {
      markBad(operand, lines, place(run.element + static_cast<int64_t>(bad - from) / tile.elementBytes).first,
              block.origin(bad));
    });
  }
  return operand;
}

static Operand fromTile(const Tensor &tensor, bool kMajor) {
  Operand operand;
  int64_t lines = tensor.shape[0], k = tensor.shape[1];
  if (kMajor) {
    operand.data.resize(lines * k);
    for (int64_t line = 0; line < lines; ++line)
      for (int64_t x = 0; x < k; ++x)
        operand.data[x * lines + line] = tensor.f[line * k + x];
  } else {
    operand.data = tensor.f;
  }
  for (size_t i = 0; i < tensor.poison.size(); ++i)
    if (tensor.poison[i])
      markBad(operand, lines, static_cast<int64_t>(i) / k, tensor.origin);
  return operand;
}

/// sum += a b^T with undefined rows and columns.
static void accumulate(Tensor &sum, const Operand &a, const Operand &b, int64_t m, int64_t n, int64_t k,
                       Machine &machine) {
  mma(sum.f.data(), n, a.data.data(), k, b.data.data(), n, m, n, k);
  machine.report.flops += 2 * m * n * k;
  for (int64_t i = 0; i < m && !a.bad.empty(); ++i)
    for (int64_t j = 0; j < n && a.bad[i]; ++j)
      sum.setPoison(i * n + j, a.origin);
  for (int64_t j = 0; j < n && !b.bad.empty(); ++j)
    for (int64_t i = 0; i < m && b.bad[j]; ++i)
      sum.setPoison(i * n + j, b.origin);
}

Expected<bool> Decoder::matrix(Operation *op, Code &code) {
  auto add = [&](Step step) {
    code.steps.push_back(std::move(step));
    return true;
  };
  if (auto product = dyn_cast<tile::WgmmaOp>(op)) {
    RankedTensorType type = product.getResult().getType().getTile();
    auto aShared = dyn_cast<tile::SharedType>(product.getA().getType());
    tile::SharedType bShared = product.getB().getType();
    bool transA = product.getTransA(), transB = product.getTransB();
    int64_t m = type.getShape()[0], n = type.getShape()[1], k = bShared.getShape()[transB ? 0 : 1];
    ArrayRef<int64_t> aShape =
        aShared ? aShared.getShape() : cast<RankedTensorType>(product.getA().getType()).getShape();
    if (aShape[transA ? 1 : 0] != m || aShape[transA ? 0 : 1] != k || bShared.getShape()[transB ? 1 : 0] != n)
      return unsupported("kernel '" + program.spec.name + "': tile.wgmma at " + place(op->getLoc()) +
                         " has operands that do not fit each other");
    Elem elemA =
        elemOrScalar(aShared ? aShared.getElementType() : getElementTypeOrSelf(product.getA().getType()));
    Elem elemB = elemOrScalar(bShared.getElementType());
    bool chained = product.getAcc() && isa<tile::PendingType>(product.getAcc().getType());
    return add([=, tileA = aShared ? sharedTile(aShared) : nullptr, tileB = sharedTile(bShared),
                a = value(product.getA()), b = value(product.getB()),
                acc = product.getAcc() ? std::optional(value(product.getAcc())) : std::nullopt,
                to = value(product.getResult()), number = text(op)](Frame &frame) {
      uint32_t operation = frame.op(number);
      Machine *machine = &frame.team.machine;
      auto fenced = [&](const Tensor &tensor, const char *what) {
        if (tensor.fence > frame.team.fenceCount())
          machine->finding(FindingKind::Wgmma, operation,
                           machine->opText(operation) + " by " + frame.team.name() + ": the registers of " +
                               what + " were written after the last wgmma_fence");
      };
      if (frame.team.fenceCount() == 0)
        machine->finding(FindingKind::Wgmma, 1ull << 32 | operation,
                         machine->opText(operation) + " by " + frame.team.name() +
                             ": no wgmma_fence comes before the first product");
      // In flight the accumulator is the queue's own; a finished tile is copied, as others may still read it.
      Value made;
      if (chained) {
        made.tensor = frame.values[*acc].tensor;
      } else if (acc) {
        fenced(*frame.values[*acc].tensor, "the accumulator");
        made.tensor = std::make_shared<Tensor>(*frame.values[*acc].tensor);
      } else {
        made.tensor = makeTensor(type, frame);
      }
      made.tensor->fence = 0;
      std::vector<Span> reads;
      TensorRef fragment = frame.values[a].tensor;
      Block *blockA = frame.values[a].block, *blockB = frame.values[b].block;
      uint64_t baseA = frame.values[a].use, baseB = frame.values[b].use;
      if (tileA)
        reads.push_back({blockA, shifted(tileA->bytes, baseA)});
      else
        fenced(*fragment, "operand a");
      reads.push_back({blockB, shifted(tileB->bytes, baseB)});
      made.use = frame.team.wgmma(operation, reads, [=, sum = made.tensor] {
        Operand left = tileA ? fromSharedTile(*tileA, elemA, *blockA, baseA, m, k, transA, false)
                             : fromTile(*fragment, false);
        Operand right = fromSharedTile(*tileB, elemB, *blockB, baseB, n, k, transB, true);
        accumulate(*sum, left, right, m, n, k, *machine);
      });
      frame.values[to] = std::move(made);
      return true;
    });
  }
  if (isa<tile::WgmmaFenceOp>(op))
    return add([](Frame &frame) {
      frame.team.wgmmaFence();
      return true;
    });
  if (isa<tile::WgmmaCommitOp>(op))
    return add([](Frame &frame) {
      frame.team.wgmmaCommit();
      return true;
    });
  if (auto wait = dyn_cast<tile::WgmmaWaitOp>(op))
    return add([pending = static_cast<unsigned>(wait.getPending()), from = values(wait.getValues()),
                to = values(wait.getResults()), number = text(op)](Frame &frame) {
      frame.team.wgmmaWait(pending);
      uint32_t operation = frame.op(number);
      std::vector<Value> results;
      for (unsigned v : from) {
        const Value &product = frame.values[v];
        if (!frame.team.retired(static_cast<uint32_t>(product.use)))
          frame.machine().finding(FindingKind::Wgmma, operation,
                                  frame.machine().opText(operation) + " by " + frame.team.name() +
                                      ": yields a product of group " + std::to_string(product.use) +
                                      ", but " + std::to_string(pending) + " of " +
                                      std::to_string(frame.team.committed()) +
                                      " groups may still be in flight");
        results.emplace_back();
        results.back().tensor = product.tensor;
      }
      for (size_t i = 0; i < to.size(); ++i)
        frame.values[to[i]] = std::move(results[i]);
      return true;
    });
  if (auto product = dyn_cast<tile::MmaOp>(op)) {
    auto aType = cast<RankedTensorType>(product.getA().getType()),
         bType = cast<RankedTensorType>(product.getB().getType());
    auto type = cast<RankedTensorType>(product.getResult().getType());
    int64_t m = type.getShape()[0], n = type.getShape()[1], k = aType.getShape()[1];
    if (aType.getShape()[0] != m || bType.getShape()[0] != n || bType.getShape()[1] != k)
      return unsupported("kernel '" + program.spec.name + "': tile.mma at " + place(op->getLoc()) +
                         " has operands that do not fit each other");
    return add([=, a = value(product.getA()), b = value(product.getB()), c = value(product.getC()),
                to = value(product.getResult())](Frame &frame) {
      auto sum = std::make_shared<Tensor>(*frame.values[c].tensor);
      sum->fence = frame.team.fenceCount() + 1;
      accumulate(*sum, fromTile(*frame.values[a].tensor, false), fromTile(*frame.values[b].tensor, true), m,
                 n, k, frame.machine());
      Value made;
      made.tensor = std::move(sum);
      frame.values[to] = std::move(made);
      return true;
    });
  }
  return false;
}

} // namespace k3::emu
