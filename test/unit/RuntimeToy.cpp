//===- RuntimeToy.cpp - A hand-made package for runtime tests -------------===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/unit/RuntimeToy.h"

#include "lib/Package/Expr.h"
#include "lib/Package/Format.h"
#include "lib/Package/GridAbi.h"
#include "lib/Safetensors/Writer.h"

#include <bit>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <unistd.h>

using namespace k3;
using fb::Sym;

namespace {

using ExprPtr = std::unique_ptr<fb::ExprT>;

ExprPtr constant(int64_t value) { return constantExpr(value); }
ExprPtr times(Sym symbol, int64_t coefficient) { return symbolExpr(symbol, coefficient); }
ExprPtr plusOne(Sym symbol) {
  ExprPtr sum = symbolExpr(symbol);
  sum->terms.push_back(constantExpr(1)->terms[0]);
  return sum;
}

std::unique_ptr<fb::DimT> dim(ExprPtr size) {
  auto result = std::make_unique<fb::DimT>();
  result->size = std::move(size);
  return result;
}

/// A dense view; `rows` may depend on a symbol, `inner` are static.
std::unique_ptr<fb::ViewT> view(uint32_t buffer, ExprPtr rows, std::vector<int64_t> inner,
                                ExprPtr offset = nullptr, fb::DType dtype = fb::DType::F32) {
  auto result = std::make_unique<fb::ViewT>();
  result->buffer = buffer;
  result->dtype = dtype;
  result->offset = offset ? std::move(offset) : constant(0);
  result->dims.push_back(dim(std::move(rows)));
  int64_t stride = 1;
  for (int64_t extent : inner) {
    result->dims.push_back(dim(constant(extent)));
    stride *= extent;
  }
  result->strides.push_back(constant(stride));
  for (int64_t extent : inner) {
    stride /= extent;
    result->strides.push_back(constant(stride));
  }
  return result;
}

std::unique_ptr<fb::ViewT> ints(uint32_t buffer, ExprPtr rows) {
  return view(buffer, std::move(rows), {}, nullptr, fb::DType::I32);
}

class Builder {
public:
  explicit Builder(const toy::Options &options)
      : options(options), package(std::make_unique<fb::PackageT>()) {}
  std::unique_ptr<fb::PackageT> build();

private:
  void addBuffers();
  void addWeights();
  void addStates();
  void addCode();
  fb::ProgramT &addProgram(const char *name, fb::Kind kind);
  void addIo(fb::ProgramT &program, const char *name, uint32_t buffer, ExprPtr rows, int64_t inner = 0,
             bool output = false, fb::DType dtype = fb::DType::I32);
  void addPack();
  void addStep();
  void addCopyState();
  void addSample();
  void addGraph();

  /// Appends an entry; `views` and `access` in argument order.
  fb::EntryT &launch(fb::ProgramT &program, const char *kernel, ExprPtr units, const char *access,
                     std::vector<std::unique_ptr<fb::ViewT>> views, uint32_t scratch = 0);
  void fetch(fb::ProgramT &program, uint32_t weight, uint32_t part, ExprPtr member,
             std::unique_ptr<fb::ViewT> to);

  const toy::Options &options;
  std::unique_ptr<fb::PackageT> package;
};

template <typename... Views>
std::vector<std::unique_ptr<fb::ViewT>> list(Views... views) {
  std::vector<std::unique_ptr<fb::ViewT>> result;
  (result.push_back(std::move(views)), ...);
  return result;
}

fb::ProgramT &Builder::addProgram(const char *name, fb::Kind kind) {
  auto program = std::make_unique<fb::ProgramT>();
  program->name = name;
  program->kind = kind;
  package->programs.push_back(std::move(program));
  return *package->programs.back();
}

void Builder::addIo(fb::ProgramT &program, const char *name, uint32_t buffer, ExprPtr rows, int64_t inner,
                    bool output, fb::DType dtype) {
  auto io = std::make_unique<fb::IoT>();
  io->name = name;
  io->dtype = dtype;
  io->buffer = buffer;
  io->output = output;
  io->dims.push_back(dim(std::move(rows)));
  if (inner)
    io->dims.push_back(dim(constant(inner)));
  program.io.push_back(std::move(io));
}

fb::EntryT &Builder::launch(fb::ProgramT &program, const char *kernel, ExprPtr units, const char *access,
                            std::vector<std::unique_ptr<fb::ViewT>> views, uint32_t scratch) {
  fb::LaunchT launch;
  uint32_t index = 0;
  while (package->kernels[index]->symbol != kernel)
    ++index;
  launch.kernel = index;
  launch.grid = std::make_unique<fb::Dim3T>();
  launch.grid->x = std::move(units);
  launch.dyn_smem = scratch;
  launch.grain = options.grain;
  for (size_t i = 0; i < views.size(); ++i) {
    fb::BufferArgT argument;
    argument.view = std::move(views[i]);
    argument.access = access[i] == 'r' ? 1 : access[i] == 'w' ? 2 : 3;
    auto box = std::make_unique<fb::ArgBoxT>();
    box->arg.Set(std::move(argument));
    launch.args.push_back(std::move(box));
  }
  auto entry = std::make_unique<fb::EntryT>();
  entry->name = kernel;
  entry->op.Set(std::move(launch));
  program.entries.push_back(std::move(entry));
  return *program.entries.back();
}

void Builder::fetch(fb::ProgramT &program, uint32_t weight, uint32_t part, ExprPtr member,
                    std::unique_ptr<fb::ViewT> to) {
  fb::FetchT fetch;
  fetch.weight = weight;
  fetch.part = part;
  fetch.member = std::move(member);
  fetch.dst = std::move(to);
  auto entry = std::make_unique<fb::EntryT>();
  entry->name = "fetch";
  entry->op.Set(std::move(fetch));
  program.entries.push_back(std::move(entry));
}

void Builder::addBuffers() {
  auto add = [&](const char *name, fb::Space space, ExprPtr bytes) {
    auto buffer = std::make_unique<fb::BufferT>();
    buffer->name = name;
    buffer->space = space;
    buffer->bytes = std::move(bytes);
    package->buffers.push_back(std::move(buffer));
  };
  auto arena = times(Sym::T, 3 * 4 * toy::width);
  arena->terms.push_back(times(Sym::R, 4 * toy::width)->terms[0]);
  add("arena", fb::Space::Arena, std::move(arena));
  add("weights", fb::Space::Weights, constant(1536));
  add("scan", fb::Space::State, nullptr);
  add("window", fb::Space::State, nullptr);
  add("pages", fb::Space::State, nullptr);
  add("staging", fb::Space::Staging, constant(1024));
  for (const char *name : {"tokens", "cu_seqlens", "context_lens", "read_slots", "write_slots", "block_table",
                           "logit_rows", "draft_lens", "accepted", "ckpt_slots", "ckpt_rows", "logits",
                           "src_slots", "dst_slots", "src_pages", "dst_pages", "ids"})
    add(name, fb::Space::Io, constant(4096));
}

void Builder::addWeights() {
  auto add = [&](const char *name, const char *pattern, const char *init) -> fb::WeightT & {
    auto weight = std::make_unique<fb::WeightT>();
    weight->name = name;
    weight->pattern = pattern;
    weight->init = init;
    package->weights.push_back(std::move(weight));
    return *package->weights.back();
  };
  auto part = [](fb::WeightT &weight, const char *suffix, fb::DType dtype, std::vector<uint64_t> shape) {
    auto part = std::make_unique<fb::PartT>();
    part->suffix = suffix;
    part->dtype = dtype;
    part->shape = std::move(shape);
    weight.parts.push_back(std::move(part));
  };
  part(add("embed", "m.embed", "normal(0, 1)"), ".weight", fb::DType::BF16, {16, 8});
  part(add("head", "m.head", "uniform(-1, 1)"), ".weight", fb::DType::BF16, {16, 8});
  fb::WeightT &log = add("A_log", "m.A_log", "ones");
  log.used = 2;
  part(log, "", fb::DType::F32, {4});
  fb::WeightT &experts = add("experts", "m.experts.{e}.w", "mx(0.5)");
  experts.index.push_back(std::make_unique<fb::IndexT>());
  experts.index[0]->var = "e";
  experts.index[0]->count = 3;
  part(experts, ".weight_packed", fb::DType::U8, {4, 16});
  part(experts, ".weight_scale", fb::DType::U8, {4, 1});
}

void Builder::addStates() {
  auto add = [&](const char *name, fb::StateKind kind, uint32_t buffer, std::vector<uint64_t> shape) {
    auto state = std::make_unique<fb::StateT>();
    state->name = name;
    state->kind = kind;
    state->dtype = fb::DType::F32;
    state->buffer = buffer;
    state->slot_stride = 4 * (kind == fb::StateKind::Paged ? toy::pageRows : 1);
    for (uint64_t extent : shape)
      state->slot_stride *= extent;
    state->shape = std::move(shape);
    state->page_rows = kind == fb::StateKind::Paged ? toy::pageRows : 0;
    package->states.push_back(std::move(state));
  };
  add("s", fb::StateKind::Recurrent, toy::Scan, {8});
  add("w", fb::StateKind::Conv, toy::Window, {3, 8});
  add("l", fb::StateKind::Paged, toy::Pages, {8});
}

void Builder::addCode() {
  std::ifstream file(K3_TOY_KERNELS, std::ios::binary);
  fb::HostObjectT object;
  object.elf.assign(std::istreambuf_iterator<char>(file), {});
  object.isa = fb::Isa::X86_64_v2;
  object.needs = {"libc.so.6"};
  object.grid_abi = K3_GRID_ABI;
  auto image = std::make_unique<fb::ImageT>();
  image->code.Set(std::move(object));
  package->images.push_back(std::move(image));
  for (const char *symbol : {"toy_cast", "toy_embed", "toy_scan", "toy_append", "toy_attend", "toy_gather",
                             "toy_copy_rows", "toy_argmax"}) {
    package->kernels.push_back(std::make_unique<fb::KernelT>());
    package->kernels.back()->symbol = symbol;
  }
  auto target = std::make_unique<fb::TargetT>();
  target->name = "host";
  target->isa = fb::Isa::X86_64_v2;
  target->images = {0};
  package->targets.push_back(std::move(target));
}

void Builder::addPack() {
  // The body first: one expert to its place, nibbles then scales.
  fb::ProgramT &body = addProgram("pack.experts", fb::Kind::Body);
  auto expertAt = [](int64_t offset) {
    ExprPtr at = times(Sym::Member, toy::expertBytes);
    at->terms.push_back(constant(toy::expertsAt + offset)->terms[0]);
    return at;
  };
  fetch(body, 3, 0, times(Sym::Member, 1), view(toy::Weights, constant(4), {16}, expertAt(0), fb::DType::U8));
  fetch(body, 3, 1, times(Sym::Member, 1), view(toy::Weights, constant(4), {1}, expertAt(64), fb::DType::U8));

  fb::ProgramT &pack = addProgram("pack", fb::Kind::Pack);
  for (uint32_t weight : {0u, 1u}) { // embed, head
    fetch(pack, weight, 0, nullptr,
          view(toy::Staging, constant(16), {8}, constant(256 * weight), fb::DType::BF16));
    launch(pack, "toy_cast", constant(16), "rw",
           list(view(toy::Staging, constant(16), {8}, constant(256 * weight), fb::DType::BF16),
                view(toy::Weights, constant(16), {8}, constant(weight ? toy::headAt : toy::embedAt))));
  }
  fetch(pack, 2, 0, nullptr, view(toy::Weights, constant(2), {}, constant(toy::logAt)));
  fb::CallT call;
  call.program = 0;
  call.loop = constant(3);
  auto entry = std::make_unique<fb::EntryT>();
  entry->name = "experts";
  entry->op.Set(std::move(call));
  pack.entries.push_back(std::move(entry));
}

void Builder::addStep() {
  fb::ProgramT &step = addProgram("step", fb::Kind::Step);
  addIo(step, "tokens", toy::Tokens, times(Sym::T, 1));
  addIo(step, "cu_seqlens", toy::CuSeqlens, plusOne(Sym::S));
  for (auto [name, buffer] : {std::pair{"context_lens", toy::ContextLens},
                              {"read_slots", toy::ReadSlots},
                              {"write_slots", toy::WriteSlots},
                              {"draft_lens", toy::DraftLens},
                              {"accepted", toy::Accepted}})
    addIo(step, name, buffer, times(Sym::S, 1));
  addIo(step, "block_table", toy::BlockTable, times(Sym::S, 1), toy::tablePages);
  addIo(step, "logit_rows", toy::LogitRows, times(Sym::R, 1));
  addIo(step, "ckpt_slots", toy::CkptSlots, times(Sym::C, 1));
  addIo(step, "ckpt_rows", toy::CkptRows, times(Sym::C, 1));
  addIo(step, "logits", toy::Logits, times(Sym::R, 1), toy::vocab, true, fb::DType::F32);

  constexpr int64_t row = 4 * toy::width;
  auto x = [] { return view(toy::Arena, times(Sym::T, 1), {8}); };
  auto y = [] { return view(toy::Arena, times(Sym::T, 1), {8}, times(Sym::T, row)); };
  auto z = [] { return view(toy::Arena, times(Sym::T, 1), {8}, times(Sym::T, 2 * row)); };
  auto h = [] { return view(toy::Arena, times(Sym::R, 1), {8}, times(Sym::T, 3 * row)); };
  auto cu = [] { return ints(toy::CuSeqlens, plusOne(Sym::S)); };
  auto perSequence = [](uint32_t buffer) { return ints(buffer, times(Sym::S, 1)); };
  auto table = [] {
    return view(toy::BlockTable, times(Sym::S, 1), {toy::tablePages}, nullptr, fb::DType::I32);
  };
  auto pages = [] { return view(toy::Pages, constant(1), {4, 8}); };

  launch(step, "toy_embed", times(Sym::T, 1), "rrw",
         list(ints(toy::Tokens, times(Sym::T, 1)),
              view(toy::Weights, constant(16), {8}, constant(toy::embedAt)), x()),
         row);
  launch(step, "toy_scan", times(Sym::S, 1), "rrrrrrrbbw",
         list(x(), cu(), perSequence(toy::ContextLens), perSequence(toy::ReadSlots),
              perSequence(toy::WriteSlots), ints(toy::CkptSlots, times(Sym::C, 1)),
              ints(toy::CkptRows, times(Sym::C, 1)), view(toy::Scan, constant(1), {8}),
              view(toy::Window, constant(1), {3, 8}), y()));
  launch(step, "toy_append", times(Sym::S, 1), "rrrrb",
         list(x(), cu(), perSequence(toy::ContextLens), table(), pages()));
  launch(step, "toy_attend", times(Sym::S, 1), "rrrrrw",
         list(y(), cu(), perSequence(toy::ContextLens), table(), pages(), z()));
  launch(step, "toy_gather", times(Sym::R, 1), "rrw", list(z(), ints(toy::LogitRows, times(Sym::R, 1)), h()));
  fb::GemmT gemm;
  gemm.a = h();
  gemm.b = view(toy::Weights, constant(16), {8}, constant(toy::headAt));
  gemm.c = view(toy::Logits, times(Sym::R, 1), {16});
  gemm.m = times(Sym::R, 1);
  gemm.n = 16;
  gemm.k = 8;
  auto entry = std::make_unique<fb::EntryT>();
  entry->name = "head";
  entry->op.Set(std::move(gemm));
  step.entries.push_back(std::move(entry));

  if (!options.taps)
    return;
  auto tap = [&](const char *name, uint32_t entry, std::unique_ptr<fb::ViewT> view) {
    auto tap = std::make_unique<fb::TapT>();
    tap->name = name;
    tap->entry = entry;
    tap->view = std::move(view);
    tap->writable = true;
    step.taps.push_back(std::move(tap));
  };
  tap("x", 0, x());
  tap("h", 4, h());
  for (auto [name, state] : {std::pair{"scan", "s"}, {"conv.b", "w"}, {"latent", "l"}}) {
    auto tap = std::make_unique<fb::TapT>();
    tap->name = name;
    tap->state = state;
    step.taps.push_back(std::move(tap));
  }
  step.taps[3]->first_column = 4;
  step.taps[3]->columns = 4;
}

void Builder::addCopyState() {
  fb::ProgramT &copy = addProgram("copy_state", fb::Kind::CopyState);
  auto limit = [&](Sym symbol) {
    copy.bucket.push_back(std::make_unique<fb::LimitT>());
    copy.bucket.back()->sym = symbol;
    copy.bucket.back()->max = 1; // so that the runtime has to call it several times
  };
  limit(Sym::N);
  limit(Sym::M);
  addIo(copy, "src_slots", toy::SrcSlots, times(Sym::N, 1));
  addIo(copy, "dst_slots", toy::DstSlots, times(Sym::N, 1));
  addIo(copy, "src_pages", toy::SrcPages, times(Sym::M, 1));
  addIo(copy, "dst_pages", toy::DstPages, times(Sym::M, 1));
  auto slots = [&](std::unique_ptr<fb::ViewT> state) {
    launch(
        copy, "toy_copy_rows", times(Sym::N, 1), "rrb",
        list(ints(toy::SrcSlots, times(Sym::N, 1)), ints(toy::DstSlots, times(Sym::N, 1)), std::move(state)));
  };
  slots(view(toy::Scan, constant(1), {8}));
  slots(view(toy::Window, constant(1), {3, 8}));
  launch(copy, "toy_copy_rows", times(Sym::M, 1), "rrb",
         list(ints(toy::SrcPages, times(Sym::M, 1)), ints(toy::DstPages, times(Sym::M, 1)),
              view(toy::Pages, constant(1), {4, 8})));
}

void Builder::addSample() {
  fb::ProgramT &sample = addProgram("sample", fb::Kind::Sample);
  addIo(sample, "logits", toy::Logits, times(Sym::R, 1), toy::vocab, false, fb::DType::F32);
  addIo(sample, "ids", toy::Ids, times(Sym::R, 1), 0, true);
  launch(sample, "toy_argmax", times(Sym::R, 1), "rw",
         list(view(toy::Logits, times(Sym::R, 1), {16}), ints(toy::Ids, times(Sym::R, 1))));
}

void Builder::addGraph() {
  fb::ProgramT &graph = addProgram("prefix", fb::Kind::Aux);
  addIo(graph, "x", toy::Tokens, times(Sym::T, 1), toy::width, false, fb::DType::F32);
  addIo(graph, "cu_seqlens", toy::CuSeqlens, plusOne(Sym::S));
  addIo(graph, "context_lens", toy::ContextLens, times(Sym::S, 1));
  addIo(graph, "read_slots", toy::ReadSlots, times(Sym::S, 1));
  addIo(graph, "write_slots", toy::WriteSlots, times(Sym::S, 1));
  addIo(graph, "ckpt_slots", toy::CkptSlots, times(Sym::C, 1));
  addIo(graph, "ckpt_rows", toy::CkptRows, times(Sym::C, 1));
  addIo(graph, "y", toy::Logits, times(Sym::T, 1), toy::width, true, fb::DType::F32);
  auto perSequence = [](uint32_t buffer) { return ints(buffer, times(Sym::S, 1)); };
  launch(graph, "toy_scan", times(Sym::S, 1), "rrrrrrrbbw",
         list(view(toy::Tokens, times(Sym::T, 1), {8}), ints(toy::CuSeqlens, plusOne(Sym::S)),
              perSequence(toy::ContextLens), perSequence(toy::ReadSlots), perSequence(toy::WriteSlots),
              ints(toy::CkptSlots, times(Sym::C, 1)), ints(toy::CkptRows, times(Sym::C, 1)),
              view(toy::Scan, constant(1), {8}), view(toy::Window, constant(1), {3, 8}),
              view(toy::Logits, times(Sym::T, 1), {8})));
}

std::unique_ptr<fb::PackageT> Builder::build() {
  package->step_abi = std::make_unique<fb::VersionT>();
  package->step_abi->major = stepAbiMajor;
  package->step_abi->minor = stepAbiMinor;
  package->model = std::make_unique<fb::ModelT>();
  package->model->arch = "toy";
  package->model->vocab = toy::vocab;
  package->model->tokenizer = "bytes";
  package->model->eos = {15};
  package->page_rows = toy::pageRows;
  package->max_context = 30;
  package->precision = "f32";
  for (auto [symbol, value] : {std::pair{Sym::T, options.maxTokens},
                               {Sym::S, options.maxSequences},
                               {Sym::R, options.maxRows},
                               {Sym::C, options.maxCheckpoints}}) {
    package->limits.push_back(std::make_unique<fb::LimitT>());
    package->limits.back()->sym = symbol;
    package->limits.back()->max = value;
  }
  addBuffers();
  addWeights();
  addStates();
  addCode();
  addPack();
  if (options.graphOnly) {
    addGraph();
    return std::move(package);
  }
  addStep();
  addCopyState();
  addSample();
  return std::move(package);
}

/// Small integers and eighths are exact in bf16.
uint16_t bf16(float x) { return static_cast<uint16_t>(std::bit_cast<uint32_t>(x) >> 16); }

} // namespace

std::unique_ptr<fb::PackageT> toy::package(const Options &options) { return Builder(options).build(); }

std::string toy::temporaryFolder(const std::string &name) {
  struct Root {
    std::string path = std::filesystem::temp_directory_path() / ("k3-toy-" + std::to_string(getpid()));
    ~Root() {
      std::error_code ignored;
      std::filesystem::remove_all(path, ignored);
    }
  };
  static Root root;
  std::string folder = root.path + "/" + name;
  std::filesystem::create_directories(folder);
  return folder;
}

std::string toy::writeCheckpoint(const std::string &directory, const Checkpoint &checkpoint) {
  std::filesystem::create_directories(directory);
  std::vector<uint16_t> embed, head;
  std::vector<float> headF32(16 * 8, 0.0f);
  for (int v = 0; v < 16; ++v)
    for (int d = 0; d < 8; ++d) {
      embed.push_back(bf16(static_cast<float>(v) + static_cast<float>(d) / 8));
      head.push_back(bf16(v == d ? 1.0f : 0.0f));
    }
  std::vector<float> log{7, 8, 0, 0, 0, 0}; // longer than the manifest says: padding
  std::vector<std::vector<uint8_t>> packed(3, std::vector<uint8_t>(64)),
      scales(3, std::vector<uint8_t>(4, 127));
  for (int e = 0; e < 3; ++e)
    for (int i = 0; i < 64; ++i)
      packed[e][i] = static_cast<uint8_t>(0x77 - i % 4 + e);
  scales[1][1] = static_cast<uint8_t>(checkpoint.scaleByte);

  SafetensorsWriter writer;
  auto add = [&](const std::string &name, DType dtype, std::vector<int64_t> shape, const auto &values) {
    if (name != checkpoint.dropTensor)
      (void)writer.add(name, dtype, std::move(shape), values);
  };
  add("m.embed.weight", DType::BF16, {16, 8}, embed);
  if (checkpoint.wrongType)
    add("m.head.weight", DType::F32, {16, 8}, headF32);
  else if (checkpoint.wrongShape)
    add("m.head.weight", DType::BF16, {8, 16}, head);
  else
    add("m.head.weight", DType::BF16, {16, 8}, head);
  add("m.A_log", DType::F32, {6}, log);
  for (int e = 0; e < 3; ++e) {
    std::string name = "m.experts." + std::to_string(e) + ".w";
    add(name + ".weight_packed", DType::U8, {4, 16}, packed[e]);
    add(name + ".weight_scale", DType::U8, {4, 1}, scales[e]);
  }
  (void)writer.write(directory + "/model.safetensors");
  return directory;
}
