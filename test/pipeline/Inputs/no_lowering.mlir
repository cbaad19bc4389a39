func.func @graph(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %y = math.cos %x : tensor<?x8xf32>
  return %y : tensor<?x8xf32>
}
