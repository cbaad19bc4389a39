//===- Print.cpp - A package as text ------------------------------ -*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Package/Print.h"
#include "lib/Package/Expr.h"
#include "lib/Package/Manifest.h"
#include "lib/Support/Text.h"

#include <algorithm>

using namespace k3;

namespace {

constexpr std::string_view sections[] = {"model",  "weights", "packed",  "skipped",
                                         "states", "buffers", "kernels", "programs"};

class Printer {
public:
  explicit Printer(const fb::PackageT &package) : package(package) {}
  void section(std::string_view name);
  std::string text;

private:
  void model();
  void weights();
  void packed();
  void states();
  void buffers();
  void kernels();
  void program(const fb::ProgramT &program);
  void entry(const fb::EntryT &entry, size_t number);
  std::string op(const fb::EntryT &entry);
  std::string launch(const fb::LaunchT &launch);
  std::string gpuGrid(const fb::LaunchT &launch);
  std::string tensorMap(const fb::TensorMapArgT &map);
  std::string view(const std::unique_ptr<fb::ViewT> &view);
  void line(const std::string &content) { text += content + "\n"; }

  const fb::PackageT &package;
};

std::string shape(const std::vector<uint64_t> &extents) {
  std::string text = "[";
  for (size_t i = 0; i < extents.size(); ++i)
    text += (i ? ", " : "") + std::to_string(extents[i]);
  return text + "]";
}

std::string typed(fb::DType type, const std::vector<uint64_t> &extents) {
  return std::string(dtypeName(type)) + " " + shape(extents);
}

std::string dims(const std::vector<std::unique_ptr<fb::DimT>> &list) {
  std::string text = "[";
  for (size_t i = 0; i < list.size(); ++i)
    text += (i ? ", " : "") + exprText(list[i]->size);
  return text + "]";
}

std::string limits(const std::vector<std::unique_ptr<fb::LimitT>> &list) {
  std::string text;
  for (const auto &limit : list)
    text += " " + std::string(symbolName(static_cast<uint8_t>(limit->sym))) + "=" +
            std::to_string(limit->min) + ".." + std::to_string(limit->max);
  return text;
}

} // namespace

void Printer::section(std::string_view name) {
  if (name == "model")
    model();
  else if (name == "weights")
    weights();
  else if (name == "packed")
    packed();
  else if (name == "skipped")
    for (const auto &rule : package.skipped)
      line("skipped '" + rule->pattern + "' (" + rule->reason + "): " + groupDigits(rule->count) +
           " tensors, " + groupDigits(rule->bytes) + " bytes");
  else if (name == "states")
    states();
  else if (name == "buffers")
    buffers();
  else if (name == "kernels")
    kernels();
  else
    for (const auto &item : package.programs)
      program(*item);
}

void Printer::model() {
  line("producer " + (package.producer.empty() ? "?" : package.producer) + ", precision " +
       package.precision);
  if (package.model) {
    line("model " + package.model->arch + ": " + std::to_string(package.model->layers) +
         " layers, vocabulary " + std::to_string(package.model->vocab));
    for (const auto &dim : package.model->dims)
      line("  " + dim->key + " = " + dim->value);
  }
  if (package.mesh) {
    std::string axes;
    for (const auto &axis : package.mesh->axes)
      axes += " " + axis->name + "=" + std::to_string(axis->size);
    line("mesh of " + std::to_string(package.mesh->world) + ":" + axes);
  }
  line("limits" + limits(package.limits) + ", context " + std::to_string(package.max_context) +
       ", pages of " + std::to_string(package.page_rows));
  for (const auto &target : package.targets)
    line("target " + target->name + " (" + fb::EnumNameIsa(target->isa) +
         (target->sm_count ? ", " + std::to_string(target->sm_count) + " multiprocessors)" : ")"));
  for (const std::string &feature : package.features)
    line("needs feature " + feature);
}

void Printer::weights() {
  for (const auto &weight : package.weights) {
    std::string text = "weight " + weight->name + " : " + typed(weight->logical, weight->shape) + " from '" +
                       weight->pattern + "'";
    for (const auto &index : weight->index)
      text += " {" + index->var + "}=" + std::to_string(index->first) + ".." +
              std::to_string(uint64_t(index->first) + index->count - 1);
    for (const auto &part : weight->parts)
      if (weight->parts.size() > 1 || !part->suffix.empty())
        text += " | " + part->suffix + " " + typed(part->dtype, part->shape);
    if (weight->used)
      text += ", uses " + std::to_string(weight->used) + " of dimension 0";
    line(text);
  }
  ManifestTotals totals = manifestTotals(package);
  line("weights: " + groupDigits(totals.count) + " tensors, " + groupDigits(totals.bytes) + " bytes");
}

void Printer::packed() {
  for (const auto &item : package.packed)
    line("packed " + item->name + (item->members > 1 ? "[" + std::to_string(item->members) + "]" : "") +
         " : " + typed(item->dtype, item->shape) + " at " + package.buffers[item->buffer]->name + "+" +
         std::to_string(item->offset) + (item->members > 1 ? " every " + std::to_string(item->stride) : "") +
         (item->layout.empty() ? "" : " layout " + item->layout));
}

void Printer::states() {
  for (const auto &state : package.states)
    line("state " + state->name + " " + fb::EnumNameStateKind(state->kind) + " : " +
         typed(state->dtype, state->shape) +
         (state->kind == fb::StateKind::Paged ? " x " + std::to_string(state->page_rows) + " rows a page"
                                              : " a slot") +
         ", " + groupDigits(state->slot_stride) + " bytes");
}

void Printer::buffers() {
  for (size_t i = 0; i < package.buffers.size(); ++i) {
    const fb::BufferT &buffer = *package.buffers[i];
    line("buffer " + std::to_string(i) + " " + buffer.name + " " + fb::EnumNameSpace(buffer.space) + " " +
         (buffer.bytes ? exprText(buffer.bytes) + " bytes" : "sized by the runtime"));
  }
}

/// What the assembler says of GPU code; nothing for functions of the host.
static std::string resources(const fb::KernelT &kernel) {
  if (!kernel.regs)
    return "";
  return ", " + std::to_string(kernel.regs) + " registers" +
         (kernel.spill ? ", " + std::to_string(kernel.spill) + " bytes spilled" : "") +
         (kernel.static_smem ? ", " + std::to_string(kernel.static_smem) + " bytes of static shared memory" : "");
}

void Printer::kernels() {
  for (size_t i = 0; i < package.images.size(); ++i) {
    const fb::CodeUnion &code = package.images[i]->code;
    size_t bytes = code.AsHostObject() ? code.AsHostObject()->elf.size()
                   : code.AsCubin()    ? code.AsCubin()->elf.size()
                                       : code.AsPtx()->text.size();
    line("image " + std::to_string(i) + " " + fb::EnumNameCode(code.type) + " " + groupDigits(bytes) +
         " bytes");
  }
  for (size_t i = 0; i < package.kernels.size(); ++i)
    line("kernel " + std::to_string(i) + " " + package.kernels[i]->symbol + " in image " +
         std::to_string(package.kernels[i]->image) + resources(*package.kernels[i]));
}

void Printer::program(const fb::ProgramT &program) {
  line("program " + program.name + ": " + fb::EnumNameKind(program.kind) + " " +
       fb::EnumNameVariant(program.variant) + " on " + package.targets[program.target]->name + ", streams " +
       std::to_string(program.streams) + ", arena " + groupDigits(program.arena_bytes) + " bytes" +
       (program.bucket.empty() ? "" : ", bucket") + limits(program.bucket));
  for (const auto &io : program.io)
    line(std::string(io->output ? "  out " : "  in  ") + io->name + " : " +
         std::string(dtypeName(io->dtype)) + " " + dims(io->dims) + " in " +
         package.buffers[io->buffer]->name);
  for (size_t i = 0; i < program.entries.size(); ++i)
    entry(*program.entries[i], i);
  for (const auto &tap : program.taps)
    line("  tap \"" + tap->name + "\" " +
         (tap->state.empty()
              ? view(tap->view) + " after " + std::to_string(tap->entry) + (tap->writable ? ", writable" : "")
              : "state " + tap->state));
}

void Printer::entry(const fb::EntryT &entry, size_t number) {
  std::string text = "  " + std::to_string(number) + " stream " + std::to_string(entry.stream);
  if (!entry.waits.empty()) {
    text += " after";
    for (uint32_t wait : entry.waits)
      text += " " + std::to_string(wait);
  }
  line(text + ": " + op(entry) + (entry.name.empty() ? "" : "  // " + entry.name));
}

std::string Printer::op(const fb::EntryT &entry) {
  switch (entry.op.type) {
  case fb::Op::Launch:
    return launch(*entry.op.AsLaunch());
  case fb::Op::Gemm: {
    const fb::GemmT &gemm = *entry.op.AsGemm();
    return "gemm " + view(gemm.c) + " = " + view(gemm.a) + " * " + view(gemm.b) + (gemm.trans_b ? "^T" : "") +
           " mnk " + exprText(gemm.m) + " x " + std::to_string(gemm.n) + " x " + std::to_string(gemm.k) +
           (gemm.beta != 0 ? " accumulates" : "");
  }
  case fb::Op::Copy:
    return "copy " + view(entry.op.AsCopy()->src) + " -> " + view(entry.op.AsCopy()->dst);
  case fb::Op::Fill:
    return "fill " + view(entry.op.AsFill()->dst) + " with " + std::to_string(entry.op.AsFill()->byte);
  case fb::Op::Fetch: {
    const fb::FetchT &fetch = *entry.op.AsFetch();
    const fb::WeightT &weight = *package.weights[fetch.weight];
    return "fetch " + weight.name + weight.parts[fetch.part]->suffix +
           (fetch.member ? "[" + exprText(fetch.member) + "]" : "") + " -> " + view(fetch.dst);
  }
  case fb::Op::Collective: {
    const fb::CollectiveT &collective = *entry.op.AsCollective();
    return std::string("collective ") + fb::EnumNameCollectiveKind(collective.kind) + " " +
           view(collective.src) + " -> " + view(collective.dst);
  }
  case fb::Op::Call:
    return "call " + package.programs[entry.op.AsCall()->program]->name + " for member < " +
           exprText(entry.op.AsCall()->loop) + ", slots " + std::to_string(entry.op.AsCall()->slots);
  case fb::Op::NONE:
    break;
  }
  return "?";
}

std::string Printer::launch(const fb::LaunchT &launch) {
  static constexpr const char *access[] = {"?", "r ", "w ", "rw "};
  std::string text = "launch " + package.kernels[launch.kernel]->symbol + "(";
  for (size_t i = 0; i < launch.args.size(); ++i) {
    const fb::ArgUnion &arg = launch.args[i]->arg;
    text += i ? ", " : "";
    if (const fb::BufferArgT *buffer = arg.AsBufferArg())
      text += access[buffer->access & 3] + view(buffer->view);
    else if (const fb::ScalarArgT *scalar = arg.AsScalarArg())
      text += std::string(dtypeName(scalar->dtype)) + " " +
              (scalar->is_const ? "bits " + std::to_string(scalar->bits) : exprText(scalar->value));
    else if (const fb::TensorMapArgT *map = arg.AsTensorMapArg())
      text += tensorMap(*map);
    else
      text += fb::EnumNameArg(arg.type);
  }
  text += ")";
  if (package.images[package.kernels[launch.kernel]->image]->code.type != fb::Code::HostObject)
    return text + gpuGrid(launch);
  text += " units " + exprText(launch.grid->x) + " grain " + std::to_string(launch.grain);
  return launch.dyn_smem ? text + " scratch " + std::to_string(launch.dyn_smem) : text;
}

static std::string extentsText(const std::vector<uint32_t> &extents) {
  std::string text = "[";
  for (size_t i = 0; i < extents.size(); ++i)
    text += (i ? ", " : "") + std::to_string(extents[i]);
  return text + "]";
}

std::string Printer::tensorMap(const fb::TensorMapArgT &map) {
  std::string text = "map " + view(map.view) + " box [";
  for (size_t i = 0; i < map.dims.size(); ++i)
    text += (i ? ", " : "") + std::to_string(map.dims[i]->box);
  return text + "]" + (map.swizzle ? " swizzle " + std::to_string(map.swizzle) : "");
}

/// " grid [x, y] max_ctas n block [threads] cluster [x, y, z] smem bytes pdl resident n"
std::string Printer::gpuGrid(const fb::LaunchT &launch) {
  std::string text = " grid [" + exprText(launch.grid->x);
  for (const auto *extent : {&launch.grid->y, &launch.grid->z})
    if (*extent)
      text += ", " + exprText(*extent);
  text += "]";
  if (launch.max_ctas)
    text += " max_ctas " + exprText(launch.max_ctas);
  text += " block " + extentsText(launch.block);
  if (!launch.cluster.empty())
    text += " cluster " + extentsText(launch.cluster);
  if (launch.dyn_smem)
    text += " smem " + std::to_string(launch.dyn_smem);
  if (launch.pdl)
    text += " pdl";
  return launch.min_resident ? text + " resident " + exprText(launch.min_resident) : text;
}

/// name:buffer+offset TYPE[dims], with the row stride where rows are not dense.
std::string Printer::view(const std::unique_ptr<fb::ViewT> &view) {
  if (!view)
    return "-";
  std::string text = (view->name.empty() ? "" : view->name + ":") + package.buffers[view->buffer]->name;
  if (view->offset && constantValue(*view->offset) != 0)
    text += "+" + exprText(view->offset);
  text += " " + std::string(dtypeName(view->dtype)) + dims(view->dims);
  if (view->dims.size() < 2)
    return text;
  std::optional<int64_t> stride = constantValue(*view->strides[0]), dense = 1;
  for (size_t i = 1; i < view->dims.size() && dense; ++i) {
    std::optional<int64_t> extent = constantValue(*view->dims[i]->size);
    dense = extent ? std::optional<int64_t>(*dense * *extent) : std::nullopt;
  }
  return stride == dense ? text : text + " rows " + exprText(view->strides[0]) + " apart";
}

std::span<const std::string_view> k3::packageSections() { return sections; }

Expected<std::string> k3::packageText(const fb::PackageT &package, std::string_view section) {
  Printer printer(package);
  if (!section.empty() && std::find(std::begin(sections), std::end(sections), section) == std::end(sections))
    return badUsage("a package has no section '" + std::string(section) + "'; sections are " +
                    join(sections, ", "));
  for (std::string_view name : sections)
    if (section.empty() || section == name)
      printer.section(name);
  return std::move(printer.text);
}
