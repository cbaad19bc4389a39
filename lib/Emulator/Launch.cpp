//===- Launch.cpp - Arguments of a launch from words ----------------------===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Emulator/Launch.h"
#include "lib/Emulator/Decoder.h"
#include "lib/Safetensors/File.h"
#include "lib/Support/Random.h"

#include <charconv>

using namespace mlir;

namespace k3::emu {

static std::vector<std::string> split(const std::string &text, char by) {
  std::vector<std::string> parts(1);
  for (char c : text)
    if (c == by)
      parts.emplace_back();
    else
      parts.back() += c;
  return parts;
}

template <typename T>
static bool number(const std::string &text, T &value) {
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

namespace {
/// A view's memory as one word says.
struct Content {
  std::vector<int64_t> shape;
  Tensor tensor{Elem::F32, {}};
  std::vector<uint8_t> raw; ///< of a file, instead of a tensor
  bool written = true;
};
} // namespace

static Expected<Content> fromFile(const std::string &word, size_t hash, tile::ViewType type) {
  K3_ASSIGN(SafetensorsFile file, SafetensorsFile::open(word.substr(0, hash)));
  K3_ASSIGN(TensorView view, file.lookup(word.substr(hash + 1)));
  if (dtypeBits(view.dtype) != 8 * type.getElementBytes())
    return badInput("'" + word + "' is " + view.typeText() + ", the view has elements of " +
                    std::to_string(type.getElementBytes()) + " bytes");
  Content content;
  content.shape.assign(view.shape.begin(), view.shape.end());
  const auto *bytes = reinterpret_cast<const uint8_t *>(view.bytes.data());
  content.raw.assign(bytes, bytes + view.bytes.size());
  return content;
}

static Expected<Content> contentOfWord(const std::string &word, tile::ViewType type) {
  if (size_t hash = word.find('#'); hash != std::string::npos)
    return fromFile(word, hash, type);
  std::vector<std::string> parts = split(word, ':');
  auto bad = [&] {
    return badInput("'" + word +
                    "' is no content of a view; try random:1:16x64, zeros:16x64, poison:16x64 or FILE#NAME");
  };
  bool random = parts[0] == "random";
  if (parts.size() < (random ? 3 : 2) || parts.size() > (random ? 4 : 2))
    return bad();
  Content content;
  int64_t count = 1;
  for (const std::string &extent : split(parts[random ? 2 : 1], 'x')) {
    content.shape.emplace_back();
    if (!number(extent, content.shape.back()) || content.shape.back() < 0)
      return bad();
    count *= content.shape.back();
  }
  std::optional<Elem> elem = elemOf(type.getElementType());
  if (!elem || *elem == Elem::I64)
    return unsupported("'" + word + "': the Emulator fills no views of 8-byte elements");
  content.tensor = Tensor(*elem, content.shape);
  uint64_t seed = 0;
  float scale = 1;
  if (random && (!number(parts[1], seed) || (parts.size() == 4 && !number(parts[3], scale))))
    return bad();
  RandomStream stream(seed, 0);
  auto fill = [&](auto valueAt) {
    for (int64_t i = 0; i < count; ++i)
      if (isFloat(*elem))
        content.tensor.f[i] = roundTo(*elem, static_cast<float>(valueAt(i)));
      else
        content.tensor.n[i] = static_cast<int32_t>(valueAt(i));
  };
  if (random)
    fill([&](int64_t i) {
      return isFloat(*elem) ? stream.normal(i) * scale : static_cast<float>(stream.bits(i) % 8);
    });
  else if (parts[0] == "ones")
    fill([](int64_t) { return 1; });
  else if (parts[0] == "iota")
    fill([](int64_t i) { return i % 256; });
  else if (parts[0] == "poison")
    content.written = false;
  else if (parts[0] != "zeros")
    return bad();
  return content;
}

Expected<BoundLaunch> bindLaunch(tile::KernelOp kernel, const std::vector<std::string> &words,
                                 std::array<unsigned, 3> grid, bool trackRaces) {
  BoundLaunch bound;
  bound.config.grid = grid;
  bound.config.checkOutputs = true;
  std::string name = "kernel '" + kernel.getSymName().str() + "'";
  ArrayRef<Type> types = kernel.getArgumentTypes();
  size_t next = 0, expected = llvm::count_if(types, [](Type type) { return !isa<tile::MapType>(type); });
  if (words.size() != expected)
    return badUsage(name + " takes " + std::to_string(expected) + " arguments that are no maps, there are " +
                    std::to_string(words.size()));
  std::map<unsigned, size_t> blockOf; // by argument
  for (unsigned i = 0; i < types.size(); ++i) {
    Argument argument;
    if (auto view = dyn_cast<tile::ViewType>(types[i])) {
      Expected<Content> content = contentOfWord(words[next++], view);
      if (!content)
        return content.takeStatus().withContext(name + ", argument " + std::to_string(i));
      uint64_t bytes = view.getElementBytes();
      for (int64_t extent : content->shape)
        bytes *= extent;
      auto block = std::make_unique<Block>("argument " + std::to_string(i), Space::Global, bytes, trackRaces);
      if (content->written) {
        if (!content->raw.empty())
          std::copy(content->raw.begin(), content->raw.end(), block->data());
        else
          encodeElements(content->tensor, 0, block->data(), content->tensor.count());
        block->clearPoison(0, bytes);
      }
      block->constant = kernel.getArgRole(i) == tile::ArgRole::Constant;
      argument.array.block = block.get();
      argument.array.end = bytes;
      blockOf[i] = bound.blocks.size();
      bound.viewArguments.push_back(i);
      bound.shapes.push_back(std::move(content->shape));
      bound.blocks.push_back(std::move(block));
    } else if (!isa<tile::MapType>(types[i])) {
      const std::string &word = words[next++];
      bool fits = types[i].isF32() ? number(word, argument.real) : number(word, argument.integer);
      if (!fits)
        return badUsage(name + ", argument " + std::to_string(i) + ": '" + word + "' is no number");
    }
    bound.config.arguments.push_back(std::move(argument));
  }
  // Maps describe views, whatever their order.
  for (unsigned i = 0; i < types.size(); ++i) {
    auto map = dyn_cast<tile::MapType>(types[i]);
    if (!map)
      continue;
    std::optional<unsigned> described = kernel.getDescribed(i);
    if (!described || blockOf.count(*described) == 0)
      return badInput(name + ", argument " + std::to_string(i) +
                      " is a map without a view that it describes");
    Array &array = bound.config.arguments[i].array;
    array = bound.config.arguments[*described].array;
    array.dims = bound.shapes[blockOf[*described]];
    if (array.dims.size() != map.getBox().size())
      return badUsage(name + ", argument " + std::to_string(i) + " is a map of rank " +
                      std::to_string(map.getBox().size()) + ", the view it describes has " +
                      std::to_string(array.dims.size()) + " dimensions");
    array.strides.assign(array.dims.size(), 1);
    for (size_t d = array.dims.size() - 1; d > 0; --d)
      array.strides[d - 1] = array.strides[d] * array.dims[d];
  }
  return bound;
}

void writeAhead(Machine &machine, BoundLaunch &launch) {
  uint32_t number = machine.op("a store");
  machine.launch({"ahead", {{"store", 1, 1}}, {}, {}, 16}, {}, [&](Team &team) {
    for (std::unique_ptr<Block> &block : launch.blocks)
      if (!block->constant && block->size != 0)
        team.write(number, *block, {{Range{0, static_cast<uint32_t>(block->size)}}});
  });
  launch.config.dependent = true;
}

Tensor contentOf(const BoundLaunch &launch, tile::KernelOp kernel, unsigned argument) {
  for (size_t b = 0; b < launch.blocks.size(); ++b)
    if (launch.viewArguments[b] == argument) {
      Tensor tensor(elemOrScalar(cast<tile::ViewType>(kernel.getArgumentTypes()[argument]).getElementType()),
                    launch.shapes[b]);
      decodeElements(tensor, 0, launch.blocks[b]->data(), tensor.count());
      return tensor;
    }
  return Tensor(Elem::F32, {0});
}

} // namespace k3::emu
