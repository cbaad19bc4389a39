//===- DecodeTensor.cpp - Making and reshaping tiles ----------------------===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Emulator/Decoder.h"

using namespace mlir;

namespace k3::emu {

/// Element i of the result is element source[i] of the operand.
static TensorRef gathered(const Tensor &from, Type type, const std::vector<int32_t> &source,
                          const Frame &frame) {
  TensorRef result = makeTensor(type, frame);
  for (size_t i = 0; i < source.size(); ++i)
    if (isFloat(from.elem))
      result->f[i] = from.f[source[i]];
    else
      result->n[i] = from.n[source[i]];
  if (!from.poison.empty())
    for (size_t i = 0; i < source.size(); ++i)
      if (from.poison[source[i]])
        result->setPoison(static_cast<int64_t>(i), from.origin);
  result->fence = from.fence; // other names for the same registers
  return result;
}

static layout::Coord shapeOf(Type type) {
  ArrayRef<int64_t> shape = cast<RankedTensorType>(type).getShape();
  return layout::Coord(shape.begin(), shape.end());
}

Expected<bool> Decoder::tensors(Operation *op, Code &code) {
  auto add = [&](Step step) {
    code.steps.push_back(std::move(step));
    return true;
  };
  auto put = [](Frame &frame, unsigned to, TensorRef tensor) {
    Value made;
    made.tensor = std::move(tensor);
    frame.values[to] = std::move(made);
    return true;
  };
  /// A result whose elements are elements of the one operand.
  auto pick = [&](auto elementOf, bool newRegisters) {
    Type type = op->getResult(0).getType();
    layout::Coord shape = shapeOf(type), from = shapeOf(op->getOperand(0).getType());
    auto source = std::make_shared<std::vector<int32_t>>();
    int64_t count = cast<RankedTensorType>(type).getNumElements();
    for (int64_t i = 0; i < count; ++i)
      source->push_back(
          static_cast<int32_t>(layout::linearIndex(elementOf(layout::coordOf(i, shape)), from)));
    return add([=, in = value(op->getOperand(0)), to = value(op->getResult(0))](Frame &frame) {
      TensorRef tensor = gathered(*frame.values[in].tensor, type, *source, frame);
      if (newRegisters)
        tensor->fence = frame.team.fenceCount() + 1;
      return put(frame, to, std::move(tensor));
    });
  };
  if (auto splat = dyn_cast<tile::SplatOp>(op))
    return add([=, type = splat.getResult().getType(), from = value(splat.getValue()),
                to = value(splat.getResult())](Frame &frame) {
      const Value &scalar = frame.values[from];
      TensorRef tensor = makeTensor(type, frame);
      std::fill(tensor->f.begin(), tensor->f.end(), scalar.f);
      std::fill(tensor->n.begin(), tensor->n.end(), static_cast<int32_t>(scalar.i));
      for (int64_t i = 0; scalar.poison && i < tensor->count(); ++i)
        tensor->setPoison(i, scalar.origin);
      return put(frame, to, std::move(tensor));
    });
  if (auto iota = dyn_cast<tile::IotaOp>(op))
    return add([=, type = iota.getResult().getType(), dim = iota.getDim(),
                to = value(iota.getResult())](Frame &frame) {
      TensorRef tensor = makeTensor(type, frame);
      layout::Coord shape = shapeOf(type);
      for (int64_t i = 0; i < tensor->count(); ++i)
        tensor->n[i] = layout::coordOf(i, shape)[dim];
      return put(frame, to, std::move(tensor));
    });
  if (auto expand = dyn_cast<tile::ExpandOp>(op))
    return pick(
        [dim = expand.getDim()](layout::Coord at) {
          at.erase(at.begin() + dim);
          return at;
        },
        false);
  if (auto slice = dyn_cast<tile::SliceOp>(op))
    return pick(
        [dim = slice.getDim(), offset = slice.getOffset()](layout::Coord at) {
          at[dim] += static_cast<int32_t>(offset);
          return at;
        },
        slice.getFresh());
  if (isa<tile::TransOp>(op))
    return pick(
        [](layout::Coord at) {
          std::swap(at[0], at[1]);
          return at;
        },
        false);
  if (auto concat = dyn_cast<tile::ConcatOp>(op)) {
    Type type = concat.getResult().getType();
    layout::Coord whole = shapeOf(type), part = shapeOf(concat.getSources()[0].getType());
    int64_t dim = concat.getDim(),
            count = cast<RankedTensorType>(concat.getSources()[0].getType()).getNumElements();
    auto target = std::make_shared<std::vector<int32_t>>(); // of part 0; later parts are a constant further
    for (int64_t i = 0; i < count; ++i)
      target->push_back(static_cast<int32_t>(layout::linearIndex(layout::coordOf(i, part), whole)));
    int64_t step = part[dim];
    for (size_t d = dim + 1; d < whole.size(); ++d)
      step *= whole[d];
    return add([=, in = values(concat.getSources()), to = value(concat.getResult())](Frame &frame) {
      TensorRef tensor = makeTensor(type, frame);
      tensor->fence = 0;
      for (size_t p = 0; p < in.size(); ++p) {
        const Tensor &from = *frame.values[in[p]].tensor;
        tensor->fence = std::max(tensor->fence, from.fence);
        for (size_t i = 0; i < target->size(); ++i) {
          int64_t at = (*target)[i] + static_cast<int64_t>(p) * step;
          if (isFloat(from.elem))
            tensor->f[at] = from.f[i];
          else
            tensor->n[at] = from.n[i];
          if (from.poisoned(static_cast<int64_t>(i)))
            tensor->setPoison(at, from.origin);
        }
      }
      return put(frame, to, std::move(tensor));
    });
  }
  if (auto convert = dyn_cast<tile::ConvertOp>(op)) {
    bool relabel = convert.getVia() == tile::ConvertVia::Relabel;
    std::shared_ptr<WarpRanges> writes, reads;
    std::optional<unsigned> scratch;
    if (convert.getVia() == tile::ConvertVia::Shared && convert.getScratch()) {
      scratch = value(convert.getScratch());
      auto tile = sharedTile(cast<tile::SharedType>(convert.getScratch().getType()));
      writes = std::make_shared<WarpRanges>(
          sharedRanges(tile::layoutOf(convert.getSource().getType()), *tile, Holders::First, false));
      reads = std::make_shared<WarpRanges>(
          sharedRanges(tile::layoutOf(convert.getResult().getType()), *tile, Holders::All, false));
    }
    auto tile = scratch ? sharedTile(cast<tile::SharedType>(convert.getScratch().getType())) : nullptr;
    return add([=, type = convert.getResult().getType(), in = value(convert.getSource()),
                to = value(convert.getResult()), number = text(op)](Frame &frame) {
      auto tensor = std::make_shared<Tensor>(*frame.values[in].tensor);
      if (!relabel)
        tensor->fence = frame.team.fenceCount() + 1;
      if (scratch) {
        const Value &buffer = frame.values[*scratch];
        frame.team.write(frame.op(number), *buffer.block, shifted(*writes, buffer.use));
        // The values stay in the tensor; the bytes are defined now.
        for (const Range &range : tile->bytes)
          if (buffer.block->inside(buffer.use + range.offset, range.size))
            buffer.block->clearPoison(buffer.use + range.offset, range.size);
        frame.team.teamSync();
        frame.team.read(frame.op(number), *buffer.block, shifted(*reads, buffer.use));
      }
      return put(frame, to, std::move(tensor));
    });
  }
  return false;
}

} // namespace k3::emu
