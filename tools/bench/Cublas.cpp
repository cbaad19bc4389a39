//===- Cublas.cpp - cuBLAS and cuBLASLt, to be compared with --------------===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tools/bench/Cublas.h"

#include <dlfcn.h>

using namespace k3;
using namespace k3::bench;

namespace {
struct Handle;
struct LtHandle;
struct Description;
struct Layout;
struct Preference;

constexpr int typeBf16 = 14, typeF32 = 0, compute32F = 68, opN = 0, opT = 1;
constexpr int descTransA = 3;         // CUBLASLT_MATMUL_DESC_TRANSA
constexpr int prefWorkspaceBytes = 1; // CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES

/// cublasLtMatmulHeuristicResult_t.
struct Proposal {
  Cublas::Algorithm algorithm;
  size_t workspace;
  int state;
  float waves;
  int reserved[4];
};
static_assert(sizeof(Proposal) == 96);
} // namespace

#define K3_CUBLAS_ENTRY_POINTS(X)                                                                                      \
  X(create, blas, "cublasCreate_v2", (Handle * *))                                                                     \
  X(destroy, blas, "cublasDestroy_v2", (Handle *))                                                                     \
  X(setStream, blas, "cublasSetStream_v2", (Handle *, cuda::StreamHandle *))                                           \
  X(setWorkspace, blas, "cublasSetWorkspace_v2", (Handle *, void *, size_t))                                           \
  X(gemm, blas, "cublasGemmEx",                                                                                        \
    (Handle *, int, int, int, int, int, const void *, const void *, int, int, const void *, int, int, const void *,    \
     void *, int, int, int, int))                                                                                      \
  X(ltCreate, lt, "cublasLtCreate", (LtHandle * *))                                                                    \
  X(ltDestroy, lt, "cublasLtDestroy", (LtHandle *))                                                                    \
  X(descCreate, lt, "cublasLtMatmulDescCreate", (Description * *, int, int))                                           \
  X(descSet, lt, "cublasLtMatmulDescSetAttribute", (Description *, int, const void *, size_t))                         \
  X(descDestroy, lt, "cublasLtMatmulDescDestroy", (Description *))                                                     \
  X(layoutCreate, lt, "cublasLtMatrixLayoutCreate", (Layout * *, int, uint64_t, uint64_t, int64_t))                    \
  X(layoutDestroy, lt, "cublasLtMatrixLayoutDestroy", (Layout *))                                                      \
  X(prefCreate, lt, "cublasLtMatmulPreferenceCreate", (Preference * *))                                                \
  X(prefSet, lt, "cublasLtMatmulPreferenceSetAttribute", (Preference *, int, const void *, size_t))                    \
  X(prefDestroy, lt, "cublasLtMatmulPreferenceDestroy", (Preference *))                                                \
  X(propose, lt, "cublasLtMatmulAlgoGetHeuristic",                                                                     \
    (LtHandle *, Description *, Layout *, Layout *, Layout *, Layout *, Preference *, int, Proposal *, int *))         \
  X(matmul, lt, "cublasLtMatmul",                                                                                      \
    (LtHandle *, Description *, const void *, const void *, Layout *, const void *, Layout *, const void *,            \
     const void *, Layout *, void *, Layout *, const Cublas::Algorithm *, void *, size_t, cuda::StreamHandle *))

struct Cublas::Library {
#define K3_CUBLAS_DECLARE(member, from, symbol, parameters) int(*member) parameters = nullptr;
  K3_CUBLAS_ENTRY_POINTS(K3_CUBLAS_DECLARE)
#undef K3_CUBLAS_DECLARE
  Handle *handle = nullptr;
  LtHandle *ltHandle = nullptr;
  cuda::StreamHandle *stream = nullptr;
  void *workspace = nullptr;
  size_t workspaceBytes = 0;
};

static Status check(int status, const char *what) {
  return status == 0 ? Status::success() : internalError(std::string(what) + " failed with status " + std::to_string(status));
}

/// The newest of the two versions that this file knows.
static void *openLibrary(const std::string &folder, const std::string &name) {
  for (const char *version : {".so.13", ".so.12"})
    if (void *library = dlopen(((folder.empty() ? "" : folder + "/") + name + version).c_str(), RTLD_NOW | RTLD_GLOBAL))
      return library;
  return nullptr;
}

Cublas::Cublas(std::unique_ptr<Library> library) : library(std::move(library)) {}

Cublas::~Cublas() {
  if (library->handle)
    (void)library->destroy(library->handle);
  if (library->ltHandle)
    (void)library->ltDestroy(library->ltHandle);
}

Expected<std::unique_ptr<Cublas>> Cublas::open(const std::string &folder, cuda::Stream &stream, void *workspace,
                                               size_t workspaceBytes) {
  void *lt = openLibrary(folder, "libcublasLt"), *blas = lt ? openLibrary(folder, "libcublas") : nullptr;
  if (!blas)
    return unsupported("libcublas.so.13 or .12 and libcublasLt cannot be opened" + (folder.empty() ? "" : " in " + folder) +
                       "; products are not compared (--cublas=FOLDER says where they are)");
  auto library = std::make_unique<Library>();
#define K3_CUBLAS_RESOLVE(member, from, symbol, parameters)                                                            \
  library->member = reinterpret_cast<int(*) parameters>(dlsym(from, symbol));                                          \
  if (!library->member)                                                                                                \
    return unsupported("libcublas has no " symbol "; products are not compared");
  K3_CUBLAS_ENTRY_POINTS(K3_CUBLAS_RESOLVE)
#undef K3_CUBLAS_RESOLVE
  std::unique_ptr<Cublas> result(new Cublas(std::move(library)));
  Library &api = *result->library;
  api.stream = stream.handle();
  api.workspace = workspace;
  api.workspaceBytes = workspaceBytes;
  K3_TRY(check(api.create(&api.handle), "cublasCreate"));
  K3_TRY(check(api.ltCreate(&api.ltHandle), "cublasLtCreate"));
  K3_TRY(check(api.setStream(api.handle, api.stream), "cublasSetStream"));
  K3_TRY(check(api.setWorkspace(api.handle, workspace, workspaceBytes), "cublasSetWorkspace"));
  return result;
}

// cuBLAS is column-major: it sees w as [k, n], x as [k, t] and y as [n, t], and computes y = w^T x.
Status Cublas::run(const Product &p) {
  const float one = 1, zero = 0;
  auto n = static_cast<int>(p.n), t = static_cast<int>(p.t), k = static_cast<int>(p.k);
  constexpr int defaultAlgorithm = -1;
  return check(library->gemm(library->handle, opT, opN, n, t, k, &one, p.w, typeBf16, k, p.x, typeBf16, k, &zero, p.y, typeBf16,
                             n, compute32F, defaultAlgorithm),
               "cublasGemmEx");
}

struct Cublas::Plan {
  Library &api;
  Description *description = nullptr;
  Layout *w = nullptr, *x = nullptr, *y = nullptr;
  std::vector<Algorithm> algorithms;

  explicit Plan(Library &api) : api(api) {}
  ~Plan() {
    for (Layout *layout : {w, x, y})
      if (layout)
        (void)api.layoutDestroy(layout);
    if (description)
      (void)api.descDestroy(description);
  }
};

const std::vector<Cublas::Algorithm> &Cublas::algorithms(const Plan &plan) { return plan.algorithms; }

Expected<std::shared_ptr<Cublas::Plan>> Cublas::plan(int64_t t, int64_t n, int64_t k, unsigned wanted) {
  Library &api = *library;
  auto plan = std::make_shared<Plan>(api);
  auto rows = static_cast<uint64_t>(t), outer = static_cast<uint64_t>(n), inner = static_cast<uint64_t>(k);
  K3_TRY(check(api.descCreate(&plan->description, compute32F, typeF32), "cublasLtMatmulDescCreate"));
  K3_TRY(check(api.descSet(plan->description, descTransA, &opT, sizeof(opT)), "cublasLtMatmulDescSetAttribute"));
  K3_TRY(check(api.layoutCreate(&plan->w, typeBf16, inner, outer, k), "cublasLtMatrixLayoutCreate"));
  K3_TRY(check(api.layoutCreate(&plan->x, typeBf16, inner, rows, k), "cublasLtMatrixLayoutCreate"));
  K3_TRY(check(api.layoutCreate(&plan->y, typeBf16, outer, rows, n), "cublasLtMatrixLayoutCreate"));
  Preference *preference = nullptr;
  K3_TRY(check(api.prefCreate(&preference), "cublasLtMatmulPreferenceCreate"));
  std::vector<Proposal> proposals(wanted);
  int found = 0;
  Status status = check(api.prefSet(preference, prefWorkspaceBytes, &api.workspaceBytes, sizeof(size_t)),
                        "cublasLtMatmulPreferenceSetAttribute");
  if (status.ok())
    status = check(api.propose(api.ltHandle, plan->description, plan->w, plan->x, plan->y, plan->y, preference,
                               static_cast<int>(wanted), proposals.data(), &found),
                   "cublasLtMatmulAlgoGetHeuristic");
  (void)api.prefDestroy(preference);
  K3_TRY(status);
  for (int i = 0; i < found; ++i)
    if (proposals[static_cast<size_t>(i)].state == 0)
      plan->algorithms.push_back(proposals[static_cast<size_t>(i)].algorithm);
  return plan;
}

Status Cublas::run(const Plan &plan, const Algorithm &algorithm, const Product &p) {
  const float one = 1, zero = 0;
  Library &api = *library;
  return check(api.matmul(api.ltHandle, plan.description, &one, p.w, plan.w, p.x, plan.x, &zero, p.y, plan.y, p.y, plan.y,
                          &algorithm, api.workspace, api.workspaceBytes, api.stream),
               "cublasLtMatmul");
}
