//===- Header.cpp - Parses and checks a safetensors header ----------------===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Safetensors/File.h"
#include "lib/Safetensors/SaxBase.h"
#include "lib/Support/Text.h"

#include <numeric>

using namespace k3;

namespace {

/// {"name": {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24]}, "__metadata__": {"key": "text"}}
struct HeaderReader : SaxBase {
  enum class Field { None, DType, Shape, Offsets };

  TensorHeader header;
  int depth = 0;
  bool inArray = false, inMetadata = false, sawMetadata = false;
  std::string metadataKey;
  Field field = Field::None;
  bool seen[4] = {};
  DType dtype = DType::U8;
  std::vector<int64_t> shape;
  std::vector<uint64_t> offsets;

  std::string current() const { return "tensor '" + std::string(header.names.list().back()) + "'"; }

  bool start_object(size_t) override {
    // The outermost object, and one per name.
    if (inArray || depth == 2 || (depth == 1 && field != Field::None))
      return refuse("unexpected object");
    ++depth;
    return true;
  }

  bool key(std::string &text) override {
    if (depth == 1)
      return startTensor(text);
    if (inMetadata) {
      metadataKey = text;
      return true;
    }
    field = text == "dtype"          ? Field::DType
            : text == "shape"        ? Field::Shape
            : text == "data_offsets" ? Field::Offsets
                                     : Field::None;
    if (field == Field::None)
      return refuse(current() + " has an unknown field '" + text + "'; expected dtype, shape, data_offsets");
    if (std::exchange(seen[static_cast<int>(field)], true))
      return refuse(current() + " has '" + text + "' twice");
    return true;
  }

  bool startTensor(const std::string &name) {
    inMetadata = name == "__metadata__";
    if (inMetadata)
      return std::exchange(sawMetadata, true) ? refuse("'__metadata__' appears twice") : true;
    if (!header.names.insert(name).second)
      return refuse("tensor '" + name + "' appears twice");
    field = Field::None;
    std::fill(std::begin(seen), std::end(seen), false);
    shape.clear();
    offsets.clear();
    return true;
  }

  bool string(std::string &text) override {
    if (depth == 2 && inMetadata) {
      header.metadata[metadataKey] = text;
      return true;
    }
    if (depth != 2 || field != Field::DType || inArray)
      return refuse("unexpected string '" + text + "'");
    std::optional<DType> parsed = parseDType(text);
    if (!parsed)
      return refuse(current() + " has the unknown dtype '" + text + "'");
    dtype = *parsed;
    return true;
  }

  bool start_array(size_t) override {
    if (depth != 2 || inMetadata || inArray || (field != Field::Shape && field != Field::Offsets))
      return refuse("unexpected array");
    inArray = true;
    return true;
  }
  bool end_array() override {
    inArray = false;
    return true;
  }

  bool number_unsigned(uint64_t number) override {
    if (!inArray)
      return SaxBase::number_unsigned(number);
    if (field == Field::Offsets) {
      offsets.push_back(number);
      return true;
    }
    if (number > static_cast<uint64_t>(INT64_MAX))
      return refuse(current() + " has the dim " + std::to_string(number) + ", which is too large");
    shape.push_back(static_cast<int64_t>(number));
    return true;
  }
  bool number_integer(int64_t number) override {
    if (!inArray)
      return SaxBase::number_integer(number);
    return refuse(current() + " has a negative " + (field == Field::Shape ? "dim " : "offset ") +
                  std::to_string(number));
  }
  bool number_float(double, const std::string &text) override {
    if (!inArray)
      return SaxBase::number_float(0, text);
    return refuse(current() + " has the " + (field == Field::Shape ? "dim " : "offset ") + text +
                  ", which is no 64-bit integer");
  }

  bool end_object() override {
    --depth;
    if (depth != 1)
      return true;
    if (std::exchange(inMetadata, false))
      return true;
    for (auto [which, name] :
         {std::pair(Field::DType, "dtype"), {Field::Shape, "shape"}, {Field::Offsets, "data_offsets"}})
      if (!seen[static_cast<int>(which)])
        return refuse(current() + " has no '" + std::string(name) + "'");
    field = Field::None;
    return finishTensor();
  }

  bool finishTensor() {
    if (offsets.size() != 2 || offsets[0] > offsets[1])
      return refuse(current() + " has data_offsets that are not [begin, end] with begin <= end");
    std::optional<uint64_t> bytes = tensorBytes(dtype, shape);
    if (!bytes)
      return refuse(current() + " is " + std::string(dtypeName(dtype)) + " " + shapeText(shape) +
                    ", whose size in bytes is no 64-bit number");
    if (*bytes != offsets[1] - offsets[0])
      return refuse(current() + " is " + std::string(dtypeName(dtype)) + " " + shapeText(shape) +
                    ", which is " + std::to_string(*bytes) + " bytes, but its data_offsets hold " +
                    std::to_string(offsets[1] - offsets[0]));
    header.records.push_back({dtype, shape, offsets[0], offsets[1]});
    return true;
  }
};

} // namespace

/// Every byte of the data belongs to exactly one tensor.
static Status checkCover(const TensorHeader &header, uint64_t dataSize) {
  std::vector<uint32_t> order(header.records.size());
  std::iota(order.begin(), order.end(), 0u);
  std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
    const TensorRecord &first = header.records[a], &second = header.records[b];
    return std::tie(first.begin, first.end) < std::tie(second.begin, second.end);
  });
  auto quoted = [&](uint32_t number) { return "tensor '" + std::string(header.names.list()[number]) + "'"; };
  uint64_t end = 0;
  for (size_t i = 0; i < order.size(); ++i) {
    const TensorRecord &record = header.records[order[i]];
    if (record.begin < end)
      return badInput(quoted(order[i]) + " begins at byte " + std::to_string(record.begin) +
                      " and overlaps " + quoted(order[i - 1]) + ", which ends at " + std::to_string(end));
    if (record.begin > end)
      return badInput("bytes " + std::to_string(end) + " to " + std::to_string(record.begin) + " before " +
                      quoted(order[i]) + " belong to no tensor");
    if (record.end > dataSize)
      return badInput(quoted(order[i]) + " ends at byte " + std::to_string(record.end) +
                      ", but the file holds only " + std::to_string(dataSize) +
                      " bytes of data; is it truncated?");
    end = record.end;
  }
  if (end != dataSize)
    return badInput("the last " + std::to_string(dataSize - end) + " bytes belong to no tensor");
  return Status::success();
}

Expected<TensorHeader> k3::parseTensorHeader(std::string_view json, uint64_t dataSize) {
  HeaderReader reader;
  if (!nlohmann::json::sax_parse(json.data(), json.data() + json.size(), &reader))
    return badInput("header: " + reader.error);
  if (reader.depth != 0)
    return badInput("header: not a JSON object");
  K3_TRY(checkCover(reader.header, dataSize));
  return std::move(reader.header);
}
