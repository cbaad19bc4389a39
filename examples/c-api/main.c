/*===- main.c - A C program that continues a text --------------*- C -*-===*\
|*
|* Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
|* See LICENSE for license information.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|*===----------------------------------------------------------------------===
|*
|* The C API in one screen: load, prefill, generate; then fork the sequence and
|* feed both branches in one batch. For packages whose tokens are bytes.
|*
|*   cc -std=c11 -I runtime/include examples/c-api/main.c -L build/release/lib -lk3runtime -o c-api
|*   ./c-api model.k3x checkpoint-directory "Some text"
|*
\*===----------------------------------------------------------------------===*/

#include <k3/runtime.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void check(k3_status status) {
  if (status.code == K3_OK)
    return;
  fprintf(stderr, "c-api: error: %s\n", status.text);
  int code = status.code == K3_BAD_USAGE ? 2 : 1;
  k3_status_free(&status);
  exit(code);
}

/* Feeds `count` tokens to each sequence and returns the most likely next ones. */
static void step(k3_context *context, size_t sequences, k3_sequence **handles, const int32_t **tokens,
                 const uint32_t *counts, int32_t *next) {
  k3_batch batch = {.size = sizeof batch, .count = sequences, .sequences = handles, .tokens = tokens, .lengths = counts};
  check(k3_step(context, &batch));
  check(k3_sample(context, NULL, next, sequences));
}

int main(int argc, char **argv) {
  if (argc != 4 || !argv[3][0]) {
    fprintf(stderr, "usage: %s model.k3x checkpoint-directory|random:SEED text\n", argv[0]);
    return 2;
  }
  k3_package *package;
  k3_weights *weights;
  k3_context *context;
  check(k3_package_load(argv[1], &package));
  check(k3_weights_open(package, argv[2], &weights));
  check(k3_context_create(package, weights, NULL, &context));
  k3_package_info info = {.size = sizeof info};
  check(k3_package_get_info(package, &info));
  printf("%s, %u layers, vocabulary %u, %s\n", info.arch, info.layers, info.vocab, info.precision);

  /* The text goes in, as many tokens a step as the package takes. */
  k3_sequence *sequence;
  check(k3_sequence_create(context, &sequence));
  int32_t next = 0;
  for (const char *at = argv[3], *end = at + strlen(at); at < end;) {
    uint32_t count = (size_t)(end - at) < info.max_tokens ? (uint32_t)(end - at) : info.max_tokens;
    int32_t *tokens = malloc(count * sizeof *tokens);
    for (uint32_t i = 0; i < count; ++i)
      tokens[i] = (unsigned char)at[i];
    step(context, 1, &sequence, (const int32_t *[]){tokens}, &count, &next);
    free(tokens);
    at += count;
  }

  /* 40 bytes come out. */
  printf("%s", argv[3]);
  const uint32_t one = 1;
  for (int i = 0; i < 40; ++i) {
    putchar(next);
    step(context, 1, &sequence, (const int32_t *[]){&next}, &one, &next);
  }

  /* A fork shares the past; both branches run in one batch. */
  if (info.max_sequences >= 2) {
    k3_sequence *fork;
    check(k3_sequence_fork(sequence, &fork));
    int32_t words[2] = {'a', 't'}, after[2];
    step(context, 2, (k3_sequence *[]){sequence, fork}, (const int32_t *[]){&words[0], &words[1]},
         (const uint32_t[]){1, 1}, after);
    printf("\nafter '%c' comes %d, after '%c' comes %d", words[0], after[0], words[1], after[1]);
  }
  printf("\n");
  k3_context_free(context); /* and its sequences */
  k3_weights_free(weights);
  k3_package_free(package);
  return 0;
}
