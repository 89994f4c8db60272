// A table that changes between queries: lines of orders in Globals, to which each
// execution applies a batch of commands, and then answers a query about what is there.
//
//   insert or ignore into lines values (key, shipdate, discount, quantity, price)   0
//   update lines set discount = ..., quantity = ..., price = ... where key = ...    1
//   delete from lines where key = ...                                               2
//   select sum(price * discount), count(*) from lines where ... (query 6 of TPC-H)
//
// A batch is a chunk of a stream of commands (gpuvm-run --stream), whose last one is
// filled up; stream.rows says how many there are. Commands with one key act one after
// the other, in their order; those with different keys do not meet, so all keys act at
// once: each row of the table finds its commands by hash and replays them, and so does
// the first command of a key that is not in the table, beginning without a row.
// What is left is put side by side.
//
// A batch is done as a whole or not at all: if the rows do not fit, the table stays as
// it was and the execution ends with EXCESS and both numbers. `changed` is how many
// rows the batch has inserted, updated and deleted, and how many commands did nothing.

!batch    = tensor<256xi32>
!cents    = tensor<256xi64>
!bytes    = tensor<256xi8>
!batch_is = tensor<256xi1>
!keys     = tensor<4096xi32>
!small    = tensor<4096xi8>
!money    = tensor<4096xi64>
!is       = tensor<4096xi1>
!rows     = tensor<?xi32, #gpuvm.bound<4096>>
!all      = tensor<4352xi32>     // the table, and behind it the batch
!all_is   = tensor<4352xi1>
!all_small = tensor<4352xi8>
!all_money = tensor<4352xi64>
!real     = tensor<?xi32, #gpuvm.bound<256>>
!four     = tensor<4xi64>
#row = affine_map<(row) -> (row)>

gpuvm.program @changes(%kind: !bytes, %key: !batch, %shipdate: !batch, %discount: !bytes, %quantity: !bytes, %price: !cents)
    -> (revenue: tensor<1xi64>, rows: tensor<1xi32>, changed: tensor<1x4xi64>) {
  gpuvm.global @count : tensor<i32>
  gpuvm.global @keys : !keys
  gpuvm.global @shipdates : !keys        // days since 1970-01-01
  gpuvm.global @discounts : !small       // hundredths
  gpuvm.global @quantities : !small
  gpuvm.global @prices : !money          // cents
  gpuvm.control @stream.rows : tensor<i32> = dense<256> : tensor<i32>
  gpuvm.control @table.rows : tensor<i32> up_to 4096

  // Which commands have the key of each place: a row of the table, or a command. In the
  // batch only the first command of a key that the table does not have has any.
  %first, %number, %order = gpuvm.stage @find(%k = %key : !batch) -> (!all, !all, !batch) {
    %count = gpuvm.load @count : tensor<i32>
    %held = gpuvm.load @keys : !keys
    %real = gpuvm.load @stream.rows : tensor<i32>
    %commands = gpuvm.bounded %k[%real] : !batch -> !real
    %table = gpuvm.bounded %held[%count] : !keys -> !rows
    %f, %c, %o = gpuvm.match %held in %commands : (!keys), (!real) -> !keys, !keys, !batch
    %f_own, %c_own, %o_own = gpuvm.match %k in %commands : (!batch), (!real) -> !batch, !batch, !batch
    %f_old, %c_old, %o_old = gpuvm.match %k in %table : (!batch), (!rows) -> !batch, !batch, !keys

    // Rows behind the table's count have no commands.
    %e = tensor.empty() : !keys
    %n = linalg.generic {indexing_maps = [#row, affine_map<(row) -> ()>, #row], iterator_types = ["parallel"]}
        ins(%c, %count : !keys, tensor<i32>) outs(%e : !keys) {
    ^bb0(%found: i32, %end: i32, %unused: i32):
      %none = arith.constant 0 : i32
      %row = linalg.index 0 : index
      %i = arith.index_cast %row : index to i32
      %is_row = arith.cmpi slt, %i, %end : i32
      %r = arith.select %is_row, %found, %none : i32
      linalg.yield %r : i32
    } -> !keys
    %e_own = tensor.empty() : !batch
    %n_own = linalg.generic {indexing_maps = [#row, #row, #row, affine_map<(row) -> ()>, #row], iterator_types = ["parallel"]}
        ins(%f_own, %c_own, %c_old, %real : !batch, !batch, !batch, tensor<i32>) outs(%e_own : !batch) {
    ^bb0(%at: i32, %found: i32, %old: i32, %end: i32, %unused: i32):
      %none = arith.constant 0 : i32
      %row = linalg.index 0 : index
      %i = arith.index_cast %row : index to i32
      %is_row = arith.cmpi slt, %i, %end : i32
      %is_new = arith.cmpi eq, %old, %none : i32
      %safe = arith.select %is_row, %at, %none : i32
      %place = arith.index_cast %safe : i32 to index
      %leader = tensor.extract %o_own[%place] : !batch
      %leads = arith.cmpi eq, %leader, %i : i32
      %a = arith.andi %is_row, %is_new : i1
      %b = arith.andi %a, %leads : i1
      %r = arith.select %b, %found, %none : i32
      linalg.yield %r : i32
    } -> !batch
    %firsts = tensor.concat dim(0) %f, %f_own : (!keys, !batch) -> !all
    %numbers = tensor.concat dim(0) %n, %n_own : (!keys, !batch) -> !all
    gpuvm.send %firsts, %numbers, %o : !all, !all, !batch
  }

  // Every place replays its commands. `change` counts what they did: 16 bits each for
  // rows inserted, updated and deleted, and for commands that did nothing.
  %there, %ship, %disc, %qty, %amount, %change = gpuvm.stage @replay
      (%f = %first : !gpuvm.message<!all>, %n = %number : !gpuvm.message<!all>, %o = %order : !gpuvm.message<!batch>,
       %kinds = %kind : !bytes, %new_ship = %shipdate : !batch, %new_disc = %discount : !bytes,
       %new_qty = %quantity : !bytes, %new_price = %price : !cents)
      -> (!all_is, !all, !all_small, !all_small, !all_money, !all_money) {
    %count = gpuvm.load @count : tensor<i32>
    %ships = gpuvm.load @shipdates : !keys
    %discs = gpuvm.load @discounts : !small
    %qtys = gpuvm.load @quantities : !small
    %prices = gpuvm.load @prices : !money
    %old_ship = tensor.concat dim(0) %ships, %new_ship : (!keys, !batch) -> !all
    %old_disc = tensor.concat dim(0) %discs, %new_disc : (!small, !bytes) -> !all_small
    %old_qty = tensor.concat dim(0) %qtys, %new_qty : (!small, !bytes) -> !all_small
    %old_price = tensor.concat dim(0) %prices, %new_price : (!money, !cents) -> !all_money
    %e0 = tensor.empty() : !all_is
    %e1 = tensor.empty() : !all
    %e2 = tensor.empty() : !all_small
    %e3 = tensor.empty() : !all_money
    %r:6 = linalg.generic {
        indexing_maps = [#row, #row, #row, #row, #row, #row, affine_map<(row) -> ()>, #row, #row, #row, #row, #row, #row],
        iterator_types = ["parallel"]}
        ins(%f, %n, %old_ship, %old_disc, %old_qty, %old_price, %count
            : !all, !all, !all, !all_small, !all_small, !all_money, tensor<i32>)
        outs(%e0, %e1, %e2, %e2, %e3, %e3 : !all_is, !all, !all_small, !all_small, !all_money, !all_money) {
    ^bb0(%at: i32, %times: i32, %s0: i32, %d0: i8, %q0: i8, %p0: i64, %end: i32,
         %u0: i1, %u1: i32, %u2: i8, %u3: i8, %u4: i64, %u5: i64):
      %none = arith.constant 0 : i64
      %insert = arith.constant 0 : i8
      %update = arith.constant 1 : i8
      %delete = arith.constant 2 : i8
      %one = arith.constant 1 : index
      %row = linalg.index 0 : index
      %i = arith.index_cast %row : index to i32
      %before = arith.cmpi slt, %i, %end : i32   // a row of the table
      %last = arith.addi %at, %times : i32
      %from = arith.index_cast %at : i32 to index
      %to = arith.index_cast %last : i32 to index
      %x:6 = scf.for %j = %from to %to step %one
          iter_args(%is = %before, %s = %s0, %d = %d0, %q = %q0, %p = %p0, %done = %none) -> (i1, i32, i8, i8, i64, i64) {
        %command = tensor.extract %o[%j] : !batch
        %c = arith.index_cast %command : i32 to index
        %what = tensor.extract %kinds[%c] : !bytes
        %sn = tensor.extract %new_ship[%c] : !batch
        %dn = tensor.extract %new_disc[%c] : !bytes
        %qn = tensor.extract %new_qty[%c] : !bytes
        %pn = tensor.extract %new_price[%c] : !cents
        %yes = arith.constant true
        %is_not = arith.xori %is, %yes : i1
        %inserts = arith.cmpi eq, %what, %insert : i8
        %updates = arith.cmpi eq, %what, %update : i8
        %deletes = arith.cmpi eq, %what, %delete : i8
        %inserted = arith.andi %inserts, %is_not : i1
        %updated = arith.andi %updates, %is : i1
        %deleted = arith.andi %deletes, %is : i1
        %sets = arith.ori %inserted, %updated : i1
        %does = arith.ori %sets, %deleted : i1
        %s_ = arith.select %inserted, %sn, %s : i32
        %d_ = arith.select %sets, %dn, %d : i8
        %q_ = arith.select %sets, %qn, %q : i8
        %p_ = arith.select %sets, %pn, %p : i64
        %remains = arith.xori %is, %deleted : i1
        %is_ = arith.ori %remains, %inserted : i1
        %ins = arith.constant 1 : i64
        %upd = arith.constant 65536 : i64
        %del = arith.constant 4294967296 : i64
        %ign = arith.constant 281474976710656 : i64
        %w0 = arith.select %inserted, %ins, %ign : i64
        %w1 = arith.select %updated, %upd, %w0 : i64
        %w2 = arith.select %deleted, %del, %w1 : i64
        %more = arith.addi %done, %w2 : i64
        scf.yield %is_, %s_, %d_, %q_, %p_, %more : i1, i32, i8, i8, i64, i64
      }
      linalg.yield %x#0, %x#1, %x#2, %x#3, %x#4, %x#5 : i1, i32, i8, i8, i64, i64
    } -> (!all_is, !all, !all_small, !all_small, !all_money, !all_money)
    gpuvm.send %r#0, %r#1, %r#2, %r#3, %r#4, %r#5
        : !all_is, !all, !all_small, !all_small, !all_money, !all_money
  }

  // What is there, side by side, and the regulator: whether that fits.
  %k, %s, %d, %q, %p, %n, %fits, %totals = gpuvm.stage @settle
      (%is = %there : !gpuvm.message<!all_is>, %ships = %ship : !gpuvm.message<!all>,
       %discs = %disc : !gpuvm.message<!all_small>, %qtys = %qty : !gpuvm.message<!all_small>,
       %prices = %amount : !gpuvm.message<!all_money>, %changes = %change : !gpuvm.message<!all_money>, %own = %key : !batch)
      -> (!keys, !keys, !small, !small, !money, tensor<i32>, tensor<i1>, tensor<1x4xi64>) {
    %held = gpuvm.load @keys : !keys
    %both = tensor.concat dim(0) %held, %own : (!keys, !batch) -> !all
    %c:6 = gpuvm.compact %both, %ships, %discs, %qtys, %prices where %is
        : (!all, !all, !all_small, !all_small, !all_money, !all_is) -> (!keys, !keys, !small, !small, !money, tensor<i32>)
    gpuvm.store %c#5, @table.rows : tensor<i32>
    %room = arith.constant dense<4096> : tensor<i32>
    %fit = arith.cmpi sle, %c#5, %room : tensor<i32>

    %e = tensor.empty() : !all_money
    %f:4 = linalg.generic {indexing_maps = [#row, #row, #row, #row, #row], iterator_types = ["parallel"]}
        ins(%changes : !all_money) outs(%e, %e, %e, %e : !all_money, !all_money, !all_money, !all_money) {
    ^bb0(%done: i64, %u0: i64, %u1: i64, %u2: i64, %u3: i64):
      %field = arith.constant 65535 : i64
      %w1 = arith.constant 16 : i64
      %w2 = arith.constant 32 : i64
      %w3 = arith.constant 48 : i64
      %t1 = arith.shrui %done, %w1 : i64
      %t2 = arith.shrui %done, %w2 : i64
      %t3 = arith.shrui %done, %w3 : i64
      %f0 = arith.andi %done, %field : i64
      %f1 = arith.andi %t1, %field : i64
      %f2 = arith.andi %t2, %field : i64
      linalg.yield %f0, %f1, %f2, %t3 : i64, i64, i64, i64
    } -> (!all_money, !all_money, !all_money, !all_money)
    %none = arith.constant dense<0> : tensor<i64>
    %t0 = linalg.reduce { arith.addi } ins(%f#0 : !all_money) outs(%none : tensor<i64>) dimensions = [0]
    %t1 = linalg.reduce { arith.addi } ins(%f#1 : !all_money) outs(%none : tensor<i64>) dimensions = [0]
    %t2 = linalg.reduce { arith.addi } ins(%f#2 : !all_money) outs(%none : tensor<i64>) dimensions = [0]
    %t3 = linalg.reduce { arith.addi } ins(%f#3 : !all_money) outs(%none : tensor<i64>) dimensions = [0]
    %x0 = tensor.expand_shape %t0 [] output_shape [1, 1] : tensor<i64> into tensor<1x1xi64>
    %x1 = tensor.expand_shape %t1 [] output_shape [1, 1] : tensor<i64> into tensor<1x1xi64>
    %x2 = tensor.expand_shape %t2 [] output_shape [1, 1] : tensor<i64> into tensor<1x1xi64>
    %x3 = tensor.expand_shape %t3 [] output_shape [1, 1] : tensor<i64> into tensor<1x1xi64>
    %total = tensor.concat dim(1) %x0, %x1, %x2, %x3
        : (tensor<1x1xi64>, tensor<1x1xi64>, tensor<1x1xi64>, tensor<1x1xi64>) -> tensor<1x4xi64>
    gpuvm.send %c#0, %c#1, %c#2, %c#3, %c#4, %c#5, %fit, %total
        : !keys, !keys, !small, !small, !money, tensor<i32>, tensor<i1>, tensor<1x4xi64>
  }

  %stored = gpuvm.stage @commit when(%fits : !gpuvm.message<tensor<i1>>)
      (%ks = %k : !gpuvm.message<!keys>, %ss = %s : !gpuvm.message<!keys>, %ds = %d : !gpuvm.message<!small>,
       %qs = %q : !gpuvm.message<!small>, %ps = %p : !gpuvm.message<!money>, %count = %n : !gpuvm.message<tensor<i32>>,
       %yes = %fits : !gpuvm.message<tensor<i1>>)
      -> tensor<i1> {
    gpuvm.store %ks, @keys : !keys
    gpuvm.store %ss, @shipdates : !keys
    gpuvm.store %ds, @discounts : !small
    gpuvm.store %qs, @quantities : !small
    gpuvm.store %ps, @prices : !money
    gpuvm.store %count, @count : tensor<i32>
    gpuvm.send %yes : tensor<i1> else %yes : tensor<i1>
  }

  // Query 6 of what the table now holds.
  %revenue, %rows = gpuvm.stage @query(%after = %stored : !gpuvm.message<tensor<i1>>) -> (tensor<1xi64>, tensor<1xi32>) {
    %count = gpuvm.load @count : tensor<i32>
    %ships = gpuvm.load @shipdates : !keys
    %discs = gpuvm.load @discounts : !small
    %qtys = gpuvm.load @quantities : !small
    %prices = gpuvm.load @prices : !money
    %e = tensor.empty() : !money
    %products = linalg.generic {
        indexing_maps = [#row, #row, #row, #row, affine_map<(row) -> ()>, #row], iterator_types = ["parallel"]}
        ins(%ships, %discs, %qtys, %prices, %count : !keys, !small, !small, !money, tensor<i32>) outs(%e : !money) {
    ^bb0(%ship_: i32, %disc_: i8, %qty_: i8, %price_: i64, %end: i32, %unused: i64):
      %from = arith.constant 8766 : i32   // 1994-01-01
      %to = arith.constant 9131 : i32     // 1995-01-01
      %low = arith.constant 5 : i8
      %high = arith.constant 7 : i8
      %limit = arith.constant 24 : i8
      %none = arith.constant 0 : i64
      %row = linalg.index 0 : index
      %i = arith.index_cast %row : index to i32
      %is_row = arith.cmpi slt, %i, %end : i32
      %since = arith.cmpi sge, %ship_, %from : i32
      %until = arith.cmpi slt, %ship_, %to : i32
      %least = arith.cmpi sge, %disc_, %low : i8
      %most = arith.cmpi sle, %disc_, %high : i8
      %few = arith.cmpi slt, %qty_, %limit : i8
      %a = arith.andi %is_row, %since : i1
      %b = arith.andi %a, %until : i1
      %c = arith.andi %b, %least : i1
      %d_ = arith.andi %c, %most : i1
      %keep = arith.andi %d_, %few : i1
      %wide = arith.extsi %disc_ : i8 to i64
      %product = arith.muli %price_, %wide : i64
      %r = arith.select %keep, %product, %none : i64
      linalg.yield %r : i64
    } -> !money
    %zero = arith.constant dense<0> : tensor<i64>
    %sum = linalg.reduce { arith.addi } ins(%products : !money) outs(%zero : tensor<i64>) dimensions = [0]
    %sum_ = tensor.expand_shape %sum [] output_shape [1] : tensor<i64> into tensor<1xi64>
    %count_ = tensor.expand_shape %count [] output_shape [1] : tensor<i32> into tensor<1xi32>
    gpuvm.send %sum_, %count_ : tensor<1xi64>, tensor<1xi32>
  }
  gpuvm.return %revenue, %rows, %totals
      : !gpuvm.message<tensor<1xi64>>, !gpuvm.message<tensor<1xi32>>, !gpuvm.message<tensor<1x4xi64>>
}
