//===- Session.cpp - A package, its weights and sequences -----------------===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tools/run/Session.h"

#include "lib/Support/Text.h"

#include <algorithm>
#include <cstdio>
#include <unistd.h>

using namespace k3;
using namespace k3::run;

Status run::toStatus(k3_status status) {
  if (status.code == K3_OK)
    return Status::success();
  Status result(static_cast<Code>(status.code), status.text ? status.text : "no memory for the error text");
  k3_status_free(&status);
  return result;
}

Session::~Session() {
  k3_context_free(context);
  k3_weights_free(weights);
  k3_package_free(package);
}

Status Session::loadPackage(const std::string &path) {
  K3_TRY(toStatus(k3_package_load(path.c_str(), &package)));
  packageInfo.size = sizeof packageInfo;
  K3_TRY(toStatus(k3_package_get_info(package, &packageInfo)));
  while (true) {
    k3_tap_info tap{};
    tap.size = sizeof tap;
    k3_status status = k3_package_tap(package, tapList.size(), &tap);
    if (status.code != K3_OK) {
      k3_status_free(&status);
      return Status::success();
    }
    tapList.push_back(tap);
  }
}

/// user: the last per cent that was shown.
static int showProgress(void *user, uint64_t done, uint64_t total) {
  int percent = total ? static_cast<int>(100 * done / total) : 100, &shown = *static_cast<int *>(user);
  if (percent != shown) {
    std::fprintf(stderr, "\rpacking weights %3d%% of %s%s", percent, humanBytes(total).c_str(),
                 percent == 100 ? "\n" : "");
    std::fflush(stderr);
    shown = percent;
  }
  return 0;
}

Status Session::loadWeights(const SessionOptions &options) {
  K3_TRY(toStatus(k3_weights_open(package, options.weights.c_str(), &weights)));
  int shown = -1;
  k3_context_options contextOptions{};
  contextOptions.size = sizeof contextOptions;
  contextOptions.device = options.device.empty() ? nullptr : options.device.c_str();
  contextOptions.threads = options.threads;
  contextOptions.slots = std::max(options.sequences, 1u);
  contextOptions.record_taps = options.recordTaps;
  contextOptions.stats = options.stats;
  if (isatty(STDERR_FILENO)) {
    contextOptions.progress = showProgress;
    contextOptions.user = &shown;
  }
  K3_TRY(toStatus(k3_context_create(package, weights, &contextOptions, &context)));
  sequences.resize(options.sequences);
  for (k3_sequence *&sequence : sequences)
    K3_TRY(toStatus(k3_sequence_create(context, &sequence)));
  return Status::success();
}

Status Session::step(const std::vector<size_t> &members, const std::vector<TokenList> &tokens,
                     k3_logit_mode mode) {
  std::vector<k3_sequence *> handles;
  std::vector<const int32_t *> data;
  std::vector<uint32_t> lengths;
  for (size_t i = 0; i < members.size(); ++i) {
    handles.push_back(sequences[members[i]]);
    data.push_back(tokens[i].data());
    lengths.push_back(static_cast<uint32_t>(tokens[i].size()));
  }
  k3_batch batch{};
  batch.size = sizeof batch;
  batch.count = members.size();
  batch.sequences = handles.data();
  batch.tokens = data.data();
  batch.lengths = lengths.data();
  batch.logits = mode;
  return toStatus(k3_step(context, &batch));
}

Status Session::sample(std::vector<int32_t> &ids) {
  ids.resize(k3_logit_rows(context));
  return toStatus(k3_sample(context, nullptr, ids.data(), ids.size()));
}

Expected<const float *> Session::logits(size_t row) {
  const float *data = nullptr;
  K3_TRY(toStatus(k3_logits(context, row, &data, nullptr)));
  return data;
}

/// Reads an array in two calls: its shape, then its data.
template <typename Read>
static Expected<Tensor> readArray(Read read) {
  k3_array array{};
  array.size = sizeof array;
  K3_TRY(toStatus(read(&array)));
  Tensor tensor;
  tensor.dtype = static_cast<k3_dtype>(array.dtype);
  tensor.dims.assign(array.dims, array.dims + array.rank);
  tensor.bytes.resize(array.bytes);
  array.data = tensor.bytes.data();
  if (!tensor.bytes.empty())
    K3_TRY(toStatus(read(&array)));
  return tensor;
}

/// The tensor as the API takes it; borrowed.
static k3_array asArray(const Tensor &value) {
  k3_array array{};
  array.size = sizeof array;
  array.dtype = value.dtype;
  array.rank = static_cast<int32_t>(value.dims.size());
  std::copy(value.dims.begin(), value.dims.end(), array.dims);
  array.data = const_cast<std::byte *>(value.bytes.data());
  array.bytes = value.bytes.size();
  return array;
}

Expected<Tensor> Session::readTap(const std::string &name, int64_t sequence) {
  const k3_sequence *handle = sequence < 0 ? nullptr : sequences[static_cast<size_t>(sequence)];
  return readArray([&](k3_array *array) { return k3_tap_read(context, handle, name.c_str(), array); });
}

Status Session::giveTap(const std::string &name, const Tensor &value) {
  k3_array array = asArray(value);
  return toStatus(k3_tap_give(context, name.c_str(), &array));
}

std::vector<k3_graph_array> Session::graphArrays() const {
  std::vector<k3_graph_array> arrays;
  while (true) {
    k3_graph_array array{};
    array.size = sizeof array;
    k3_status status = k3_package_graph_array(package, arrays.size(), &array);
    if (status.code != K3_OK) {
      k3_status_free(&status);
      return arrays;
    }
    arrays.push_back(array);
  }
}

Status Session::giveGraph(const std::string &name, const Tensor &value) {
  k3_array array = asArray(value);
  return toStatus(k3_graph_give(context, name.c_str(), &array));
}

Status Session::runGraph() { return toStatus(k3_graph_run(context, nullptr)); }

Expected<Tensor> Session::readGraph(const std::string &name) {
  return readArray([&](k3_array *array) { return k3_graph_read(context, name.c_str(), array); });
}

std::string Session::statsTable() const {
  std::vector<k3_stat> stats;
  double total = 0;
  while (true) {
    k3_stat stat{};
    stat.size = sizeof stat;
    k3_status status = k3_context_stat(context, stats.size(), &stat);
    if (status.code != K3_OK) {
      k3_status_free(&status);
      break;
    }
    stats.push_back(stat);
    total += stat.seconds;
  }
  std::sort(stats.begin(), stats.end(),
            [](const k3_stat &a, const k3_stat &b) { return a.seconds > b.seconds; });
  std::string table = "    calls     time ms      %     GB/s   GFLOP/s  class\n";
  for (const k3_stat &stat : stats) {
    auto rate = [&](uint64_t amount) -> std::string {
      if (!amount || stat.seconds <= 0)
        return "-";
      char text[32];
      std::snprintf(text, sizeof text, "%.2f", static_cast<double>(amount) / stat.seconds / 1e9);
      return text;
    };
    char line[160];
    std::snprintf(line, sizeof line, "%9llu %11.3f %6.1f %8s %9s  ",
                  static_cast<unsigned long long>(stat.calls), 1e3 * stat.seconds,
                  total > 0 ? 100 * stat.seconds / total : 0, rate(stat.bytes).c_str(),
                  rate(stat.flops).c_str());
    table += std::string(line) + stat.name + "\n";
  }
  return table;
}
