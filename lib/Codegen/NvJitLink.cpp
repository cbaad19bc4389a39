//===- NvJitLink.cpp - PTX to cubin by libnvJitLink ----------------------===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Codegen/NvJitLink.h"

#include "lib/Support/Text.h"

#include <algorithm>
#include <cstdlib>
#include <dlfcn.h>
#include <map>
#include <memory>
#include <mutex>
#include <sys/stat.h>

namespace k3::codegen {

std::vector<std::string> toolkitFolders(const std::string &toolkit) {
  if (!toolkit.empty())
    return {toolkit};
  std::vector<std::string> folders;
  auto add = [&](const char *folder) {
    if (folder && *folder && std::find(folders.begin(), folders.end(), folder) == folders.end())
      folders.push_back(folder);
  };
  for (const char *variable : {"CUDA_HOME", "CUDA_PATH", "CUDA_ROOT"})
    add(std::getenv(variable));
  add("/usr/local/cuda");
  return folders;
}

/// The functions of an open library; nullptr and `missing` where one is not there.
static bool bind(void *library, NvJitLinkApi &api, std::string &missing) {
  auto get = [&](auto &function, const char *name) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(::dlsym(library, name));
    if (!function && missing.empty())
      missing = name;
  };
  get(api.create, "nvJitLinkCreate");
  get(api.destroy, "nvJitLinkDestroy");
  get(api.addData, "nvJitLinkAddData");
  get(api.complete, "nvJitLinkComplete");
  get(api.getLinkedCubinSize, "nvJitLinkGetLinkedCubinSize");
  get(api.getLinkedCubin, "nvJitLinkGetLinkedCubin");
  get(api.getErrorLogSize, "nvJitLinkGetErrorLogSize");
  get(api.getErrorLog, "nvJitLinkGetErrorLog");
  get(api.getInfoLogSize, "nvJitLinkGetInfoLogSize");
  get(api.getInfoLog, "nvJitLinkGetInfoLog");
  get(api.version, "nvJitLinkVersion");
  return missing.empty();
}

static Expected<NvJitLink> open(const std::string &toolkit) {
  const char *names[] = {"libnvJitLink.so.13", "libnvJitLink.so.12", "libnvJitLink.so"};
  std::vector<std::string> folders = toolkitFolders(toolkit);
  std::vector<std::string> candidates, problems;
  if (toolkit.empty())
    candidates.assign(std::begin(names), std::end(names));
  for (const std::string &folder : folders)
    for (const char *sub : {"/lib64/", "/lib/", "/targets/x86_64-linux/lib/"})
      for (const char *name : names)
        candidates.push_back(folder + sub + name);
  for (const std::string &candidate : candidates) {
    void *library = ::dlopen(candidate.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!library) {
      // A file that is there and does not load is worth telling.
      struct stat info;
      if (candidate[0] == '/' && ::stat(candidate.c_str(), &info) == 0)
        problems.push_back(std::string(::dlerror()));
      continue;
    }
    NvJitLink found;
    std::string missing;
    if (!bind(library, found.api, missing)) {
      problems.push_back(candidate + " has no " + missing + " (12.3 or later is needed)");
      ::dlclose(library);
      continue;
    }
    Dl_info info{};
    struct stat file {};
    if (::dladdr(reinterpret_cast<void *>(found.api.create), &info) && info.dli_fname)
      found.path = info.dli_fname;
    ::stat(found.path.c_str(), &file);
    unsigned major = 0, minor = 0;
    found.api.version(&major, &minor);
    found.identity = "nvJitLink " + std::to_string(major) + "." + std::to_string(minor) + ", " +
                     std::to_string(file.st_size) + " bytes";
    return found;
  }
  std::string text = "no libnvJitLink (.so.13, .so.12, .so) " +
                     std::string(toolkit.empty() ? "on the loader's path (LD_LIBRARY_PATH) or " : "") +
                     "in lib64 of " + join(folders, ", ");
  if (!problems.empty())
    text += " (" + join(problems, "; ") + ")";
  return unsupported(text + "; install the CUDA toolkit 12.3 or later or set CUDA_HOME");
}

Expected<const NvJitLink *> loadNvJitLink(const std::string &toolkit) {
  static std::mutex one;
  static std::map<std::string, std::unique_ptr<NvJitLink>> loaded;
  std::lock_guard<std::mutex> lock(one);
  std::unique_ptr<NvJitLink> &slot = loaded[toolkit];
  if (!slot) {
    K3_ASSIGN(NvJitLink library, open(toolkit));
    slot = std::make_unique<NvJitLink>(std::move(library));
  }
  return slot.get();
}

/// The text of one of the two logs, without the terminating zero.
static std::string readLog(void *handle, int (*size)(void *, size_t *), int (*get)(void *, char *)) {
  size_t bytes = 0;
  if (size(handle, &bytes) != 0 || bytes == 0)
    return {};
  std::string log(bytes + 1, '\0');
  if (get(handle, log.data()) != 0)
    return {};
  log.resize(log.find('\0'));
  return log;
}

Expected<Assembled> runNvJitLink(const NvJitLink &library, std::string_view ptx,
                                 const std::vector<std::string> &options) {
  const NvJitLinkApi &api = library.api;
  std::vector<const char *> raw;
  for (const std::string &option : options)
    raw.push_back(option.c_str());
  // After a failed create there is no handle to ask for a log.
  void *handle = nullptr;
  if (int code = api.create(&handle, static_cast<uint32_t>(raw.size()), raw.data()))
    return badUsage(library.identity + " refuses the options " + join(options, " ") + " (code " +
                    std::to_string(code) + "); the library may be older than the architecture");
  Assembled result;
  // PTX is text with a terminating zero of its own; a string_view need not have one.
  std::string text(ptx);
  int code = api.addData(handle, /*NVJITLINK_INPUT_PTX=*/2, text.c_str(), text.size(), "k3.ptx");
  if (code == 0)
    code = api.complete(handle);
  size_t bytes = 0;
  if (code == 0)
    code = api.getLinkedCubinSize(handle, &bytes);
  if (code == 0) {
    result.image.resize(bytes);
    code = api.getLinkedCubin(handle, result.image.data());
  }
  if (code != 0) {
    result.image.clear();
    result.log = readLog(handle, api.getErrorLogSize, api.getErrorLog);
  } else {
    result.log = readLog(handle, api.getInfoLogSize, api.getInfoLog);
  }
  api.destroy(&handle);
  return result;
}

} // namespace k3::codegen
