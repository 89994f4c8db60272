// Eleven bodies of the solar system under Newton's gravity, for one year, in one submit.
//
// Places and speeds are axes by bodies, in au and au / day from the barycentre; gm is G times the masses, in
// au^3 / day^2. Time is counted in ticks, 256 a day, so that it is exact.
//
// A step is symplectic and of fourth order (Yoshida, Construction of higher order symplectic integrators, Phys.
// Lett. A 150, 1990): leapfrogs over w1, w0 and w1 of its time, w1 = 1 / (2 - 2^(1/3)) and w0 = 1 - 2 w1. A leapfrog
// drifts for half of its time, is pulled for all of it, and drifts for the other half.
//
// Behind each step a regulator compares the energy with what it was when the length of steps was last set. If it is off by
// more than the tolerance, the step is taken back, and it and all that follow are half as long; if they may not be
// shorter, it stands (status 2, ATTENTION). The repeat ends with the year, or at once if the energy is no number (status
// 1, ANOMALY). The first step has no length: it measures the energy that there is.
//
// A year of the shortest steps is 11,688 of them.

gpuvm.parameter @steps = 12000 "that there is room for"

!vectors = tensor<3x11xf64>
!bodies = tensor<11xf64>
!one = tensor<f64>
!int = tensor<i32>
!flag = tensor<i1>
!days = tensor<367x3x11xf64>
!energies = tensor<@steps@xf64>
!lengths = tensor<@steps@xi32>
!ms = !gpuvm.message<!vectors>
!m1 = !gpuvm.message<!one>
!mi = !gpuvm.message<!int>
!mf = !gpuvm.message<!flag>
#all = affine_map<(k, i) -> (k, i)>
#scalar = affine_map<(k, i) -> ()>
#mass = affine_map<(k, i) -> (i)>
// Axis k of the pull of body j on body i.
#to = affine_map<(k, i, j) -> (k, i)>
#from = affine_map<(k, i, j) -> (k, j)>
#i = affine_map<(k, i, j) -> (i)>
#j = affine_map<(k, i, j) -> (j)>
// Bodies i and j of a sum over pairs.
#pair_i = affine_map<(i, j) -> (i)>
#pair_j = affine_map<(i, j) -> (j)>
#sum = affine_map<(i, j) -> ()>

gpuvm.program @year(%q: !vectors, %v: !vectors, %gm: !bodies, %tolerance: !one, %year: !int, %first: !int)
    -> (places: !vectors, speeds: !vectors, time: !int, days: !days, energies: !energies, lengths: !lengths) {
  // The length of a step, in ticks: the regulator writes it, and the next step applies it.
  gpuvm.control @step : !int
  gpuvm.control @least : !int = dense<8> : !int
  // How many steps stand, how often one was halved, the largest drift of energy, and the last status that was not OK.
  gpuvm.metric @taken : !int
  gpuvm.metric @halvings : !int
  gpuvm.metric @worst_drift : !one
  gpuvm.metric @condition : !int
  // Places at the beginning of each day; the length of each step that stands, and the energy behind it.
  gpuvm.global @track : !days
  gpuvm.global @energy_of : !energies
  gpuvm.global @length_of : !lengths

  %origin = arith.constant dense<0> : !int
  %unknown = arith.constant dense<0.0> : !one

  gpuvm.stage @begin(%length = %first : !int) {
    gpuvm.store %length, @step : !int
    %zero = arith.constant dense<0> : !int
    %none = arith.constant dense<0.0> : !one
    gpuvm.store %zero, @taken : !int
    gpuvm.store %zero, @halvings : !int
    gpuvm.store %none, @worst_drift : !one
    gpuvm.store %zero, @condition : !int
  }

  %places, %speeds, %time, %reference, %last = gpuvm.repeat @steps up_to @steps@
      (%q0 = %q : !vectors, %v0 = %v : !vectors, %t0 = %origin : !int, %e0 = %unknown : !one, %e1 = %unknown : !one) {
    // How long this step is: as the regulator says, but not beyond the year. The first one has no length: it is there for
    // the energy at the beginning.
    %ticks, %h = gpuvm.stage @clock(%t = %t0 : !mi, %end = %year : !int, %reference = %e0 : !m1) -> (!int, !one) {
      %zero = arith.constant dense<0.0> : !one
      %nothing = arith.constant dense<0> : !int
      %isFirst = arith.cmpf oeq, %reference, %zero : !one
      %step = gpuvm.load @step : !int
      %left = arith.subi %end, %t : !int
      %most = arith.minsi %step, %left : !int
      %n = arith.select %isFirst, %nothing, %most : !flag, !int
      %f = arith.sitofp %n : !int to !one
      %day = arith.constant dense<0.00390625> : !one // 1 / 256
      %days = arith.mulf %f, %day : !one
      gpuvm.send %n, %days : !int, !one
    }
    %q1, %v1, %parts = gpuvm.repeat @leapfrogs up_to 3 (%qa = %q0 : !ms, %va = %v0 : !ms, %part = %origin : !int) {
      %half, %span = gpuvm.stage @drift(%q_ = %qa : !ms, %v_ = %va : !ms, %h_ = %h : !m1, %n = %part : !mi)
          -> (!vectors, !one) {
        %outer = arith.constant dense<1.3512071919596578> : !one
        %middle = arith.constant dense<-1.7024143839193153> : !one
        %second = arith.constant dense<1> : !int
        %isMiddle = arith.cmpi eq, %n, %second : !int
        %weight = arith.select %isMiddle, %middle, %outer : !flag, !one
        %dt = arith.mulf %h_, %weight : !one
        %e = tensor.empty() : !vectors
        %r = linalg.generic {indexing_maps = [#all, #all, #scalar, #all], iterator_types = ["parallel", "parallel"]}
            ins(%q_, %v_, %dt : !vectors, !vectors, !one) outs(%e : !vectors) {
        ^bb0(%a: f64, %b: f64, %d: f64, %o: f64):
          %c = arith.constant 0.5 : f64
          %d2 = arith.mulf %d, %c : f64
          %way = arith.mulf %b, %d2 : f64
          %new = arith.addf %a, %way : f64
          linalg.yield %new : f64
        } -> !vectors
        gpuvm.send %r, %dt : !vectors, !one
      }
      %pull = gpuvm.stage @force(%q_ = %half : !ms, %gm_ = %gm : !bodies) -> !vectors {
        %x = tensor.extract_slice %q_[0, 0] [1, 11] [1, 1] : !vectors to !bodies
        %y = tensor.extract_slice %q_[1, 0] [1, 11] [1, 1] : !vectors to !bodies
        %z = tensor.extract_slice %q_[2, 0] [1, 11] [1, 1] : !vectors to !bodies
        %none = arith.constant dense<0.0> : !vectors
        %a = linalg.generic {indexing_maps = [#to, #from, #i, #j, #i, #j, #i, #j, #j, #to],
                             iterator_types = ["parallel", "parallel", "reduction"]}
            ins(%q_, %q_, %x, %x, %y, %y, %z, %z, %gm_ : !vectors, !vectors, !bodies, !bodies, !bodies, !bodies, !bodies, !bodies, !bodies)
            outs(%none : !vectors) {
        ^bb0(%own: f64, %other: f64, %xi: f64, %xj: f64, %yi: f64, %yj: f64, %zi: f64, %zj: f64, %mass: f64, %sum: f64):
          %zero = arith.constant 0.0 : f64
          %one = arith.constant 1.0 : f64
          %dx = arith.subf %xj, %xi : f64
          %dy = arith.subf %yj, %yi : f64
          %dz = arith.subf %zj, %zi : f64
          %xx = arith.mulf %dx, %dx : f64
          %yy = arith.mulf %dy, %dy : f64
          %zz = arith.mulf %dz, %dz : f64
          %xy = arith.addf %xx, %yy : f64
          %rr = arith.addf %xy, %zz : f64
          // A body does not pull itself.
          %self = arith.cmpf oeq, %rr, %zero : f64
          %safe = arith.select %self, %one, %rr : f64
          %r = math.sqrt %safe : f64
          %rrr = arith.mulf %safe, %r : f64
          %g = arith.divf %mass, %rrr : f64
          %d = arith.subf %other, %own : f64
          %term = arith.mulf %g, %d : f64
          %new = arith.addf %sum, %term : f64
          linalg.yield %new : f64
        } -> !vectors
        gpuvm.send %a : !vectors
      }
      %q2, %v2, %next = gpuvm.stage @kick(%q_ = %half : !ms, %v_ = %va : !ms, %a_ = %pull : !ms, %dt = %span : !m1, %n = %part : !mi)
          -> (!vectors, !vectors, !int) {
        %e = tensor.empty() : !vectors
        %r:2 = linalg.generic {indexing_maps = [#all, #all, #all, #scalar, #all, #all], iterator_types = ["parallel", "parallel"]}
            ins(%q_, %v_, %a_, %dt : !vectors, !vectors, !vectors, !one) outs(%e, %e : !vectors, !vectors) {
        ^bb0(%a: f64, %b: f64, %g: f64, %d: f64, %o0: f64, %o1: f64):
          %c = arith.constant 0.5 : f64
          %d2 = arith.mulf %d, %c : f64
          %change = arith.mulf %g, %d : f64
          %speed = arith.addf %b, %change : f64
          %way = arith.mulf %speed, %d2 : f64
          %place = arith.addf %a, %way : f64
          linalg.yield %place, %speed : f64, f64
        } -> (!vectors, !vectors)
        %one = arith.constant dense<1> : !int
        %m = arith.addi %n, %one : !int
        gpuvm.send %r#0, %r#1, %m : !vectors, !vectors, !int
      }
      gpuvm.next %q2, %v2, %next : !ms, !ms, !mi
    }
    %now = gpuvm.stage @energy(%q_ = %q1 : !ms, %v_ = %v1 : !ms, %gm_ = %gm : !bodies) -> !one {
      %vv = arith.mulf %v_, %v_ : !vectors
      %x = tensor.extract_slice %q_[0, 0] [1, 11] [1, 1] : !vectors to !bodies
      %y = tensor.extract_slice %q_[1, 0] [1, 11] [1, 1] : !vectors to !bodies
      %z = tensor.extract_slice %q_[2, 0] [1, 11] [1, 1] : !vectors to !bodies
      %none = arith.constant dense<0.0> : !one
      %kinetic = linalg.generic {indexing_maps = [#all, #mass, #scalar], iterator_types = ["reduction", "reduction"]}
          ins(%vv, %gm_ : !vectors, !bodies) outs(%none : !one) {
      ^bb0(%square: f64, %mass: f64, %sum: f64):
        %c = arith.constant 0.5 : f64
        %half = arith.mulf %mass, %c : f64
        %term = arith.mulf %half, %square : f64
        %new = arith.addf %sum, %term : f64
        linalg.yield %new : f64
      } -> !one
      %potential = linalg.generic {indexing_maps = [#pair_i, #pair_j, #pair_i, #pair_j, #pair_i, #pair_j, #pair_i, #pair_j, #sum],
                                   iterator_types = ["reduction", "reduction"]}
          ins(%x, %x, %y, %y, %z, %z, %gm_, %gm_ : !bodies, !bodies, !bodies, !bodies, !bodies, !bodies, !bodies, !bodies)
          outs(%none : !one) {
      ^bb0(%xi: f64, %xj: f64, %yi: f64, %yj: f64, %zi: f64, %zj: f64, %mi: f64, %mj: f64, %sum: f64):
        %zero = arith.constant 0.0 : f64
        %c = arith.constant 0.5 : f64 // Each pair comes twice.
        %dx = arith.subf %xj, %xi : f64
        %dy = arith.subf %yj, %yi : f64
        %dz = arith.subf %zj, %zi : f64
        %xx = arith.mulf %dx, %dx : f64
        %yy = arith.mulf %dy, %dy : f64
        %zz = arith.mulf %dz, %dz : f64
        %xy = arith.addf %xx, %yy : f64
        %rr = arith.addf %xy, %zz : f64
        %r = math.sqrt %rr : f64
        %mm = arith.mulf %mi, %mj : f64
        %half = arith.mulf %mm, %c : f64
        %whole = arith.divf %half, %r : f64
        %self = arith.cmpf oeq, %rr, %zero : f64
        %term = arith.select %self, %zero, %whole : f64
        %new = arith.addf %sum, %term : f64
        linalg.yield %new : f64
      } -> !one
      %energy = arith.subf %kinetic, %potential : !one
      gpuvm.send %energy : !one
    }
    // Takes a step that drifts back, and has it and those that follow be half as long.
    %accepted, %halved, %drifted, %t1, %e2, %e3, %done = gpuvm.stage @regulate
        (%e = %now : !m1, %known = %e0 : !m1, %previous = %e1 : !m1, %limit = %tolerance : !one, %t = %t0 : !mi, %n = %ticks : !mi,
         %end = %year : !int) -> (!flag, !flag, !one, !int, !one, !one, !flag) {
      %true = arith.constant dense<true> : !flag
      %zero = arith.constant dense<0.0> : !one
      %isFirst = arith.cmpf oeq, %known, %zero : !one
      %before = arith.select %isFirst, %e, %known : !flag, !one
      %difference = arith.subf %e, %before : !one
      %ratio = arith.divf %difference, %before : !one
      %drift = math.absf %ratio : !one
      %isNumber = arith.cmpf ord, %drift, %drift : !one
      %isOff = arith.cmpf ogt, %drift, %limit : !one

      %least = gpuvm.load @least : !int
      %isLong = arith.cmpi sgt, %n, %least : !int
      %halve = arith.andi %isOff, %isLong : !flag
      %stays = arith.xori %halve, %true : !flag
      %accept = arith.andi %stays, %isNumber : !flag
      %one = arith.constant dense<1> : !int
      %shorter = arith.shrsi %n, %one : !int
      %step = gpuvm.load @step : !int
      %length = arith.select %halve, %shorter, %step : !flag, !int
      gpuvm.store %length, @step : !int

      %later = arith.addi %t, %n : !int
      %time = arith.select %accept, %later, %t : !flag, !int
      // Shorter steps are compared with the energy that they begin with.
      %reference = arith.select %halve, %previous, %before : !flag, !one
      %last = arith.select %accept, %e, %previous : !flag, !one
      %isOver = arith.cmpi sge, %time, %end : !int
      %isNone = arith.xori %isNumber, %true : !flag
      %over = arith.ori %isOver, %isNone : !flag

      %ok = arith.constant dense<0> : !int
      %anomaly = arith.constant dense<1> : !int
      %attention = arith.constant dense<2> : !int
      %stuck = arith.andi %isOff, %accept : !flag
      %a = arith.select %stuck, %attention, %ok : !flag, !int
      %status = arith.select %isNumber, %a, %anomaly : !flag, !int
      gpuvm.send %accept, %halve, %drift, %time, %reference, %last, %over : !flag, !flag, !one, !int, !one, !one, !flag
          status(%status : !int)
    }
    %q3, %v3 = gpuvm.stage @settle(%ok = %accepted : !mf, %qn = %q1 : !ms, %vn = %v1 : !ms, %qo = %q0 : !ms, %vo = %v0 : !ms)
        -> (!vectors, !vectors) {
      %e = tensor.empty() : tensor<3x11xi1>
      %all = linalg.broadcast ins(%ok : !flag) outs(%e : tensor<3x11xi1>) dimensions = [0, 1]
      %a = arith.select %all, %qn, %qo : tensor<3x11xi1>, !vectors
      %b = arith.select %all, %vn, %vo : tensor<3x11xi1>, !vectors
      gpuvm.send %a, %b : !vectors, !vectors
    }
    // The diary. What is stored in a row before the first one is not stored.
    gpuvm.stage @record(%ok = %accepted : !mf, %half = %halved : !mf, %drift = %drifted : !m1, %t = %t1 : !mi, %n = %ticks : !mi,
                        %e = %now : !m1, %q_ = %q1 : !ms) {
      %none = arith.constant dense<0> : !int
      %one = arith.constant dense<1> : !int
      %nowhere = arith.constant dense<-1> : !int
      %perDay = arith.constant dense<256> : !int
      %count = gpuvm.load @taken : !int
      %line = arith.select %ok, %count, %nowhere : !flag, !int
      %energy = tensor.expand_shape %e [] output_shape [1] : !one into tensor<1xf64>
      gpuvm.store %energy, @energy_of[%line] : tensor<1xf64>
      %length = tensor.expand_shape %n [] output_shape [1] : !int into tensor<1xi32>
      gpuvm.store %length, @length_of[%line] : tensor<1xi32>

      %rest = arith.remsi %t, %perDay : !int
      %day = arith.divsi %t, %perDay : !int
      %isDay = arith.cmpi eq, %rest, %none : !int
      %isRow = arith.andi %isDay, %ok : !flag
      %row = arith.select %isRow, %day, %nowhere : !flag, !int
      %r = tensor.expand_shape %q_ [[0, 1], [2]] output_shape [1, 3, 11] : !vectors into tensor<1x3x11xf64>
      gpuvm.store %r, @track[%row] : tensor<1x3x11xf64>

      %counted = arith.extui %ok : !flag to !int
      %taken = arith.addi %count, %counted : !int
      gpuvm.store %taken, @taken : !int
      %times = gpuvm.load @halvings : !int
      %again = arith.extui %half : !flag to !int
      %halvings = arith.addi %times, %again : !int
      gpuvm.store %halvings, @halvings : !int
      %most = gpuvm.load @worst_drift : !one
      %larger = arith.maximumf %most, %drift : !one
      %worst = arith.select %ok, %larger, %most : !flag, !one
      gpuvm.store %worst, @worst_drift : !one
      %status = gpuvm.metadata status of %ok : !flag -> !int
      %isFine = arith.cmpi eq, %status, %none : !int
      %so_far = gpuvm.load @condition : !int
      %condition = arith.select %isFine, %so_far, %status : !flag, !int
      gpuvm.store %condition, @condition : !int
    }
    gpuvm.next %q3, %v3, %t1, %e2, %e3 : !ms, !ms, !mi, !m1, !m1 until %done : !mf
  }
  %days, %energies, %lengths = gpuvm.stage @report() -> (!days, !energies, !lengths) {
    %a = gpuvm.load @track : !days
    %b = gpuvm.load @energy_of : !energies
    %c = gpuvm.load @length_of : !lengths
    gpuvm.send %a, %b, %c : !days, !energies, !lengths
  }
  gpuvm.return %places, %speeds, %time, %days, %energies, %lengths
      : !ms, !ms, !mi, !gpuvm.message<!days>, !gpuvm.message<!energies>, !gpuvm.message<!lengths>
}
