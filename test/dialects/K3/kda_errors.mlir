// RUN: k3-opt %s -split-input-file -verify-diagnostics

!h = tensor<?x192xf32>
func.func @f(%x: !h, %b: !k3.batch) {
  // expected-error@+1 {{weights lack 'dt_bias'}}
  %0 = k3.kda %x in %b weights {q = @q, k = @k, v = @v, g = @g, f_a = @f_a, f_b = @f_b, b = @b, conv_q = @conv_q, conv_k = @conv_k, conv_v = @conv_v, a_log = @a_log, o_norm = @o_norm, o = @o} state {s = @s, conv = @conv} heads 2 x 128 bound -5.0 eps 1.0e-5 : !h -> !h
  return
}

// -----

!h = tensor<?x192xf32>
func.func @f(%x: !h, %b: !k3.batch) {
  // expected-error@+1 {{unknown weight role 'x'}}
  %0 = k3.kda %x in %b weights {q = @q, k = @k, v = @v, g = @g, f_a = @f_a, f_b = @f_b, b = @b, conv_q = @conv_q, conv_k = @conv_k, conv_v = @conv_v, a_log = @a_log, dt_bias = @dt_bias, o_norm = @o_norm, o = @o, x = @q} state {s = @s, conv = @conv} heads 2 x 128 bound -5.0 eps 1.0e-5 : !h -> !h
  return
}

// -----

!h = tensor<?x192xf32>
func.func @f(%x: !h, %b: !k3.batch) {
  // expected-error@+1 {{state lacks 'conv'}}
  %0 = k3.kda %x in %b weights {q = @q, k = @k, v = @v, g = @g, f_a = @f_a, f_b = @f_b, b = @b, conv_q = @conv_q, conv_k = @conv_k, conv_v = @conv_v, a_log = @a_log, dt_bias = @dt_bias, o_norm = @o_norm, o = @o} state {s = @s} heads 2 x 128 bound -5.0 eps 1.0e-5 : !h -> !h
  return
}

// -----

!h = tensor<?x192xf32>
func.func @f(%x: !h, %b: !k3.batch) {
  // expected-error@+1 {{unknown state role 'latent'}}
  %0 = k3.kda %x in %b weights {q = @q, k = @k, v = @v, g = @g, f_a = @f_a, f_b = @f_b, b = @b, conv_q = @conv_q, conv_k = @conv_k, conv_v = @conv_v, a_log = @a_log, dt_bias = @dt_bias, o_norm = @o_norm, o = @o} state {s = @s, conv = @conv, latent = @s} heads 2 x 128 bound -5.0 eps 1.0e-5 : !h -> !h
  return
}

// -----

!h = tensor<?x192xf32>
func.func @f(%x: !h, %b: !k3.batch) {
  // expected-error@+1 {{lower bound must be negative and finite, got 5}}
  %0 = k3.kda %x in %b weights {q = @q, k = @k, v = @v, g = @g, f_a = @f_a, f_b = @f_b, b = @b, conv_q = @conv_q, conv_k = @conv_k, conv_v = @conv_v, a_log = @a_log, dt_bias = @dt_bias, o_norm = @o_norm, o = @o} state {s = @s, conv = @conv} heads 2 x 128 bound 5.0 eps 1.0e-5 : !h -> !h
  return
}

// -----

!h = tensor<?x192xf32>
func.func @f(%x: !h, %b: !k3.batch) {
  // expected-error@+1 {{heads must be positive, got 0}}
  %0 = k3.kda %x in %b weights {q = @q, k = @k, v = @v, g = @g, f_a = @f_a, f_b = @f_b, b = @b, conv_q = @conv_q, conv_k = @conv_k, conv_v = @conv_v, a_log = @a_log, dt_bias = @dt_bias, o_norm = @o_norm, o = @o} state {s = @s, conv = @conv} heads 0 x 128 bound -5.0 eps 1.0e-5 : !h -> !h
  return
}

// -----

!h = tensor<?x192xf32>
func.func @f(%x: !h, %b: !k3.batch) {
  // expected-error@+1 {{y is [?, 64], expected [?, 192]}}
  %0 = k3.kda %x in %b weights {q = @q, k = @k, v = @v, g = @g, f_a = @f_a, f_b = @f_b, b = @b, conv_q = @conv_q, conv_k = @conv_k, conv_v = @conv_v, a_log = @a_log, dt_bias = @dt_bias, o_norm = @o_norm, o = @o} state {s = @s, conv = @conv} heads 2 x 128 bound -5.0 eps 1.0e-5 : !h -> tensor<?x64xf32>
  return
}

// -----

!h = tensor<?x192xf32>
k3.weight @q : tensor<128x192xbf16> from "q"
k3.weight @k : tensor<256x192xbf16> from "k"
k3.weight @v : tensor<256x192xbf16> from "v"
k3.weight @g : tensor<256x192xbf16> from "g"
k3.weight @f_a : tensor<128x192xbf16> from "f_a"
k3.weight @f_b : tensor<256x128xbf16> from "f_b"
k3.weight @b : tensor<2x192xbf16> from "b"
k3.weight @conv_q : tensor<256x1x4xf32> from "conv_q"
k3.weight @conv_k : tensor<256x1x4xf32> from "conv_k"
k3.weight @conv_v : tensor<256x1x4xf32> from "conv_v"
k3.weight @a_log : tensor<128xf32> from "a_log" used 2
k3.weight @dt_bias : tensor<256xf32> from "dt_bias"
k3.weight @o_norm : tensor<128xf32> from "o_norm"
k3.weight @o : tensor<192x256xbf16> from "o"
k3.state @s recurrent : tensor<2x128x128xf32>
k3.state @conv conv : tensor<3x768xf32>
func.func @f(%x: !h, %b: !k3.batch) {
  // expected-error@+1 {{q @q is [128, 192], expected [256, 192]}}
  %0 = k3.kda %x in %b weights {q = @q, k = @k, v = @v, g = @g, f_a = @f_a, f_b = @f_b, b = @b, conv_q = @conv_q, conv_k = @conv_k, conv_v = @conv_v, a_log = @a_log, dt_bias = @dt_bias, o_norm = @o_norm, o = @o} state {s = @s, conv = @conv} heads 2 x 128 bound -5.0 eps 1.0e-5 : !h -> !h
  return
}

// -----

!h = tensor<?x192xf32>
k3.weight @q : tensor<256x192xbf16> from "q"
k3.weight @k : tensor<256x192xbf16> from "k"
k3.weight @v : tensor<256x192xbf16> from "v"
k3.weight @g : tensor<256x192xbf16> from "g"
k3.weight @f_a : tensor<128x192xbf16> from "f_a"
k3.weight @f_b : tensor<256x128xbf16> from "f_b"
k3.weight @b : tensor<2x192xbf16> from "b"
k3.weight @conv_q : tensor<256x1x4xf32> from "conv_q"
k3.weight @conv_k : tensor<256x1x3xf32> from "conv_k"
k3.weight @conv_v : tensor<256x1x4xf32> from "conv_v"
k3.weight @a_log : tensor<128xf32> from "a_log" used 2
k3.weight @dt_bias : tensor<256xf32> from "dt_bias"
k3.weight @o_norm : tensor<128xf32> from "o_norm"
k3.weight @o : tensor<192x256xbf16> from "o"
k3.state @s recurrent : tensor<2x128x128xf32>
k3.state @conv conv : tensor<3x768xf32>
func.func @f(%x: !h, %b: !k3.batch) {
  // expected-error@+1 {{conv_k @conv_k is [256, 1, 3], expected [256, 1, 4]}}
  %0 = k3.kda %x in %b weights {q = @q, k = @k, v = @v, g = @g, f_a = @f_a, f_b = @f_b, b = @b, conv_q = @conv_q, conv_k = @conv_k, conv_v = @conv_v, a_log = @a_log, dt_bias = @dt_bias, o_norm = @o_norm, o = @o} state {s = @s, conv = @conv} heads 2 x 128 bound -5.0 eps 1.0e-5 : !h -> !h
  return
}

// -----

!h = tensor<?x192xf32>
k3.weight @q : tensor<256x192xbf16> from "q"
k3.weight @k : tensor<256x192xbf16> from "k"
k3.weight @v : tensor<256x192xbf16> from "v"
k3.weight @g : tensor<256x192xbf16> from "g"
k3.weight @f_a : tensor<128x192xbf16> from "f_a"
k3.weight @f_b : tensor<256x128xbf16> from "f_b"
k3.weight @b : tensor<2x192xbf16> from "b"
k3.weight @conv_q : tensor<256x1x4xf32> from "conv_q"
k3.weight @conv_k : tensor<256x1x4xf32> from "conv_k"
k3.weight @conv_v : tensor<256x1x4xf32> from "conv_v"
k3.weight @a_log : tensor<3xf32> from "a_log"
k3.weight @dt_bias : tensor<256xf32> from "dt_bias"
k3.weight @o_norm : tensor<128xf32> from "o_norm"
k3.weight @o : tensor<192x256xbf16> from "o"
k3.state @s recurrent : tensor<2x128x128xf32>
k3.state @conv conv : tensor<3x768xf32>
func.func @f(%x: !h, %b: !k3.batch) {
  // expected-error@+1 {{a_log @a_log is [3], expected [2]}}
  %0 = k3.kda %x in %b weights {q = @q, k = @k, v = @v, g = @g, f_a = @f_a, f_b = @f_b, b = @b, conv_q = @conv_q, conv_k = @conv_k, conv_v = @conv_v, a_log = @a_log, dt_bias = @dt_bias, o_norm = @o_norm, o = @o} state {s = @s, conv = @conv} heads 2 x 128 bound -5.0 eps 1.0e-5 : !h -> !h
  return
}

// -----

!h = tensor<?x192xf32>
k3.weight @q : tensor<256x192xbf16> from "q"
k3.weight @k : tensor<256x192xbf16> from "k"
k3.weight @v : tensor<256x192xbf16> from "v"
k3.weight @g : tensor<256x192xbf16> from "g"
k3.weight @f_a : tensor<128x192xbf16> from "f_a"
k3.weight @f_b : tensor<256x128xbf16> from "f_b"
k3.weight @b : tensor<2x192xbf16> from "b"
k3.weight @conv_q : tensor<256x1x4xf32> from "conv_q"
k3.weight @conv_k : tensor<256x1x4xf32> from "conv_k"
k3.weight @conv_v : tensor<256x1x4xf32> from "conv_v"
k3.weight @a_log : tensor<128xf32> from "a_log" used 2
k3.weight @dt_bias : tensor<256xf32> from "dt_bias"
k3.weight @o_norm : tensor<128xf32> from "o_norm"
k3.state @s recurrent : tensor<2x128x128xf32>
k3.state @conv conv : tensor<3x768xf32>
func.func @f(%x: !h, %b: !k3.batch) {
  // expected-error@+1 {{names @o, which does not exist}}
  %0 = k3.kda %x in %b weights {q = @q, k = @k, v = @v, g = @g, f_a = @f_a, f_b = @f_b, b = @b, conv_q = @conv_q, conv_k = @conv_k, conv_v = @conv_v, a_log = @a_log, dt_bias = @dt_bias, o_norm = @o_norm, o = @o} state {s = @s, conv = @conv} heads 2 x 128 bound -5.0 eps 1.0e-5 : !h -> !h
  return
}

// -----

!h = tensor<?x192xf32>
k3.weight @q : tensor<256x192xbf16> from "q"
k3.weight @k : tensor<256x192xbf16> from "k"
k3.weight @v : tensor<256x192xbf16> from "v"
k3.weight @g : tensor<256x192xbf16> from "g"
k3.weight @f_a : tensor<128x192xbf16> from "f_a"
k3.weight @f_b : tensor<256x128xbf16> from "f_b"
k3.weight @b[16] : tensor<2x192xbf16> from "b.{e}"
k3.weight @conv_q : tensor<256x1x4xf32> from "conv_q"
k3.weight @conv_k : tensor<256x1x4xf32> from "conv_k"
k3.weight @conv_v : tensor<256x1x4xf32> from "conv_v"
k3.weight @a_log : tensor<128xf32> from "a_log" used 2
k3.weight @dt_bias : tensor<256xf32> from "dt_bias"
k3.weight @o_norm : tensor<128xf32> from "o_norm"
k3.weight @o : tensor<192x256xbf16> from "o"
k3.state @s recurrent : tensor<2x128x128xf32>
k3.state @conv conv : tensor<3x768xf32>
func.func @f(%x: !h, %b: !k3.batch) {
  // expected-error@+1 {{names @b, a family of 16 members, expected a single weight}}
  %0 = k3.kda %x in %b weights {q = @q, k = @k, v = @v, g = @g, f_a = @f_a, f_b = @f_b, b = @b, conv_q = @conv_q, conv_k = @conv_k, conv_v = @conv_v, a_log = @a_log, dt_bias = @dt_bias, o_norm = @o_norm, o = @o} state {s = @s, conv = @conv} heads 2 x 128 bound -5.0 eps 1.0e-5 : !h -> !h
  return
}

// -----

!h = tensor<?x192xf32>
k3.weight @q : tensor<256x192xbf16> from "q"
k3.weight @k : tensor<256x192xbf16> from "k"
k3.weight @v : tensor<256x192xbf16> from "v"
k3.weight @g : tensor<256x192xbf16> from "g"
k3.weight @f_a : tensor<128x192xbf16> from "f_a"
k3.weight @f_b : tensor<256x128xbf16> from "f_b"
k3.weight @b : tensor<2x192xbf16> from "b"
k3.weight @conv_q : tensor<256x1x4xf32> from "conv_q"
k3.weight @conv_k : tensor<256x1x4xf32> from "conv_k"
k3.weight @conv_v : tensor<256x1x4xf32> from "conv_v"
k3.weight @a_log : tensor<128xf32> from "a_log" used 2
k3.weight @dt_bias : tensor<256xf32> from "dt_bias"
k3.weight @o_norm : tensor<128xf32> from "o_norm"
k3.weight @o : tensor<192x256xbf16> from "o"
k3.state @s conv : tensor<3x768xf32>
k3.state @conv conv : tensor<3x768xf32>
func.func @f(%x: !h, %b: !k3.batch) {
  // expected-error@+1 {{'k3.kda' op uses state @s of kind 'conv', needs 'recurrent'}}
  %0 = k3.kda %x in %b weights {q = @q, k = @k, v = @v, g = @g, f_a = @f_a, f_b = @f_b, b = @b, conv_q = @conv_q, conv_k = @conv_k, conv_v = @conv_v, a_log = @a_log, dt_bias = @dt_bias, o_norm = @o_norm, o = @o} state {s = @s, conv = @conv} heads 2 x 128 bound -5.0 eps 1.0e-5 : !h -> !h
  return
}

// -----

!h = tensor<?x192xf32>
k3.weight @q : tensor<256x192xbf16> from "q"
k3.weight @k : tensor<256x192xbf16> from "k"
k3.weight @v : tensor<256x192xbf16> from "v"
k3.weight @g : tensor<256x192xbf16> from "g"
k3.weight @f_a : tensor<128x192xbf16> from "f_a"
k3.weight @f_b : tensor<256x128xbf16> from "f_b"
k3.weight @b : tensor<2x192xbf16> from "b"
k3.weight @conv_q : tensor<256x1x4xf32> from "conv_q"
k3.weight @conv_k : tensor<256x1x4xf32> from "conv_k"
k3.weight @conv_v : tensor<256x1x4xf32> from "conv_v"
k3.weight @a_log : tensor<128xf32> from "a_log" used 2
k3.weight @dt_bias : tensor<256xf32> from "dt_bias"
k3.weight @o_norm : tensor<128xf32> from "o_norm"
k3.weight @o : tensor<192x256xbf16> from "o"
k3.state @s recurrent : tensor<4x128x128xf32>
k3.state @conv conv : tensor<3x768xf32>
func.func @f(%x: !h, %b: !k3.batch) {
  // expected-error@+1 {{state @s is [4, 128, 128], expected [2, 128, 128]}}
  %0 = k3.kda %x in %b weights {q = @q, k = @k, v = @v, g = @g, f_a = @f_a, f_b = @f_b, b = @b, conv_q = @conv_q, conv_k = @conv_k, conv_v = @conv_v, a_log = @a_log, dt_bias = @dt_bias, o_norm = @o_norm, o = @o} state {s = @s, conv = @conv} heads 2 x 128 bound -5.0 eps 1.0e-5 : !h -> !h
  return
}

// -----

!h = tensor<?x192xf32>
k3.weight @q : tensor<256x192xbf16> from "q"
k3.weight @k : tensor<256x192xbf16> from "k"
k3.weight @v : tensor<256x192xbf16> from "v"
k3.weight @g : tensor<256x192xbf16> from "g"
k3.weight @f_a : tensor<128x192xbf16> from "f_a"
k3.weight @f_b : tensor<256x128xbf16> from "f_b"
k3.weight @b : tensor<2x192xbf16> from "b"
k3.weight @conv_q : tensor<256x1x4xf32> from "conv_q"
k3.weight @conv_k : tensor<256x1x4xf32> from "conv_k"
k3.weight @conv_v : tensor<256x1x4xf32> from "conv_v"
k3.weight @a_log : tensor<128xf32> from "a_log" used 2
k3.weight @dt_bias : tensor<256xf32> from "dt_bias"
k3.weight @o_norm : tensor<128xf32> from "o_norm"
k3.weight @o : tensor<192x256xbf16> from "o"
k3.state @s recurrent : tensor<2x128x128xf32>
k3.state @conv conv : tensor<3x256xf32>
func.func @f(%x: !h, %b: !k3.batch) {
  // expected-error@+1 {{state @conv is [3, 256], expected [3, 768]}}
  %0 = k3.kda %x in %b weights {q = @q, k = @k, v = @v, g = @g, f_a = @f_a, f_b = @f_b, b = @b, conv_q = @conv_q, conv_k = @conv_k, conv_v = @conv_v, a_log = @a_log, dt_bias = @dt_bias, o_norm = @o_norm, o = @o} state {s = @s, conv = @conv} heads 2 x 128 bound -5.0 eps 1.0e-5 : !h -> !h
  return
}

// -----

!h = tensor<?x192xf32>
k3.weight @q : tensor<256x192xbf16> from "q"
k3.weight @k : tensor<256x192xbf16> from "k"
k3.weight @v : tensor<256x192xbf16> from "v"
k3.weight @g : tensor<256x192xbf16> from "g"
k3.weight @f_a : tensor<128x192xbf16> from "f_a"
k3.weight @f_b : tensor<256x128xbf16> from "f_b"
k3.weight @b : tensor<2x192xbf16> from "b"
k3.weight @conv_q : tensor<256x1x4xf32> from "conv_q"
k3.weight @conv_k : tensor<256x1x4xf32> from "conv_k"
k3.weight @conv_v : tensor<256x1x4xf32> from "conv_v"
k3.weight @a_log : tensor<128xf32> from "a_log" used 2
k3.weight @dt_bias : tensor<256xf32> from "dt_bias"
k3.weight @o_norm : tensor<128xf32> from "o_norm"
k3.weight @o : tensor<192x256xbf16> from "o"
k3.state @s recurrent : tensor<2x128x128xf32>
k3.state @conv conv : tensor<3x768xf32>
func.func @f(%x: !h, %b: !k3.batch) {
  // expected-note@+1 {{the first is here}}
  %0 = k3.kda %x in %b weights {q = @q, k = @k, v = @v, g = @g, f_a = @f_a, f_b = @f_b, b = @b, conv_q = @conv_q, conv_k = @conv_k, conv_v = @conv_v, a_log = @a_log, dt_bias = @dt_bias, o_norm = @o_norm, o = @o} state {s = @s, conv = @conv} heads 2 x 128 bound -5.0 eps 1.0e-5 : !h -> !h
  // expected-error@+1 {{state @s is written by two ops of @f}}
  %1 = k3.kda %x in %b weights {q = @q, k = @k, v = @v, g = @g, f_a = @f_a, f_b = @f_b, b = @b, conv_q = @conv_q, conv_k = @conv_k, conv_v = @conv_v, a_log = @a_log, dt_bias = @dt_bias, o_norm = @o_norm, o = @o} state {s = @s, conv = @conv} heads 2 x 128 bound -5.0 eps 1.0e-5 : !h -> !h
  return
}

// -----

!h = tensor<?x192xf32>
k3.weight @q : tensor<256x192xbf16> from "q"
k3.weight @k : tensor<256x192xbf16> from "k"
k3.weight @v : tensor<256x192xbf16> from "v"
k3.weight @g : tensor<256x192xbf16> from "g"
k3.weight @f_a : tensor<128x192xbf16> from "f_a"
k3.weight @f_b : tensor<256x128xbf16> from "f_b"
k3.weight @b : tensor<2x192xbf16> from "b"
k3.weight @conv_q : tensor<256x1x4xf32> from "conv_q"
k3.weight @conv_k : tensor<256x4xf32> from "conv_k"
k3.weight @conv_v : tensor<256x1x4xf32> from "conv_v"
k3.weight @a_log : tensor<128xf32> from "a_log" used 2
k3.weight @dt_bias : tensor<256xf32> from "dt_bias"
k3.weight @o_norm : tensor<128xf32> from "o_norm"
k3.weight @o : tensor<192x256xbf16> from "o"
k3.state @s recurrent : tensor<2x128x128xf32>
k3.state @conv conv : tensor<3x768xf32>
func.func @f(%x: !h, %b: !k3.batch) {
  // expected-error@+1 {{conv_k @conv_k is [256, 4], expected [256, 1, 4]}}
  %0 = k3.kda %x in %b weights {q = @q, k = @k, v = @v, g = @g, f_a = @f_a, f_b = @f_b, b = @b, conv_q = @conv_q, conv_k = @conv_k, conv_v = @conv_v, a_log = @a_log, dt_bias = @dt_bias, o_norm = @o_norm, o = @o} state {s = @s, conv = @conv} heads 2 x 128 bound -5.0 eps 1.0e-5 : !h -> !h
  return
}
