// RUN: k3-opt %s -split-input-file -verify-diagnostics

// expected-error@+1 {{recurrent state is [heads, V, K], got rank 2}}
k3.state @s recurrent : tensor<128x128xf32>

// -----

// expected-error@+1 {{conv state of width 4 - 1 rows expected 3, got 4}}
k3.state @s conv : tensor<4x768xf32>

// -----

// expected-error@+1 {{conv state is [window rows, channels], got rank 1}}
k3.state @s conv : tensor<768xf32>

// -----

// expected-error@+1 {{paged state needs 'page'}}
k3.state @s paged : tensor<576xf32>

// -----

// expected-error@+1 {{only paged state has 'page'}}
k3.state @s conv page 64 : tensor<3x768xf32>

// -----

// expected-error@+1 {{page must be positive, got 0}}
k3.state @s paged page 0 : tensor<576xf32>

// -----

// expected-error@+1 {{paged state is what one token keeps, one dimension, got rank 2}}
k3.state @s paged page 64 : tensor<2x576xf32>

// -----

// expected-error@+1 {{recurrent state is f32 or bf16, got 'f8E4M3FN'}}
k3.state @s recurrent : tensor<2x128x128xf8E4M3FN>

// -----

// expected-error@+1 {{needs a static tensor, got 'tensor<?xf32>'}}
k3.state @s paged page 64 : tensor<?xf32>
