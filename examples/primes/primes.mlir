// The primes below 10,000,000, by a sieve in which every lane has a word of its
// own: bit j of word w stands for the number 64 w + 2 j + 1. A lane strikes out
// the multiples of each odd number up to the square root of its last one; in a
// word there is at most one of most of them.
//
//     gpuvm-compile examples/primes/primes.mlir -o primes.gvplan
//     gpuvm-run primes.gvplan          # primes: i32=664579
//
// The next execution goes on with the next 10,000,000 numbers and adds their primes,
// so that 100 of them count those below 1,000,000,000 (five minutes on lavapipe):
//
//     gpuvm-run primes.gvplan --iterations=100   # primes: i32=50847534

gpuvm.parameter @words = 156250 in 1 to 30000000 "of an execution"

#word = affine_map<(w) -> (w)>
#one = affine_map<(w) -> ()>

gpuvm.program @primes() -> (primes: tensor<i32>) {
  gpuvm.global @words : tensor<i32> = dense<0> : tensor<i32> // Done so far.
  gpuvm.global @found : tensor<i32> = dense<1> : tensor<i32> // 2, which no bit stands for.

  %struck = gpuvm.stage @sieve() -> tensor<@words@xi32> {
    %done = gpuvm.load @words : tensor<i32>
    %more = arith.constant dense<@words@> : tensor<i32>
    %then = arith.addi %done, %more : tensor<i32>
    gpuvm.store %then, @words : tensor<i32>
    %init = tensor.empty() : tensor<@words@xi32>
    %words = linalg.generic {indexing_maps = [#one, #word], iterator_types = ["parallel"]}
        ins(%done : tensor<i32>) outs(%init : tensor<@words@xi32>) {
    ^bb0(%before: i32, %unused: i32):
      %zero = arith.constant 0 : i32
      %one = arith.constant 1 : i32
      %two = arith.constant 2 : i32
      %three = arith.constant 3 : i32
      %bits = arith.constant 32 : i32
      %span = arith.constant 62 : i32
      %numbers = arith.constant 64 : i32
      %i = linalg.index 0 : index
      %own = arith.index_cast %i : index to i32
      %w = arith.addi %before, %own : i32
      %at = arith.muli %w, %numbers : i32
      %first = arith.addi %at, %one : i32
      %last = arith.addi %first, %span : i32
      // 1 is no prime.
      %isFirst = arith.cmpi eq, %w, %zero : i32
      %begin = arith.extui %isFirst : i1 to i32
      %r:2 = scf.while (%d = %three, %word = %begin) : (i32, i32) -> (i32, i32) {
        %square = arith.muli %d, %d : i32
        %goes = arith.cmpi ule, %square, %last : i32
        scf.condition(%goes) %d, %word : i32, i32
      } do {
      ^bb0(%d: i32, %word: i32):
        // The first odd multiple from the square, and from the word's first
        // number, on: so many odd numbers behind the latter.
        %square = arith.muli %d, %d : i32
        %rest = arith.remui %first, %d : i32
        %isMultiple = arith.cmpi eq, %rest, %zero : i32
        %up = arith.subi %d, %rest : i32
        %distance = arith.select %isMultiple, %zero, %up : i32
        %parity = arith.andi %distance, %one : i32
        %add = arith.muli %parity, %d : i32
        %even = arith.addi %distance, %add : i32
        %behind = arith.cmpi ugt, %square, %first : i32
        %beyond = arith.subi %square, %first : i32
        %twice = arith.select %behind, %beyond, %even : i32
        %j = arith.shrui %twice, %one : i32
        %s:2 = scf.while (%k = %j, %m = %word) : (i32, i32) -> (i32, i32) {
          %inside = arith.cmpi ult, %k, %bits : i32
          scf.condition(%inside) %k, %m : i32, i32
        } do {
        ^bb0(%k: i32, %m: i32):
          %bit = arith.shli %one, %k : i32
          %n = arith.ori %m, %bit : i32
          %next = arith.addi %k, %d : i32
          scf.yield %next, %n : i32, i32
        }
        %after = arith.addi %d, %two : i32
        scf.yield %after, %s#1 : i32, i32
      }
      linalg.yield %r#1 : i32
    } -> tensor<@words@xi32>
    gpuvm.send %words : tensor<@words@xi32>
  }
  %primes = gpuvm.stage @count(%words = %struck : !gpuvm.message<tensor<@words@xi32>>) -> tensor<i32> {
    %before = gpuvm.load @found : tensor<i32>
    %ones = arith.constant dense<-1> : tensor<@words@xi32>
    %left = arith.xori %words, %ones : tensor<@words@xi32>
    %each = math.ctpop %left : tensor<@words@xi32>
    %sum = linalg.reduce { arith.addi } ins(%each : tensor<@words@xi32>) outs(%before : tensor<i32>) dimensions = [0]
    gpuvm.store %sum, @found : tensor<i32>
    gpuvm.send %sum : tensor<i32>
  }
  gpuvm.return %primes : !gpuvm.message<tensor<i32>>
}
