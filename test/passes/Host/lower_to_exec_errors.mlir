// RUN: k3-opt %s --k3-host-lower-to-exec -split-input-file -verify-diagnostics

func.func @bf16(%x: tensor<?x8xbf16>) -> tensor<?x8xbf16> {
  // expected-error @+1 {{computes in bf16, the host target computes in f32; compile with --precision=f32}}
  %y = k3.l2_norm %x eps 1.0e-6 scale 1.0 : tensor<?x8xbf16> -> tensor<?x8xbf16>
  return %y : tensor<?x8xbf16>
}

// -----

func.func @foreign(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  // expected-error @+1 {{has no lowering to the host target}}
  %y = arith.negf %x : tensor<?x8xf32>
  return %y : tensor<?x8xf32>
}

// -----

// expected-error @+1 {{the host target runs one rank, the mesh has 2; set every axis to 1}}
module attributes {k3.version = 1 : i64, k3.mesh = #k3.mesh<pp = 1, dp = 1, tp = 2, ep = 1, cp = 1>} {
}

// -----

module attributes {k3.version = 1 : i64} {
  // expected-error @+1 {{state @latent is stored in 'f8E4M3FN', the host target stores f32; compile with --precision=f32}}
  k3.state @latent paged page 64 : tensor<576xf8E4M3FN>
}

// -----

// expected-error @+1 {{function @declared has no body, expected one block}}
func.func private @declared(tensor<?x8xf32>)

// -----

// expected-error @+1 {{function @scalar: argument 1 is 'f32', expected a ranked tensor like tensor<?x8xf32>: of at least one dimension, only the first open, elements of whole bytes}}
func.func @scalar(%x: tensor<?x8xf32>, %y: f32) {
  return
}

// -----

// expected-error @+1 {{function @rank_0: argument 0 is 'tensor<f32>', expected a ranked tensor}}
func.func @rank_0(%x: tensor<f32>) {
  return
}

// -----

// expected-error @+1 {{function @open: argument 0 is 'tensor<?x?xf32>', expected a ranked tensor}}
func.func @open(%x: tensor<?x?xf32>) {
  return
}

// -----

// expected-error @+1 {{function @bits: argument 0 is 'tensor<?x8xi1>', expected a ranked tensor}}
func.func @bits(%x: tensor<?x8xi1>) -> tensor<?x8xi1> {
  return %x : tensor<?x8xi1>
}

// -----

k3.weight @w : tensor<4x8xbf16> from "w"
func.func @unpacked(%x: tensor<?x8xf32>) -> tensor<?x4xf32> {
  // expected-error @+1 {{reads the weight @w, expected a k3.packed; run the phase pack before}}
  %y = k3.linear %x, @w : tensor<?x8xf32> -> tensor<?x4xf32>
  return %y : tensor<?x4xf32>
}

// -----

func.func @part(%x: tensor<?x8xf32>) -> tensor<?x4xf32> {
  %a, %b = k3.split %x : tensor<?x8xf32> -> tensor<?x4xf32>, tensor<?x4xf32>
  // expected-error @+1 {{returns a part of a k3.split, which is a view among the columns of another tensor; return a computed value}}
  return %b : tensor<?x4xf32>
}
