//===- File.cpp - One safetensors file, read-only -------------------------===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Safetensors/File.h"
#include "lib/Support/Text.h"

#include <algorithm>

using namespace k3;

std::string TensorView::typeText() const { return std::string(dtypeName(dtype)) + " " + shapeText(shape); }

Expected<SafetensorsFile> SafetensorsFile::open(const std::string &path) {
  K3_ASSIGN(MappedFile file, MappedFile::open(path));
  if (file.size() < 8)
    return badInput(path + ": has " + std::to_string(file.size()) +
                    " bytes, a safetensors file begins with 8 bytes of header length");
  uint64_t headerSize;
  std::memcpy(&headerSize, file.data(), 8);
  if (headerSize > file.size() - 8)
    return badInput(path + ": says that its header has " + std::to_string(headerSize) + " bytes, but only " +
                    std::to_string(file.size() - 8) + " follow; is it truncated?");
  Expected<TensorHeader> header =
      parseTensorHeader(file.text().substr(8, headerSize), file.size() - 8 - headerSize);
  if (!header)
    return header.takeStatus().withContext(path);
  return SafetensorsFile(std::move(file), std::move(*header), 8 + headerSize);
}

std::optional<TensorView> SafetensorsFile::find(std::string_view name) const {
  std::optional<uint32_t> number = header.names.lookup(name);
  if (!number)
    return std::nullopt;
  const TensorRecord &record = header.records[*number];
  return TensorView{header.names.list()[*number], record.dtype, record.shape,
                    file.bytes().subspan(dataStart + record.begin, record.end - record.begin), file.path()};
}

Expected<TensorView> SafetensorsFile::lookup(std::string_view name) const {
  if (std::optional<TensorView> tensor = find(name))
    return *tensor;
  return badInput(path() + ": has no tensor '" + std::string(name) + "'");
}

Status k3::checkTensor(const TensorView &tensor, DType dtype, std::span<const int64_t> shape,
                       std::string_view why) {
  if (tensor.dtype == dtype &&
      std::equal(shape.begin(), shape.end(), tensor.shape.begin(), tensor.shape.end()))
    return Status::success();
  TensorView expected{tensor.name, dtype, shape, {}, {}};
  std::string text = std::string(tensor.file) + ": tensor '" + std::string(tensor.name) + "' is " +
                     tensor.typeText() + ", the config needs " + expected.typeText();
  if (!why.empty())
    text += " (" + std::string(why) + ")";
  return badInput(std::move(text));
}
