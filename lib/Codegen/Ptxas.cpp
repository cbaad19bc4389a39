//===- Ptxas.cpp - PTX to cubin by the ptxas program ---------------------===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Codegen/Ptxas.h"

#include "lib/Support/MappedFile.h"
#include "lib/Support/Text.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <map>
#include <mutex>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

namespace k3::codegen {

namespace {

/// A folder of our own that goes away with everything we put in it.
class TempFolder {
public:
  TempFolder() {
    const char *base = std::getenv("TMPDIR");
    folder = std::string(base && *base ? base : "/tmp") + "/k3-ptxas-XXXXXX";
    if (!::mkdtemp(folder.data()))
      problem = folder + ": cannot make a temporary folder: " + std::strerror(errno) +
                "; set TMPDIR to a writable folder";
  }
  ~TempFolder() {
    for (const char *name : {"k3.ptx", "k3.cubin", "log"})
      ::unlink(file(name).c_str());
    if (problem.empty())
      ::rmdir(folder.c_str());
  }
  TempFolder(const TempFolder &) = delete;
  TempFolder &operator=(const TempFolder &) = delete;

  std::string file(const char *name) const { return folder + "/" + name; }
  std::string problem;

private:
  std::string folder;
};

} // namespace

static Status writeWhole(const std::string &path, std::string_view text) {
  int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  bool good = fd >= 0;
  while (good && !text.empty()) {
    ssize_t done = ::write(fd, text.data(), text.size());
    if (done > 0)
      text.remove_prefix(static_cast<size_t>(done));
    good = done > 0 || errno == EINTR;
  }
  int error = errno;
  if (fd >= 0)
    ::close(fd);
  return good ? Status::success() : ioError(path + ": cannot write: " + std::strerror(error));
}

/// Runs a program with stdout and stderr in `logPath`; gives its exit code (128 + n after signal n).
static Expected<int> runProgram(const std::vector<std::string> &words, const std::string &logPath) {
  std::vector<char *> argv;
  for (const std::string &word : words)
    argv.push_back(const_cast<char *>(word.c_str()));
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_addopen(&actions, 1, logPath.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  ::posix_spawn_file_actions_adddup2(&actions, 1, 2);
  pid_t child = 0;
  int error = ::posix_spawn(&child, argv[0], &actions, nullptr, argv.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  if (error != 0)
    return ioError(words[0] + ": cannot start: " + std::strerror(error));
  int state = 0;
  while (::waitpid(child, &state, 0) < 0)
    if (errno != EINTR)
      return ioError(words[0] + ": lost its process: " + std::strerror(errno));
  return WIFEXITED(state) ? WEXITSTATUS(state) : 128 + WTERMSIG(state);
}

static std::string readText(const std::string &path) {
  auto file = MappedFile::open(path);
  return file ? std::string(file->text()) : std::string();
}

/// "... release 13.0, V13.0.88" -> "ptxas V13.0.88".
static Expected<std::string> askVersion(const std::string &path) {
  TempFolder temp;
  if (!temp.problem.empty())
    return ioError(temp.problem);
  K3_ASSIGN(int code, runProgram({path, "--version"}, temp.file("log")));
  std::string said = readText(temp.file("log"));
  size_t at = said.rfind(", V");
  if (code != 0 || at == std::string::npos || said.find("ptx") == std::string::npos)
    return badUsage(path + ": is not a ptxas that runs here (--version gave code " + std::to_string(code) +
                    ")");
  return "ptxas " + said.substr(at + 2, said.find_first_of(" \n", at + 2) - at - 2);
}

Expected<Ptxas> findPtxas(const std::string &path, const std::string &toolkit) {
  std::vector<std::string> candidates;
  std::vector<std::string> folders = toolkitFolders(toolkit);
  if (!path.empty()) {
    candidates = {path};
  } else {
    const char *variable = std::getenv("PATH");
    if (toolkit.empty() && variable)
      for (std::string_view folder : split(variable, ':'))
        candidates.push_back(std::string(folder.empty() ? "." : folder) + "/ptxas");
    for (const std::string &folder : folders)
      candidates.push_back(folder + "/bin/ptxas");
  }
  static std::mutex one;
  static std::map<std::string, std::string> known; // path -> identity
  std::lock_guard<std::mutex> lock(one);
  for (const std::string &candidate : candidates) {
    if (::access(candidate.c_str(), X_OK) != 0)
      continue;
    std::string &identity = known[candidate];
    if (identity.empty()) {
      K3_ASSIGN(identity, askVersion(candidate));
    }
    return Ptxas{candidate, identity};
  }
  if (!path.empty())
    return badUsage(path + ": no such program (--ptxas)");
  return unsupported("no ptxas " + std::string(toolkit.empty() ? "on PATH or " : "") + "in bin of " +
                     join(folders, ", ") + "; install the CUDA toolkit, set CUDA_HOME or give --ptxas=PATH");
}

Expected<Assembled> runPtxas(const Ptxas &ptxas, std::string_view ptx,
                             const std::vector<std::string> &options) {
  TempFolder temp;
  if (!temp.problem.empty())
    return ioError(temp.problem);
  K3_TRY(writeWhole(temp.file("k3.ptx"), ptx));
  std::vector<std::string> words = {ptxas.path};
  words.insert(words.end(), options.begin(), options.end());
  words.insert(words.end(), {temp.file("k3.ptx"), "-o", temp.file("k3.cubin")});
  K3_ASSIGN(int code, runProgram(words, temp.file("log")));
  Assembled result;
  result.log = readText(temp.file("log"));
  if (code != 0) {
    if (trim(result.log).empty())
      result.log = "ptxas ended with code " + std::to_string(code);
    return result;
  }
  K3_ASSIGN(MappedFile image, MappedFile::open(temp.file("k3.cubin")));
  result.image.assign(image.text().begin(), image.text().end());
  return result;
}

} // namespace k3::codegen
