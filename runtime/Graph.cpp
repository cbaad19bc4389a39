//===- Graph.cpp - Runs a hand-written graph ------------------------------===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A function that is not part of a model is compiled to a program whose arguments and results are its io.
// Here its arrays come from the caller by name.
//
//===----------------------------------------------------------------------===//

#include "runtime/Engine.h"

#include "lib/Package/DType.h"
#include "lib/Support/Text.h"

using namespace k3;

/// From `expression` = extent, where it is coefficient * symbol + constant: the symbol's value.
static Status bindSymbol(const fb::ExprT &expression, int64_t extent, const std::string &where,
                         SymbolValues &symbols) {
  int64_t constant = 0, coefficient = 0;
  uint8_t symbol = 0;
  for (const fb::Term &term : expression.terms) {
    uint8_t a = term.a(), b = term.b();
    if (a == 0 && b == 0 && term.div() <= 1) {
      constant += term.coef();
    } else if ((a == 0 || b == 0) && term.div() <= 1 && coefficient == 0) {
      symbol = a ? a : b;
      coefficient = term.coef();
    } else {
      return unsupported(where + " has the extent " + exprText(expression) +
                         ", which gives no launch-time size");
    }
  }
  if (coefficient == 0
          ? constant == extent
          : extent >= constant && (extent - constant) % coefficient == 0 &&
                (!symbols.has(symbol) || symbols.get(symbol) == (extent - constant) / coefficient)) {
    if (coefficient)
      symbols.set(static_cast<fb::Sym>(symbol), (extent - constant) / coefficient);
    return Status::success();
  }
  return badInput(where + " has extent " + std::to_string(extent) + ", expected " + exprText(expression) +
                  (coefficient && symbols.has(symbol) ? " with " + std::string(symbolName(symbol)) + " = " +
                                                            std::to_string(symbols.get(symbol))
                                                      : ""));
}

static Status bindShape(const fb::IoT &io, const HostArray &value, SymbolValues &symbols) {
  std::string where = "graph input '" + io.name + "'";
  if (value.dtype != io.dtype)
    return badInput(where + " is " + std::string(dtypeName(value.dtype)) + ", expected " +
                    std::string(dtypeName(io.dtype)));
  if (value.dims.size() != io.dims.size())
    return badInput(where + " is " + shapeText(value.dims) + ", expected " + std::to_string(io.dims.size()) +
                    " dimensions");
  for (size_t i = 0; i < io.dims.size(); ++i)
    K3_TRY(bindSymbol(*io.dims[i]->size, value.dims[i], where + ", dimension " + std::to_string(i), symbols));
  return Status::success();
}

/// Bytes of one slot or page as it lies in a dense array.
static uint64_t slotBytes(const fb::StateT &state) {
  const auto &shape = state.local_shape.empty() ? state.shape : state.local_shape;
  return denseBytes(state.dtype, shape).value_or(0) *
         (state.kind == fb::StateKind::Paged ? state.page_rows : 1);
}

Status Engine::writeGraphState(const fb::StateT &state, const HostArray &value) {
  uint64_t bytes = slotBytes(state), available = state.kind == fb::StateKind::Paged ? pageCount : slotCount;
  if (value.dtype != state.dtype || value.bytes.empty() || value.bytes.size() % bytes ||
      value.bytes.size() / bytes > available)
    return badInput("state '" + state.name + "' is given as " + std::string(dtypeName(value.dtype)) + " " +
                    shapeText(value.dims) + ", expected whole slots or pages of " + std::to_string(bytes) +
                    " bytes of " + std::string(dtypeName(state.dtype)) + ", at most " +
                    std::to_string(available));
  for (uint64_t i = 0; i < value.bytes.size() / bytes; ++i)
    K3_TRY(machine->copyIn(buffers[state.buffer].data + state.offset + i * state.slot_stride,
                           value.bytes.data() + i * bytes, bytes));
  return Status::success();
}

Status Engine::readGraphState(const fb::StateT &state, const HostArray *input, HostArray &out) const {
  const auto &shape = state.local_shape.empty() ? state.shape : state.local_shape;
  out.dtype = state.dtype;
  if (input)
    out.dims = input->dims;
  else
    out.dims.assign(shape.begin(), shape.end());
  if (!input && state.kind == fb::StateKind::Paged)
    out.dims.insert(out.dims.begin(), state.page_rows);
  uint64_t count = input ? input->bytes.size() / slotBytes(state) : 1;
  std::vector<std::byte> slot;
  for (uint64_t i = 0; i < count; ++i) {
    K3_TRY(readState(state, i, slot));
    out.bytes.insert(out.bytes.end(), slot.begin(), slot.end());
  }
  return Status::success();
}

Status Engine::runGraph(const GraphFunction &graph, const NamedArrays &inputs, NamedArrays &outputs) {
  SymbolValues symbols = baseSymbols();
  for (const auto &io : graph.first().io) {
    if (io->output)
      continue;
    auto value = inputs.find(io->name);
    if (value == inputs.end())
      return badInput("graph '" + graph.name + "': input '" + io->name + "' is missing");
    K3_TRY(bindShape(*io, value->second, symbols));
  }
  K3_ASSIGN(const fb::ProgramT *program, graph.choose(symbols));
  for (const auto &io : program->io) {
    if (io->output)
      continue;
    const HostArray &value = inputs.at(io->name);
    if (value.bytes.size() > buffers[io->buffer].bytes)
      return badInput(
          "graph '" + graph.name + "': input '" + io->name + "' of shape " + shapeText(value.dims) +
          " is larger than it was compiled for; compile with a larger --max-tokens or --max-seqs");
    K3_TRY(machine->copyIn(buffers[io->buffer].data, value.bytes.data(), value.bytes.size()));
  }
  for (const auto &state : model->get().states)
    if (auto value = inputs.find(state->name); value != inputs.end())
      K3_TRY(writeGraphState(*state, value->second));

  ExecutorHooks hooks;
  if (timing)
    hooks.stats = &entryStats;
  K3_TRY(run(*program, symbols, hooks));

  outputs.clear();
  for (const auto &io : program->io) {
    if (!io->output)
      continue;
    HostArray &out = outputs[io->name];
    out.dtype = io->dtype;
    uint64_t bytes = bitWidth(io->dtype) / 8;
    for (const auto &dim : io->dims) {
      K3_ASSIGN(int64_t extent, evaluate(*dim->size, symbols));
      out.dims.push_back(extent);
      bytes *= static_cast<uint64_t>(extent);
    }
    if (bytes > buffers[io->buffer].bytes)
      return internalError("output '" + io->name + "' does not fit its buffer");
    out.bytes.resize(bytes);
    K3_TRY(machine->copyOut(out.bytes.data(), buffers[io->buffer].data, bytes));
  }
  for (const auto &state : model->get().states) {
    auto input = inputs.find(state->name);
    K3_TRY(readGraphState(*state, input == inputs.end() ? nullptr : &input->second, outputs[state->name]));
  }
  return Status::success();
}
