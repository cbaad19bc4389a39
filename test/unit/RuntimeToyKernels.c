/*===- RuntimeToyKernels.c - Grid functions of the toy package ---*- C -*-===*\
|*
|* Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
|* See LICENSE for license information.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|*===----------------------------------------------------------------------===
|*
|* What a compiler would emit for the toy model of RuntimeToy.h: 8 channels, 4 rows a page.
|*
\*===----------------------------------------------------------------------===*/

#include "lib/Package/GridAbi.h"

#include <string.h>

enum { D = 8, PageRows = 4 };

static float *f32(const k3_grid_args *a, int i) { return (float *)a->buffers[i].data; }
static const int32_t *i32(const k3_grid_args *a, int i) { return (const int32_t *)a->buffers[i].data; }

/* toy_cast(src[N, D] bf16, dst[N, D] f32) units N */
void toy_cast(const k3_grid_args *a, int64_t begin, int64_t end) {
  const uint16_t *src = (const uint16_t *)a->buffers[0].data;
  for (int64_t i = begin * D; i < end * D; ++i) {
    uint32_t bits = (uint32_t)src[i] << 16;
    memcpy(f32(a, 1) + i, &bits, 4);
  }
}

/* toy_embed(tokens[T], table[V, D], x[T, D]) units T; goes through scratch on purpose */
void toy_embed(const k3_grid_args *a, int64_t begin, int64_t end) {
  for (int64_t t = begin; t < end; ++t) {
    memcpy(a->scratch, f32(a, 1) + i32(a, 0)[t] * D, D * sizeof(float));
    memcpy(f32(a, 2) + t * a->buffers[2].row_stride, a->scratch, D * sizeof(float));
  }
}

/* toy_scan(x[T, D], cu, context, read, write, ckpt_slots[C], ckpt_rows[C], state[slots, D], window[slots, 3, D],
   y[T, D]) units S: y = running sum of x, kept in the state; the window keeps the last 3 rows of x. */
void toy_scan(const k3_grid_args *a, int64_t begin, int64_t end) {
  const int32_t *cu = i32(a, 1), *ckptSlots = i32(a, 5), *ckptRows = i32(a, 6);
  for (int64_t s = begin; s < end; ++s) {
    float sum[D] = {0}, window[3 * D] = {0};
    if (i32(a, 4)[s] < 0 || cu[s] == cu[s + 1])
      continue;
    if (i32(a, 2)[s] > 0) {
      memcpy(sum, f32(a, 7) + i32(a, 3)[s] * D, sizeof sum);
      memcpy(window, f32(a, 8) + i32(a, 3)[s] * 3 * D, sizeof window);
    }
    for (int32_t t = cu[s]; t < cu[s + 1]; ++t) {
      const float *x = f32(a, 0) + t * a->buffers[0].row_stride;
      memmove(window, window + D, 2 * D * sizeof(float));
      memcpy(window + 2 * D, x, D * sizeof(float));
      for (int d = 0; d < D; ++d)
        f32(a, 9)[t * D + d] = sum[d] += x[d];
      for (int64_t c = 0; c < a->buffers[6].rows; ++c)
        if (ckptRows[c] == t) {
          memcpy(f32(a, 7) + ckptSlots[c] * D, sum, sizeof sum);
          memcpy(f32(a, 8) + ckptSlots[c] * 3 * D, window, sizeof window);
        }
    }
    memcpy(f32(a, 7) + i32(a, 4)[s] * D, sum, sizeof sum);
    memcpy(f32(a, 8) + i32(a, 4)[s] * 3 * D, window, sizeof window);
  }
}

/* toy_append(x[T, D], cu, context, table[S, P], pages[pages, 4, D]) units S */
void toy_append(const k3_grid_args *a, int64_t begin, int64_t end) {
  const int32_t *cu = i32(a, 1);
  for (int64_t s = begin; s < end; ++s)
    for (int32_t t = cu[s]; t < cu[s + 1]; ++t) {
      int32_t position = i32(a, 2)[s] + t - cu[s];
      int32_t page = i32(a, 3)[s * a->buffers[3].row_stride + position / PageRows];
      memcpy(f32(a, 4) + (page * PageRows + position % PageRows) * D, f32(a, 0) + t * D, D * sizeof(float));
    }
}

/* toy_attend(y[T, D], cu, context, table[S, P], pages[pages, 4, D], z[T, D]) units S:
   z = y + 2 * sum of the cached rows up to the token's position. */
void toy_attend(const k3_grid_args *a, int64_t begin, int64_t end) {
  const int32_t *cu = i32(a, 1);
  for (int64_t s = begin; s < end; ++s)
    for (int32_t t = cu[s]; t < cu[s + 1]; ++t)
      for (int d = 0; d < D; ++d) {
        float sum = 0;
        for (int32_t p = 0; p <= i32(a, 2)[s] + t - cu[s]; ++p) {
          int32_t page = i32(a, 3)[s * a->buffers[3].row_stride + p / PageRows];
          sum += f32(a, 4)[(page * PageRows + p % PageRows) * D + d];
        }
        f32(a, 5)[t * D + d] = f32(a, 0)[t * D + d] + 2 * sum;
      }
}

/* toy_gather(z[T, D], rows[R], out[R, D]) units R */
void toy_gather(const k3_grid_args *a, int64_t begin, int64_t end) {
  for (int64_t r = begin; r < end; ++r)
    for (int d = 0; d < D; ++d)
      f32(a, 2)[r * D + d] = i32(a, 1)[r] < 0 ? 0 : f32(a, 0)[i32(a, 1)[r] * D + d];
}

/* toy_copy_rows(src[N], dst[N], array[n, row]) units N; the row length is the row stride */
void toy_copy_rows(const k3_grid_args *a, int64_t begin, int64_t end) {
  int64_t row = a->buffers[2].row_stride;
  for (int64_t i = begin; i < end; ++i)
    memcpy(f32(a, 2) + i32(a, 1)[i] * row, f32(a, 2) + i32(a, 0)[i] * row, (size_t)row * sizeof(float));
}

/* toy_argmax(logits[R, V], ids[R]) units R; V is the row stride */
void toy_argmax(const k3_grid_args *a, int64_t begin, int64_t end) {
  int64_t width = a->buffers[0].row_stride;
  for (int64_t r = begin; r < end; ++r) {
    int32_t best = 0;
    for (int32_t v = 1; v < width; ++v)
      if (f32(a, 0)[r * width + v] > f32(a, 0)[r * width + best])
        best = v;
    ((int32_t *)a->buffers[1].data)[r] = best;
  }
}
