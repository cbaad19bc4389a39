/*===- k3/runtime.h - C API of the K3 runtime ------------------*- C -*-===*\
|*
|* Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
|* See LICENSE for license information.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|*===----------------------------------------------------------------------===
|*
|* Runs compiled packages (model.k3x). Four kinds of handles:
|*   package   a loaded model.k3x
|*   weights   the source of its weights: a checkpoint directory or random:SEED
|*   context   device memory, packed weights, state slots, cache pages, threads
|*   sequence  one token stream inside a context: a state slot, pages, a length
|*
|* Ownership. Every `*_create`, `*_load`, `*_open` and `*_fork` gives a handle that
|* the caller frees with the matching `*_free`; NULL may be freed. Packages and
|* weights are counted: they may be freed while a context still uses them. Freeing
|* a context frees its sequences; their handles are dead afterwards.
|*
|* Threads. Packages and weights are immutable and may be used from any thread.
|* A context and its sequences take one call at a time: a second call that comes
|* while one runs is refused with K3_BAD_USAGE. Different contexts are independent.
|* The runtime sets OpenBLAS to one thread for the whole process.
|*
|* Structs that callers fill begin with `size` = sizeof(the struct); fields that an
|* older caller does not know are taken as zero, which is every field's default.
|* Structs that the runtime fills work the same way.
|*
\*===----------------------------------------------------------------------===*/

#ifndef K3_RUNTIME_H
#define K3_RUNTIME_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define K3_API __attribute__((visibility("default")))
#else
#define K3_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Status ------------------------------------------------------------- */

typedef enum {
  K3_OK = 0,
  K3_BAD_INPUT = 1,   /* a file or value from outside is wrong */
  K3_BAD_USAGE = 2,   /* the call itself is wrong */
  K3_UNSUPPORTED = 3, /* legal, but this package or build cannot do it */
  K3_NO_MEMORY = 4,
  K3_NO_SLOT = 5, /* out of state slots or cache pages: free a sequence and retry */
  K3_IO = 6,
  K3_COMM = 7,
  K3_INTERNAL = 8
} k3_code;

/* text: one line that says what is wrong, where, what was expected; NULL on
   success. Owned by the status; k3_status_free accepts a success. */
typedef struct {
  k3_code code;
  char *text;
} k3_status;

K3_API void k3_status_free(k3_status *status);

/* (major << 16) | minor. A caller compares the major part. */
#define K3_RUNTIME_ABI ((0u << 16) | 1u)
K3_API uint32_t k3_abi_version(void);

/* ---- Package ------------------------------------------------------------ */

typedef struct k3_package k3_package;

K3_API k3_status k3_package_load(const char *path, k3_package **out);
K3_API void k3_package_free(k3_package *package);

/* Strings and arrays live as long as the package. */
typedef struct {
  size_t size;
  const char *arch;          /* architecture name of the model's config */
  const char *tokenizer;     /* "bytes": a token id below 256 is a byte of UTF-8; else a name */
  const char *precision;     /* "f32", ... */
  uint32_t vocab, layers;
  uint32_t max_tokens;       /* of one step (T) */
  uint32_t max_sequences;    /* of one step (S) */
  uint32_t max_logit_rows;   /* of one step (R) */
  uint32_t max_checkpoints;  /* of one step (C) */
  uint64_t max_context;      /* tokens of one sequence */
  uint32_t page_rows;        /* tokens of one cache page */
  uint32_t block_table_width; /* columns of block_table (P) */
  uint64_t weight_bytes, weight_count; /* of the checkpoint tensors it reads */
  const int32_t *eos;
  size_t eos_count;
  int32_t bos, pad;          /* -1: none */
  uint32_t has_step;         /* zero: a package of graphs alone, for k3_graph_run */
} k3_package_info;

K3_API k3_status k3_package_get_info(const k3_package *package, k3_package_info *out);

/* ---- Weights ------------------------------------------------------------ */

typedef struct k3_weights k3_weights;

/* source: a directory with *.safetensors (mapped, never copied as a whole), or
   "random:SEED": every tensor drawn from its init rule, the seed, and its name.
   Names, shapes and dtypes of all tensors are checked here; MX scale bytes when
   they are packed (k3_context_create). */
K3_API k3_status k3_weights_open(const k3_package *package, const char *source, k3_weights **out);
K3_API void k3_weights_free(k3_weights *weights);

/* ---- Context ------------------------------------------------------------ */

typedef struct k3_context k3_context;

/* Bytes of checkpoint packed so far. Non-zero stops. Called on the caller's thread. */
typedef int (*k3_progress)(void *user, uint64_t done, uint64_t total);

typedef struct {
  size_t size;
  const char *device; /* "host", "cuda" or "cuda:N"; NULL: what the package was compiled for */
  uint32_t threads;   /* 0: one per CPU that the process may use */
  uint32_t slots;     /* state slots; 0: twice max_sequences plus max_checkpoints */
  uint64_t pages;     /* cache pages; 0: enough for max_sequences of max_context tokens */
  k3_progress progress;
  void *user;
  uint32_t record_taps; /* non-zero: keep every tap's tensor of a step, for k3_tap_read */
  uint32_t stats;       /* non-zero: time every entry, for k3_context_stat */
} k3_context_options;

/* Packs the weights (runs @pack). options may be NULL. */
K3_API k3_status k3_context_create(const k3_package *package, const k3_weights *weights,
                                   const k3_context_options *options, k3_context **out);
K3_API void k3_context_free(k3_context *context);

typedef struct {
  size_t size;
  uint32_t slots, free_slots;
  uint64_t pages, free_pages;
  uint32_t threads;
} k3_capacity;

K3_API k3_status k3_context_get_capacity(const k3_context *context, k3_capacity *out);

/* Time spent per class of program entries (a kernel symbol, "gemm", "copy", ...)
   since the context was created, packing excluded. Needs options.stats.
   K3_BAD_USAGE when i is past the last class. name lives as long as the context. */
typedef struct {
  size_t size;
  const char *name;
  uint64_t calls;
  double seconds;
  uint64_t bytes, flops; /* as estimated by the package; 0: unknown */
} k3_stat;

K3_API k3_status k3_context_stat(const k3_context *context, size_t i, k3_stat *out);

/* ---- Sequences ---------------------------------------------------------- */

typedef struct k3_sequence k3_sequence;

/* Takes a state slot; pages are taken as tokens come. K3_NO_SLOT: none is free. */
K3_API k3_status k3_sequence_create(k3_context *context, k3_sequence **out);
/* A second sequence with the same past: shares full pages, copies the state slot
   and the last partial page (runs @copy_state). */
K3_API k3_status k3_sequence_fork(k3_sequence *sequence, k3_sequence **out);
K3_API void k3_sequence_free(k3_sequence *sequence);
/* Tokens committed so far. */
K3_API uint64_t k3_sequence_length(const k3_sequence *sequence);

/* ---- Managed step ------------------------------------------------------- */

typedef enum {
  K3_LOGITS_LAST = 0, /* row i: after the last token of sequence i; an empty one has no row values */
  K3_LOGITS_ALL = 1,  /* row t: after token t, sequences in order. Needs max_logit_rows of tokens */
  K3_LOGITS_NONE = 2
} k3_logit_mode;

/* New tokens for `count` different sequences of one context; lengths[i] may be 0.
   draft_lens (NULL: zeros): how many last tokens are speculative; non-zero is refused.
   A checkpoint c is the state after token ckpt_token[c] (an index into the new tokens)
   of batch member ckpt_sequence[c]; ckpt_out[c] receives it as a new sequence. */
typedef struct {
  size_t size;
  size_t count;
  k3_sequence *const *sequences;
  const int32_t *const *tokens;
  const uint32_t *lengths;
  const uint32_t *draft_lens;
  int32_t logits; /* k3_logit_mode */
  size_t ckpts;
  const uint32_t *ckpt_sequence, *ckpt_token;
  k3_sequence **ckpt_out;
} k3_batch;

/* Returns when the step is done. Everything is checked first: on K3_BAD_INPUT (a token id
   outside the vocabulary, a sequence past max_context, more tokens, sequences, rows or
   checkpoints than the package was compiled for), K3_BAD_USAGE, K3_UNSUPPORTED and
   K3_NO_SLOT (no free page or slot) no length, page, slot or state has changed. */
K3_API k3_status k3_step(k3_context *context, const k3_batch *batch);

/* Row of the last step's logits, f32 [vocab], borrowed until the next step. */
K3_API k3_status k3_logits(k3_context *context, size_t row, const float **data, size_t *vocab);
/* Number of logit rows of the last step. */
K3_API size_t k3_logit_rows(const k3_context *context);

typedef struct {
  size_t size;
  float temperature, top_p; /* zeros: greedy, ties to the smaller id */
  uint64_t seed;
} k3_sample_options;

/* One id per logit row of the last step (runs @sample); ids holds `rows` of them. The id
   of a row without values (see K3_LOGITS_LAST) is -1. options may be NULL: greedy. */
K3_API k3_status k3_sample(k3_context *context, const k3_sample_options *options, int32_t *ids, size_t rows);

/* ---- Taps (packages compiled with --taps) ------------------------------- */

/* Element types of arrays; the numbers are those of the package schema. */
typedef enum { K3_F32 = 1, K3_BF16 = 2, K3_F16 = 3, K3_I32 = 4, K3_I64 = 5, K3_U8 = 6 } k3_dtype;

typedef struct {
  size_t size;
  const char *name;
  int32_t dtype;
  int32_t is_state; /* read per sequence, after the step; cannot be given */
  int32_t writable;
  int32_t by_logit_row; /* dimension 0 counts logit rows, not tokens */
} k3_tap_info;

/* K3_BAD_USAGE when i is past the last tap. Strings live as long as the package. */
K3_API k3_status k3_package_tap(const k3_package *package, size_t i, k3_tap_info *out);

/* Row-major array in the caller's memory. */
typedef struct {
  size_t size;
  int32_t dtype, rank;
  int64_t dims[8];
  void *data; /* k3_tap_read: NULL asks only for dtype, rank, dims and bytes */
  size_t bytes;
} k3_array;

/* Tensor of the last step (needs options.record_taps), or, for a state tap, the present
   state of `sequence` (NULL otherwise): recurrent [H, V, K]; conv window [channels, rows],
   oldest row first; paged cache [length, width]. Fills dtype, rank, dims, bytes, and data
   when it is not NULL; data must have room for all bytes. */
K3_API k3_status k3_tap_read(k3_context *context, const k3_sequence *sequence, const char *name,
                             k3_array *io);
/* The next step uses this tensor in place of the computed one. Copied; checked against the
   step's rows by k3_step. i64 is converted where the tap is i32. A step that fails drops
   what was given, too. */
K3_API k3_status k3_tap_give(k3_context *context, const char *name, const k3_array *value);

/* ---- Graphs ------------------------------------------------------------- */

/* A package compiled from a hand-written function that is no @step. Its arrays: inputs, results,
   and the states of the package (is_state; graph is NULL), which are both. Strings live as long
   as the package. K3_BAD_USAGE when i is past the last one. */
typedef struct {
  size_t size;
  const char *graph, *name;
  int32_t dtype, is_output, is_state;
  int32_t rank;        /* of an input or a result */
  uint64_t row_length; /* elements behind one index of dimension 0; 0 where they vary */
} k3_graph_array;

K3_API k3_status k3_package_graph_array(const k3_package *package, size_t i, k3_graph_array *out);

/* An input of the next run, or the first slots (pages) of a state. Copied. i64 is converted where
   the input is i32. */
K3_API k3_status k3_graph_give(k3_context *context, const char *name, const k3_array *value);
/* Runs the graph of that name (NULL: the only one) on the given arrays, which are dropped; the
   launch-time sizes follow from their shapes. */
K3_API k3_status k3_graph_run(k3_context *context, const char *graph);
/* A result, or a state, of the last run; io as in k3_tap_read. */
K3_API k3_status k3_graph_read(k3_context *context, const char *name, k3_array *io);

/* ---- Low level: the step ABI as it is ----------------------------------- */

/* Arrays of the step ABI in host memory; slots and pages are the caller's to choose, below
   those of k3_context_get_capacity; mixing with sequences is the caller's affair too.
     tokens[T], cu_seqlens[S+1], context_lens[S], read_slots[S], write_slots[S],
     block_table[S, P], logit_rows[R], draft_lens[S], accepted[S], ckpt_slots[C], ckpt_rows[C].
   draft_lens and accepted may be NULL (zeros); non-zero ones are refused by name.
   Only sizes are checked. variant: 0 choose, 1 decode, 2 ragged. logits: f32 [R, vocab] or NULL. */
typedef struct {
  size_t size;
  uint32_t T, S, R, C;
  int32_t variant;
  const int32_t *tokens, *cu_seqlens, *context_lens, *read_slots, *write_slots, *block_table, *logit_rows,
      *draft_lens, *accepted, *ckpt_slots, *ckpt_rows;
  float *logits;
} k3_step_args;

K3_API k3_status k3_step_raw(k3_context *context, const k3_step_args *args);
/* Copies slots src_slots[i] -> dst_slots[i], i < n, and pages alike, i < m, of every state. */
K3_API k3_status k3_copy_state_raw(k3_context *context, uint32_t n, const int32_t *src_slots,
                                   const int32_t *dst_slots, uint32_t m, const int32_t *src_pages,
                                   const int32_t *dst_pages);

#ifdef __cplusplus
}
#endif

#endif /* K3_RUNTIME_H */
