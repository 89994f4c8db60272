// A ledger of 4,096 accounts: one program opens it, one posts transfers, three
// ask. All of them work on the same balances, which stay on the device.

!accounts = tensor<4096xi64>

gpuvm.global @balances : !accounts
gpuvm.global @batches : tensor<i64>

// The first balances.
gpuvm.program @open(%money: !accounts) {
  gpuvm.stage @fill(%m = %money : !accounts) {
    %none = arith.constant dense<0> : tensor<i64>
    gpuvm.store %m, @balances : !accounts
    gpuvm.store %none, @batches : tensor<i64>
  }
  gpuvm.return
}

// A batch of 1,000 transfers, each of which is two changes. Sums of integers are
// the same in every order, and the balances are changed where they are.
gpuvm.program @post(%account: tensor<2000xi32>, %change: tensor<2000xi64>) {
  gpuvm.stage @transfer(%at = %account : tensor<2000xi32>, %by = %change : tensor<2000xi64>) {
    %before = gpuvm.load @balances : !accounts
    %after = gpuvm.scatter add %by at %at into %before : (tensor<2000xi64>, tensor<2000xi32>, !accounts) -> !accounts
    gpuvm.store %after, @balances : !accounts
    %n = gpuvm.load @batches : tensor<i64>
    %one = arith.constant dense<1> : tensor<i64>
    %next = arith.addi %n, %one : tensor<i64>
    gpuvm.store %next, @batches : tensor<i64>
  }
  gpuvm.return
}

// What some accounts have.
gpuvm.program @balance(%accounts: tensor<64xi32>) -> (money: tensor<64xi64>) {
  %m = gpuvm.stage @find(%who = %accounts : tensor<64xi32>) -> tensor<64xi64> {
    %all = gpuvm.load @balances : !accounts
    %found = gpuvm.gather %all[%who] : !accounts, tensor<64xi32> -> tensor<64xi64>
    gpuvm.send %found : tensor<64xi64>
  }
  gpuvm.return %m : !gpuvm.message<tensor<64xi64>>
}

// Those who have most.
gpuvm.program @richest() -> (money: tensor<10xi64>, accounts: tensor<10xi32>) {
  %m, %w = gpuvm.stage @choose() -> (tensor<10xi64>, tensor<10xi32>) {
    %all = gpuvm.load @balances : !accounts
    %most, %who = gpuvm.top_k %all : !accounts -> tensor<10xi64>, tensor<10xi32>
    gpuvm.send %most, %who : tensor<10xi64>, tensor<10xi32>
  }
  gpuvm.return %m, %w : !gpuvm.message<tensor<10xi64>>, !gpuvm.message<tensor<10xi32>>
}

// What there is in all: transfers do not change it.
gpuvm.program @total() -> (money: tensor<i64>) {
  %s = gpuvm.stage @add() -> tensor<i64> {
    %all = gpuvm.load @balances : !accounts
    %zero = arith.constant dense<0> : tensor<i64>
    %sum = linalg.reduce { arith.addi } ins(%all : !accounts) outs(%zero : tensor<i64>) dimensions = [0]
    gpuvm.send %sum : tensor<i64>
  }
  gpuvm.return %s : !gpuvm.message<tensor<i64>>
}
