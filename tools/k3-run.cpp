//===- k3-run.cpp - Runs a compiled package -------------------------------===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Results go to stdout, progress and statistics to stderr. Exit code 1: bad input, 2: bad usage.
//
//===----------------------------------------------------------------------===//

#include "lib/Support/AtomicFile.h"
#include "lib/Support/Text.h"
#include "tools/run/Generate.h"
#include "tools/run/GraphRun.h"
#include "tools/run/Tokenizer.h"

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdio>
#include <iostream>

using namespace k3;
using namespace k3::run;

namespace {

struct Flags {
  SessionOptions session;
  std::string prompt, tokens, tokensFile;
  bool hasPrompt = false, hasTokens = false, hasTokensFile = false;
  std::optional<uint32_t> generate;
  std::string logits, dump, given, givenSet = "fp32", givenNames = ".*";
  uint32_t chunk = 0;

  /// 128 new tokens for a prompt when nothing else was asked for.
  uint32_t newTokens() const {
    return generate.value_or(hasPrompt && logits.empty() && dump.empty() ? 128 : 0);
  }
};

void addFlags(CLI::App &app, Flags &flags) {
  app.set_version_flag("--version", std::string("k3-run ") + K3_VERSION);
  app.add_option("package", flags.session.package, "Compiled package (model.k3x)")->required();
  app.add_option("--weights", flags.session.weights, "Checkpoint directory, or random:SEED")->required();
  app.add_option("--prompt", flags.prompt, "Text to continue; - reads it from stdin");
  app.add_option("--tokens", flags.tokens, "Token ids to run: 1,2,3");
  app.add_option("--tokens-file", flags.tokensFile,
                 "File with token ids, one sequence a line; several lines are a batch, an empty one an empty "
                 "sequence; - "
                 "is stdin");
  app.add_option(
      "--generate", flags.generate,
      "New tokens of each sequence, greedy (default 128 with --prompt unless --logits or --dump-tensors is "
      "given, else 0)");
  app.add_option(
      "--logits", flags.logits,
      "Write logits as .npy, f32 [rows, vocab]: of all positions for a package compiled with --all-logits, "
      "else of the last ones; - is stdout");
  app.add_option("--dump-tensors", flags.dump,
                 "Write the tensors of all taps, and logits, as .safetensors; - is stdout");
  app.add_option("--given", flags.given,
                 "Take tensors <set>.<tap> of this .safetensors in place of computed ones");
  app.add_option("--given-set", flags.givenSet, "Set of --given")->capture_default_str();
  app.add_option("--given-names", flags.givenNames, "Only taps that this regular expression finds")
      ->capture_default_str();
  app.add_option(
      "--prefill-chunk", flags.chunk,
      "Prompt tokens of a sequence in one step (default: those the package takes, shared by all sequences)");
  app.add_option("--device", flags.session.device,
                 "host, cuda or cuda:N (default: what the package was compiled for)");
  app.add_option("--threads", flags.session.threads, "CPU threads (default: one per CPU)");
  app.add_flag("--stats", flags.session.stats, "Time, bytes and FLOP of every class of kernels");
  app.footer(
      "Results go to stdout, progress and statistics to stderr. Exit code 1: bad input, 2: bad usage.");
}

Status checkFlags(CLI::App &app, Flags &flags) {
  flags.hasPrompt = app.count("--prompt") > 0;
  flags.hasTokens = app.count("--tokens") > 0;
  flags.hasTokensFile = app.count("--tokens-file") > 0;
  if (flags.hasPrompt + flags.hasTokens + flags.hasTokensFile > 1)
    return badUsage("give one of --prompt, --tokens and --tokens-file");
  for (auto [flag, path] : {std::pair("--logits", &flags.logits), {"--dump-tensors", &flags.dump}, {"--given", &flags.given}})
    if (app.count(flag) && path->empty())
      return badUsage(std::string(flag) + " is empty; expected a file");
  if (!flags.logits.empty() && flags.logits == flags.dump && flags.logits != "-")
    return badUsage("--logits and --dump-tensors name the same file " + flags.logits);
  int onStdout = (flags.logits == "-") + (flags.dump == "-") + (flags.newTokens() > 0);
  if ((flags.logits == "-" || flags.dump == "-") && onStdout > 1)
    return badUsage("only one of --logits=-, --dump-tensors=- and generated tokens can go to stdout");
  if (app.count("--prefill-chunk") && flags.chunk == 0)
    return badUsage("--prefill-chunk must be at least 1");
  if (flags.given.empty() && (app.count("--given-set") || app.count("--given-names")))
    return badUsage("--given-set and --given-names need --given");
  return Status::success();
}

Expected<std::vector<TokenList>> readPrompts(const Flags &flags, const Tokenizer *tokenizer) {
  if (flags.hasTokensFile)
    return readTokensFile(flags.tokensFile);
  if (flags.hasTokens) {
    K3_ASSIGN(TokenList tokens, parseTokens(flags.tokens, "--tokens"));
    return std::vector<TokenList>{tokens};
  }
  TokenList tokens = tokenizer->encode(flags.prompt == "-" ? readStandardInput() : flags.prompt);
  if (tokens.empty())
    return badUsage("--prompt is empty");
  return std::vector<TokenList>{tokens};
}

/// Before any work: whether the outputs can be written.
Status probeOutputs(const Flags &flags) {
  for (const std::string &path : {flags.logits, flags.dump})
    if (!path.empty() && path != "-") {
      auto file = AtomicFile::create(path);
      if (!file)
        return file.takeStatus();
    }
  return Status::success();
}

Status checkPrompts(const Flags &flags, const Session &session, const std::vector<TokenList> &prompts) {
  const k3_package_info &info = session.info();
  if (prompts.size() > info.max_sequences)
    return badInput(std::to_string(prompts.size()) + " sequences, the package was compiled for at most " +
                    std::to_string(info.max_sequences) + "; compile with a larger --max-seqs");
  for (size_t s = 0; s < prompts.size(); ++s) {
    // The last new token is not run through the model.
    uint64_t length = prompts[s].size() + (flags.newTokens() ? flags.newTokens() - 1 : 0);
    if (length > info.max_context)
      return badInput("sequence " + std::to_string(s) + ": " + std::to_string(prompts[s].size()) +
                      " tokens and " + std::to_string(flags.newTokens()) +
                      " new ones, the package was compiled for at most " + std::to_string(info.max_context) +
                      "; compile with a larger --max-context");
  }
  bool needsTaps = !flags.dump.empty() || !flags.given.empty();
  if (needsTaps && session.taps().empty())
    return unsupported(std::string(flags.dump.empty() ? "--given" : "--dump-tensors") +
                       ": the package has no taps; compile it with --taps=REGEX");
  return Status::success();
}

void printStatistics(double loadSeconds, double packSeconds, const Timing &timing) {
  auto line = [](const char *what, uint64_t tokens, double time) {
    std::fprintf(stderr, "%s: %llu tokens in %.3f s (%.1f tokens/s)\n", what,
                 static_cast<unsigned long long>(tokens), time,
                 time > 0 ? static_cast<double>(tokens) / time : 0);
  };
  std::fprintf(stderr, "load: %.3f s, pack: %.3f s\n", loadSeconds, packSeconds);
  line("prefill", timing.prefillTokens, timing.prefillSeconds);
  if (timing.decodeTokens)
    line("decode", timing.decodeTokens, timing.decodeSeconds);
}

std::string commaSeparated(const TokenList &tokens) {
  std::string text;
  for (size_t i = 0; i < tokens.size(); ++i)
    text += (i ? "," : "") + std::to_string(tokens[i]);
  return text;
}

class Clock {
public:
  double lap() {
    auto now = std::chrono::steady_clock::now();
    double seconds = std::chrono::duration<double>(now - last).count();
    last = now;
    return seconds;
  }

private:
  std::chrono::steady_clock::time_point last = std::chrono::steady_clock::now();
};

Status runGraphPackage(Flags &flags, Session &session) {
  if (flags.hasPrompt || flags.hasTokens || flags.hasTokensFile || flags.given.empty() || flags.dump.empty())
    return badUsage(flags.session.package +
                    " is a graph: it takes --given=F.safetensors and --dump-tensors=F, no tokens");
  K3_TRY(probeOutputs(flags));
  flags.session.sequences = 0;
  K3_TRY(session.loadWeights(flags.session));
  K3_TRY(runGraph(session, flags.given, flags.givenSet, flags.dump));
  if (flags.session.stats)
    std::fputs(session.statsTable().c_str(), stderr);
  return Status::success();
}

Status runPackage(Flags &flags) {
  Clock clock;
  Session session;
  K3_TRY(session.loadPackage(flags.session.package));
  if (!session.info().has_step)
    return runGraphPackage(flags, session);
  if (!flags.hasPrompt && !flags.hasTokens && !flags.hasTokensFile)
    return badUsage("give one of --prompt, --tokens and --tokens-file");
  std::unique_ptr<Tokenizer> tokenizer;
  if (flags.hasPrompt) {
    K3_ASSIGN(tokenizer, Tokenizer::create(session.info().tokenizer));
  }
  K3_ASSIGN(std::vector<TokenList> prompts, readPrompts(flags, tokenizer.get()));
  K3_TRY(checkPrompts(flags, session, prompts));
  K3_TRY(probeOutputs(flags));
  size_t promptTokens = 0;
  for (const TokenList &prompt : prompts)
    promptTokens += prompt.size();
  std::optional<GivenTensors> given;
  if (!flags.given.empty()) {
    K3_ASSIGN(given,
              GivenTensors::open(flags.given, flags.givenSet, flags.givenNames, session, promptTokens));
    std::fprintf(stderr, "given: %zu tensors of %s\n", given->size(), flags.given.c_str());
  }
  double loadSeconds = clock.lap();
  flags.session.sequences = static_cast<uint32_t>(prompts.size());
  flags.session.recordTaps = !flags.dump.empty();
  K3_TRY(session.loadWeights(flags.session));
  double packSeconds = clock.lap();

  Recorder recorder(prompts.size(), session.info().vocab, !flags.logits.empty(), !flags.dump.empty());
  Generator generator(session, prompts, recorder, given ? &*given : nullptr);
  bool stream = prompts.size() == 1;
  generator.onToken = [&](size_t, int32_t token) {
    if (!stream)
      return;
    if (tokenizer)
      std::cout << tokenizer->decode(token) << std::flush;
    else
      std::cout << (generator.tokens()[0].size() > 1 ? "," : "") << token << std::flush;
  };
  size_t chunk = flags.chunk
                     ? flags.chunk
                     : std::max<size_t>(1, session.info().max_tokens / std::max<size_t>(1, prompts.size()));
  K3_TRY(generator.prefill(chunk, flags.newTokens() > 0));
  K3_TRY(generator.decode(flags.newTokens()));
  if (flags.newTokens() && stream)
    std::cout << "\n" << std::flush;
  else if (flags.newTokens())
    for (const TokenList &tokens : generator.tokens())
      std::cout << commaSeparated(tokens) << "\n" << std::flush;

  if (!std::cout)
    return ioError("standard output cannot be written");

  if (!flags.logits.empty())
    K3_TRY(recorder.writeLogits(flags.logits));
  if (!flags.dump.empty())
    K3_TRY(recorder.writeTensors(session, flags.dump));
  printStatistics(loadSeconds, packSeconds, generator.timing());
  if (flags.session.stats)
    std::fputs(session.statsTable().c_str(), stderr);
  return Status::success();
}

int fail(const Status &status) {
  std::fprintf(stderr, "k3-run: error: %s\n", printable(status.text()).c_str());
  return status.code() == Code::BadUsage ? 2 : 1;
}

/// Arguments as CLI11 takes them, last one first. It would read `--name= next` as the value "next"; "--name", "" it
/// reads as an empty value.
std::vector<std::string> argumentsReversed(int argc, char **argv) {
  std::vector<std::string> arguments;
  for (int i = argc - 1; i > 0; --i) {
    std::string argument = argv[i];
    if (argument.starts_with("--") && argument.ends_with("=")) {
      argument.pop_back();
      arguments.push_back("");
    }
    arguments.push_back(argument);
  }
  return arguments;
}

} // namespace

int main(int argc, char **argv) {
  reserveStandardStreams();
  CLI::App app("Runs a compiled K3 package: prefill, then greedy generation.", "k3-run");
  Flags flags;
  addFlags(app, flags);
  try {
    app.parse(argumentsReversed(argc, argv));
  } catch (const CLI::ParseError &error) {
    if (error.get_exit_code() == 0)
      return app.exit(error); // --help, --version
    return fail(badUsage(std::string(error.what()) + "; see k3-run --help"));
  }
  Status status = checkFlags(app, flags);
  if (status.ok())
    status = runPackage(flags);
  return status.ok() ? 0 : fail(status);
}
