//===- PrintJson.cpp - A package as JSON -------------------------- -*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Package/Expr.h"
#include "lib/Package/Print.h"

#include "flatbuffers/minireflect.h"
#include <nlohmann/json.hpp>

using namespace k3;
using Json = nlohmann::ordered_json;

namespace {

/// The field names of table Expr; a table of the package that has no other fields is an expression.
bool isExpr(const Json &value) {
  if (!value.is_object() || value.empty())
    return false;
  for (const auto &field : value.items())
    if (field.key() != "terms" && field.key() != "max_of")
      return false;
  return true;
}

uint8_t symbolNumber(const Json &value) { return value.get<uint8_t>(); }

fb::ExprT toExpr(const Json &value) {
  fb::ExprT expression;
  if (auto terms = value.find("terms"); terms != value.end())
    for (const Json &term : *terms)
      expression.terms.emplace_back(term["coef"].get<int64_t>(), term["div"].get<uint32_t>(),
                                    term["round"].get<uint8_t>(), symbolNumber(term["a"]),
                                    symbolNumber(term["b"]), 0);
  if (auto others = value.find("max_of"); others != value.end())
    for (const Json &other : *others)
      expression.max_of.push_back(std::make_unique<fb::ExprT>(toExpr(other)));
  return expression;
}

void expressionsToText(Json &value) {
  if (isExpr(value))
    value = exprText(toExpr(value));
  else if (value.is_structured())
    for (Json &child : value)
      expressionsToText(child);
}

/// A copy without code and data, with their sizes in its place: what is left is worth reading.
std::unique_ptr<fb::PackageT> withoutBytes(const fb::PackageT &package, std::vector<size_t> &codeBytes) {
  auto copy = std::make_unique<fb::PackageT>(package);
  for (auto &image : copy->images) {
    size_t bytes = 0;
    if (fb::HostObjectT *object = image->code.AsHostObject())
      bytes = object->elf.size(), object->elf.clear();
    else if (fb::CubinT *cubin = image->code.AsCubin())
      bytes = cubin->elf.size(), cubin->elf.clear();
    else if (fb::PtxT *ptx = image->code.AsPtx())
      bytes = ptx->text.size();
    codeBytes.push_back(bytes);
  }
  for (auto &buffer : copy->buffers)
    buffer->data.clear();
  return copy;
}

} // namespace

Expected<std::string> k3::packageJson(const fb::PackageT &package, std::string_view section) {
  std::vector<size_t> codeBytes;
  std::unique_ptr<fb::PackageT> copy = withoutBytes(package, codeBytes);
  flatbuffers::FlatBufferBuilder builder(1 << 16);
  fb::FinishPackageBuffer(builder, fb::Package::Pack(builder, copy.get()));
  flatbuffers::ToStringVisitor visitor("\n", /*quotes=*/true, /*indent=*/"", /*vdelimited=*/false);
  flatbuffers::IterateFlatBuffer(builder.GetBufferPointer(), fb::PackageTypeTable(), &visitor);
  Json json = Json::parse(visitor.s, nullptr, /*allow_exceptions=*/false);
  if (json.is_discarded())
    return internalError("the package does not print as JSON");
  expressionsToText(json);
  for (size_t i = 0; i < codeBytes.size(); ++i)
    json["images"][i]["bytes"] = codeBytes[i];
  if (section.empty())
    return json.dump(1) + "\n";
  for (uint8_t i = 0; i < fb::PackageTypeTable()->num_elems; ++i)
    if (section == fb::PackageTypeTable()->names[i])
      return json.value(std::string(section), Json::array()).dump(1) + "\n";
  return badUsage("a package has no field '" + std::string(section) +
                  "'; see table Package in lib/Package/Package.fbs");
}
