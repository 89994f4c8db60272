// Takes the noise out of a recording, shapes its tone and keeps it from clipping,
// chunk by chunk: 4,096 samples of each channel, 85 ms at 48,000 a second.
//
// The recording is cut into frames of 1,024 samples, each 256 after the one before
// (Hann's window before the transform and behind the inverse one). A spectral gate
// lowers the frequencies that are not above the noise, whose spectrum it follows in
// the pauses; an equaliser shapes the rest; the frames are added up again. A
// regulator reads how loud that is and lowers the gain at once, which comes back
// slowly; a limiter keeps what is too loud until then below -1 dB of full scale.
//
// A stage with instances is a VM instance of one body for each channel. What it
// keeps from chunk to chunk, such as the halves of frames that are not complete, is
// in registers of its own. The result is 1,024 samples late: 768 until all frames of a
// sample are there, and 256 that the limiter looks ahead.
//
//   gpuvm-compile recording.mlir -o recording.gvplan
//   gpuvm-run recording.gvplan --input=window=@hann.npy --input=equaliser=@equaliser.npy --input=closing=f32=0.85
//       --input=noisier=f32=1.03 --input=returning=f32=1.005 --input=rising=f32=1.01 --input=patience=i32=24
//       --stream=sound=sound.npy --stream-output=clean=clean.raw --stream-output=report=report.raw
//       --stream-output=ticks=ticks.raw --output=silenced --output=full

gpuvm.parameter @channels = 2 in 1 to 256

!chunk = tensor<4096x@channels@xf32>  // As in a file: a row is a sample of each channel.
!channels = tensor<@channels@x4096xf32>
!allSpectra = tensor<@channels@x16x513x2xf32>
!allPowers = tensor<@channels@x16x513xf32>
!allSpectrum = tensor<@channels@x513xf32>
!samples = tensor<4096xf32>           // Of one channel, as all types below.
!hops = tensor<16x256xf32>
!long = tensor<19x256xf32>            // With the three hops in front or behind.
!frames = tensor<16x1024xf32>
!spectra = tensor<16x513x2xf32>       // Real and imaginary parts of 513 frequencies.
!powers = tensor<16x513xf32>
!spectrum = tensor<513xf32>

#own3 = affine_map<(t, k, c) -> (t, k, c)>
#tk = affine_map<(t, k, c) -> (t, k)>
#k = affine_map<(t, k, c) -> (k)>

gpuvm.program @recording(%sound: !chunk, %patience: tensor<i32>) -> (clean: !chunk, report: tensor<1x6xf32>, ticks: tensor<1x2xi64>) {
  gpuvm.heap @window : tensor<1024xf32>
  gpuvm.heap @equaliser : !spectrum
  // How fast: factors for each frame, chunk, chunk and hop.
  gpuvm.heap @closing : tensor<f32>                                                     // The gate closes by 20 dB in 75 ms (0.85),
  gpuvm.heap @noisier : tensor<f32>                                                     // the noise may rise by 1.5 dB a second (1.03),
  gpuvm.heap @returning : tensor<f32>                                                   // the regulator's gain by 0.5 dB (1.005),
  gpuvm.heap @rising : tensor<f32>                                                      // the limiter's by 16 dB (1.01).
  // What each channel keeps.
  gpuvm.register @before : tensor<@channels@x768xf32>                                   // Samples in which the next frames begin.
  gpuvm.register @noise : tensor<@channels@x513xf32> = dense<1.0e9> : tensor<@channels@x513xf32>  // Power of the noise at each frequency.
  gpuvm.register @open : tensor<@channels@x513xf32>                                     // How far the gate was open.
  gpuvm.register @unfinished : tensor<@channels@x768xf32>                               // Sums that wait for more frames.
  gpuvm.register @ahead : tensor<@channels@x256xf32>                                    // What the limiter has seen and not sent.
  gpuvm.register @limit : tensor<@channels@xf32> = dense<1.0> : tensor<@channels@xf32>  // Its gain where that begins.
  gpuvm.metric @silenced : tensor<i64>                                                  // Samples that were no numbers.
  gpuvm.metric @full : tensor<i64>                                                      // Samples at full scale: the recording is clipped.
  gpuvm.global @gain : tensor<f32> = dense<1.0> : tensor<f32>                           // The regulator's word.
  gpuvm.control @quiet : tensor<i32>                                                    // For how many chunks nobody speaks.

  // A channel after the other. What is no number, or above 16 times full scale, becomes silence; status 1, ANOMALY.
  %heard = gpuvm.stage @receive(%x = %sound : !chunk) -> !channels {
    %empty = tensor.empty() : !channels
    %none = arith.constant dense<0> : tensor<i32>
    %flags = tensor.empty() : tensor<@channels@x4096xi32>
    %y, %bad, %full = linalg.generic {
        indexing_maps = [affine_map<(c, n) -> (n, c)>, affine_map<(c, n) -> (c, n)>, affine_map<(c, n) -> (c, n)>, affine_map<(c, n) -> (c, n)>],
        iterator_types = ["parallel", "parallel"]}
        ins(%x : !chunk) outs(%empty, %flags, %flags : !channels, tensor<@channels@x4096xi32>, tensor<@channels@x4096xi32>) {
    ^bb0(%sample: f32, %o0: f32, %o1: i32, %o2: i32):
      %zero = arith.constant 0.0 : f32
      %most = arith.constant 16.0 : f32
      %scale = arith.constant 0.999 : f32
      %size = math.absf %sample : f32
      %isSample = arith.cmpf ole, %size, %most : f32
      %isFull = arith.cmpf oge, %size, %scale : f32
      %clean = arith.select %isSample, %sample, %zero : f32
      %yes = arith.constant 1 : i32
      %no = arith.constant 0 : i32
      %b = arith.select %isSample, %no, %yes : i32
      %f = arith.select %isFull, %yes, %no : i32
      linalg.yield %clean, %b, %f : f32, i32, i32
    } -> (!channels, tensor<@channels@x4096xi32>, tensor<@channels@x4096xi32>)
    %bads = linalg.reduce { arith.addi } ins(%bad : tensor<@channels@x4096xi32>) outs(%none : tensor<i32>) dimensions = [0, 1]
    %fulls = linalg.reduce { arith.addi } ins(%full : tensor<@channels@x4096xi32>) outs(%none : tensor<i32>) dimensions = [0, 1]
    %bads64 = arith.extsi %bads : tensor<i32> to tensor<i64>
    %fulls64 = arith.extsi %fulls : tensor<i32> to tensor<i64>
    %silenced = gpuvm.load @silenced : tensor<i64>
    %wereFull = gpuvm.load @full : tensor<i64>
    %allSilenced = arith.addi %silenced, %bads64 : tensor<i64>
    %allFull = arith.addi %wereFull, %fulls64 : tensor<i64>
    gpuvm.store %allSilenced, @silenced : tensor<i64>
    gpuvm.store %allFull, @full : tensor<i64>
    %some = arith.cmpi sgt, %bads, %none : tensor<i32>
    %status = arith.extui %some : tensor<i1> to tensor<i32>
    gpuvm.send %y : !channels status(%status : tensor<i32>)
  }

  // The samples from before and the new ones make 16 frames.
  %spectra = gpuvm.stage @analyse instances(@channels@) (%x = %heard : !gpuvm.message<!channels>) -> !allSpectra {
    %before = gpuvm.load own @before : tensor<768xf32>
    %w = gpuvm.load @window : tensor<1024xf32>
    %all = tensor.concat dim(0) %before, %x : (tensor<768xf32>, !samples) -> tensor<4864xf32>
    %last = tensor.extract_slice %x[3328] [768] [1] : !samples to tensor<768xf32>
    gpuvm.store own %last, @before : tensor<768xf32>
    // A frame is four hops.
    %hops = tensor.expand_shape %all [[0, 1]] output_shape [19, 256] : tensor<4864xf32> into !long
    %h0 = tensor.extract_slice %hops[0, 0] [16, 256] [1, 1] : !long to !hops
    %h1 = tensor.extract_slice %hops[1, 0] [16, 256] [1, 1] : !long to !hops
    %h2 = tensor.extract_slice %hops[2, 0] [16, 256] [1, 1] : !long to !hops
    %h3 = tensor.extract_slice %hops[3, 0] [16, 256] [1, 1] : !long to !hops
    %frames = tensor.concat dim(1) %h0, %h1, %h2, %h3 : (!hops, !hops, !hops, !hops) -> !frames
    %empty = tensor.empty() : !frames
    %ws = linalg.broadcast ins(%w : tensor<1024xf32>) outs(%empty : !frames) dimensions = [0]
    %windowed = arith.mulf %frames, %ws : !frames
    %spectra = gpuvm.rfft %windowed : !frames -> !spectra
    gpuvm.send %spectra : !spectra
  }

  // The mean power of a frequency and its four neighbours, which flickers less. Its least mean of a chunk is that of the noise; this estimate
  // rises slowly until a pause says better.
  %powers, %noise = gpuvm.stage @listen instances(@channels@) (%x = %spectra : !gpuvm.message<!allSpectra>) -> (!allPowers, !allSpectrum) {
    %old = gpuvm.load own @noise : !spectrum
    %re = tensor.extract_slice %x[0, 0, 0] [16, 513, 1] [1, 1, 1] : !spectra to !powers
    %im = tensor.extract_slice %x[0, 0, 1] [16, 513, 1] [1, 1, 1] : !spectra to !powers
    %re2 = arith.mulf %re, %re : !powers
    %im2 = arith.mulf %im, %im : !powers
    %power = arith.addf %re2, %im2 : !powers
    %nothing = arith.constant 0.0 : f32
    %wide = tensor.pad %power low[0, 2] high[0, 2] {
    ^bb0(%i: index, %j: index):
      tensor.yield %nothing : f32
    } : !powers to tensor<16x517xf32>
    %n0 = tensor.extract_slice %wide[0, 0] [16, 513] [1, 1] : tensor<16x517xf32> to !powers
    %n1 = tensor.extract_slice %wide[0, 1] [16, 513] [1, 1] : tensor<16x517xf32> to !powers
    %n3 = tensor.extract_slice %wide[0, 3] [16, 513] [1, 1] : tensor<16x517xf32> to !powers
    %n4 = tensor.extract_slice %wide[0, 4] [16, 513] [1, 1] : tensor<16x517xf32> to !powers
    %n01 = arith.addf %n0, %n1 : !powers
    %n34 = arith.addf %n3, %n4 : !powers
    %n012 = arith.addf %n01, %power : !powers
    %five = arith.addf %n012, %n34 : !powers
    %fifth = arith.constant dense<0.2> : !powers
    %smooth = arith.mulf %five, %fifth : !powers
    %zero = arith.constant dense<0.0> : !spectrum
    %sum = linalg.reduce { arith.addf } ins(%smooth : !powers) outs(%zero : !spectrum) dimensions = [0]
    %sixteenth = arith.constant dense<0.0625> : !spectrum
    %noisier = gpuvm.load @noisier : tensor<f32>
    %row = tensor.empty() : !spectrum
    %rise = linalg.broadcast ins(%noisier : tensor<f32>) outs(%row : !spectrum) dimensions = [0]
    %least = arith.constant dense<1.0e-9> : !spectrum
    %mean = arith.mulf %sum, %sixteenth : !spectrum
    %risen = arith.mulf %old, %rise : !spectrum
    %lower = arith.minimumf %mean, %risen : !spectrum
    // Digital silence says nothing about the noise.
    %isSound = arith.cmpf ogt, %mean, %least : !spectrum
    %new = arith.select %isSound, %lower, %old : tensor<513xi1>, !spectrum
    gpuvm.store own %new, @noise : !spectrum
    gpuvm.send %smooth, %new : !powers, !spectrum
  }

  // How far the gate is open: 1 - 4 noise / power is wanted, at least 0.06 (-24 dB).
  %gate = gpuvm.stage @gate instances(@channels@) (%power = %powers : !gpuvm.message<!allPowers>, %n = %noise : !gpuvm.message<!allSpectrum>) -> !allPowers {
    %empty = tensor.empty() : !powers
    %target = linalg.generic {
        indexing_maps = [affine_map<(t, k) -> (t, k)>, affine_map<(t, k) -> (k)>, affine_map<(t, k) -> (t, k)>],
        iterator_types = ["parallel", "parallel"]}
        ins(%power, %n : !powers, !spectrum) outs(%empty : !powers) {
    ^bb0(%here: f32, %noiseHere: f32, %o: f32):
      %four = arith.constant 4.0 : f32
      %one = arith.constant 1.0 : f32
      %floor = arith.constant 0.06 : f32
      %tiny = arith.constant 1.0e-12 : f32
      %some = arith.addf %here, %tiny : f32
      %ratio = arith.divf %noiseHere, %some : f32
      %much = arith.mulf %ratio, %four : f32
      %rest = arith.subf %one, %much : f32
      %least = arith.maximumf %rest, %floor : f32
      linalg.yield %least : f32
    } -> !powers
    // Opens at once and closes slowly: g[t] = max(wanted[t], closing g[t - 1]), from the last frame before.
    %g = gpuvm.load own @open : !spectrum
    %closing = gpuvm.load @closing : tensor<f32>
    %now = linalg.generic {
        indexing_maps = [affine_map<(t, k) -> (k)>, affine_map<(t, k) -> ()>, affine_map<(t, k) -> (t, k)>],
        iterator_types = ["parallel", "parallel"]}
        ins(%g, %closing : !spectrum, tensor<f32>) outs(%empty : !powers) {
    ^bb0(%old: f32, %left: f32, %o: f32):
      %t = linalg.index 0 : index
      %k = linalg.index 1 : index
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %end = arith.addi %t, %c1 : index
      %open = scf.for %s = %c0 to %end step %c1 iter_args(%before = %old) -> (f32) {
        %wanted = tensor.extract %target[%s, %k] : !powers
        %faded = arith.mulf %before, %left : f32
        %r = arith.maximumf %wanted, %faded : f32
        scf.yield %r : f32
      }
      linalg.yield %open : f32
    } -> !powers
    %last = tensor.extract_slice %now[15, 0] [1, 513] [1, 1] : !powers to !spectrum
    gpuvm.store own %last, @open : !spectrum
    gpuvm.send %now : !powers
  }

  // The gate's gain and the tone's.
  %shaped = gpuvm.stage @equalise instances(@channels@) (%x = %spectra : !gpuvm.message<!allSpectra>, %g = %gate : !gpuvm.message<!allPowers>) -> !allSpectra {
    %curve = gpuvm.load @equaliser : !spectrum
    %empty = tensor.empty() : !spectra
    %y = linalg.generic {indexing_maps = [#own3, #tk, #k, #own3], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%x, %g, %curve : !spectra, !powers, !spectrum) outs(%empty : !spectra) {
    ^bb0(%part: f32, %open: f32, %tone: f32, %o: f32):
      %both = arith.mulf %open, %tone : f32
      %r = arith.mulf %part, %both : f32
      linalg.yield %r : f32
    } -> !spectra
    gpuvm.send %y : !spectra
  }

  // Overlap-add: each sample is in four frames, whose squared windows add up to 1.5.
  %voice = gpuvm.stage @add instances(@channels@) (%x = %shaped : !gpuvm.message<!allSpectra>) -> !channels {
    %w = gpuvm.load @window : tensor<1024xf32>
    %old = gpuvm.load own @unfinished : tensor<768xf32>
    %frames = gpuvm.irfft %x : !spectra -> !frames
    %empty = tensor.empty() : !frames
    %ws = linalg.broadcast ins(%w : tensor<1024xf32>) outs(%empty : !frames) dimensions = [0]
    %two3rds = arith.constant dense<0.666666667> : !frames
    %scaled = arith.mulf %ws, %two3rds : !frames
    %parts = arith.mulf %frames, %scaled : !frames
    %zero = arith.constant 0.0 : f32
    %f0 = tensor.extract_slice %parts[0, 0] [16, 256] [1, 1] : !frames to !hops
    %f1 = tensor.extract_slice %parts[0, 256] [16, 256] [1, 1] : !frames to !hops
    %f2 = tensor.extract_slice %parts[0, 512] [16, 256] [1, 1] : !frames to !hops
    %f3 = tensor.extract_slice %parts[0, 768] [16, 256] [1, 1] : !frames to !hops
    %q0 = tensor.pad %f0 low[0, 0] high[3, 0] {
    ^bb0(%i: index, %j: index):
      tensor.yield %zero : f32
    } : !hops to !long
    %q1 = tensor.pad %f1 low[1, 0] high[2, 0] {
    ^bb0(%i: index, %j: index):
      tensor.yield %zero : f32
    } : !hops to !long
    %q2 = tensor.pad %f2 low[2, 0] high[1, 0] {
    ^bb0(%i: index, %j: index):
      tensor.yield %zero : f32
    } : !hops to !long
    %q3 = tensor.pad %f3 low[3, 0] high[0, 0] {
    ^bb0(%i: index, %j: index):
      tensor.yield %zero : f32
    } : !hops to !long
    %old2 = tensor.expand_shape %old [[0, 1]] output_shape [3, 256] : tensor<768xf32> into tensor<3x256xf32>
    %start = tensor.pad %old2 low[0, 0] high[16, 0] {
    ^bb0(%i: index, %j: index):
      tensor.yield %zero : f32
    } : tensor<3x256xf32> to !long
    %s0 = arith.addf %start, %q3 : !long
    %s1 = arith.addf %s0, %q2 : !long
    %s2 = arith.addf %s1, %q1 : !long
    %sum = arith.addf %s2, %q0 : !long
    %flat = tensor.collapse_shape %sum [[0, 1]] : !long into tensor<4864xf32>
    %rest = tensor.extract_slice %flat[4096] [768] [1] : tensor<4864xf32> to tensor<768xf32>
    gpuvm.store own %rest, @unfinished : tensor<768xf32>
    %y = tensor.extract_slice %flat[0] [4096] [1] : tensor<4864xf32> to !samples
    gpuvm.send %y : !samples
  }

  // Reads max_abs of all channels. A peak above -1 dB (0.891) lowers the gain at once to where it fits; it comes back
  // slowly. Status 2, ATTENTION, where it goes down. @drive applies it, in this submit.
  %level, %levelBefore = gpuvm.stage @regulate(%v = %voice : !gpuvm.message<!channels>) -> (tensor<f32>, tensor<f32>) {
    %peak = gpuvm.metadata max_abs of %v : !channels -> tensor<f32>
    %fits, %stable = gpuvm.regulate %peak towards 0.891 between 0.0 and 0.891 : tensor<f32>, tensor<i32>
    %old = gpuvm.load @gain : tensor<f32>
    %back = gpuvm.load @returning : tensor<f32>
    %up = arith.mulf %old, %back : tensor<f32>
    %new = arith.minimumf %up, %fits : tensor<f32>
    gpuvm.store %new, @gain : tensor<f32>
    %isLower = arith.cmpf olt, %new, %old : tensor<f32>
    %attention = arith.constant dense<2> : tensor<i32>
    %ok = arith.constant dense<0> : tensor<i32>
    %status = arith.select %isLower, %attention, %ok : tensor<i1>, tensor<i32>
    gpuvm.send %new, %old : tensor<f32>, tensor<f32> status(%status : tensor<i32>)
  }

  // The gain goes from the old one to the new within the first hop. Sends the hop that waits and these, and their peaks.
  %driven, %peaks = gpuvm.stage @drive instances(@channels@) (%x = %voice : !gpuvm.message<!channels>, %new = shared %level : !gpuvm.message<tensor<f32>>,
      %old = shared %levelBefore : !gpuvm.message<tensor<f32>>)
      -> (tensor<@channels@x17x256xf32>, tensor<@channels@x17xf32>) {
    %empty = tensor.empty() : !hops
    %rows = tensor.expand_shape %x [[0, 1]] output_shape [16, 256] : !samples into !hops
    %loud = linalg.generic {
        indexing_maps = [affine_map<(h, n) -> (h, n)>, affine_map<(h, n) -> ()>, affine_map<(h, n) -> ()>, affine_map<(h, n) -> (h, n)>],
        iterator_types = ["parallel", "parallel"]}
        ins(%rows, %old, %new : !hops, tensor<f32>, tensor<f32>) outs(%empty : !hops) {
    ^bb0(%sample: f32, %from: f32, %to: f32, %o: f32):
      %h = linalg.index 0 : index
      %n = linalg.index 1 : index
      %c0 = arith.constant 0 : index
      %isFirst = arith.cmpi eq, %h, %c0 : index
      %i = arith.index_cast %n : index to i32
      %f = arith.sitofp %i : i32 to f32
      %step = arith.constant 0.00390625 : f32
      %part = arith.mulf %f, %step : f32
      %change = arith.subf %to, %from : f32
      %some = arith.mulf %change, %part : f32
      %ramp = arith.addf %from, %some : f32
      %gain = arith.select %isFirst, %ramp, %to : f32
      %r = arith.mulf %sample, %gain : f32
      linalg.yield %r : f32
    } -> !hops
    %ahead = gpuvm.load own @ahead : tensor<256xf32>
    %ahead2 = tensor.expand_shape %ahead [[0, 1]] output_shape [1, 256] : tensor<256xf32> into tensor<1x256xf32>
    %all = tensor.concat dim(0) %ahead2, %loud : (tensor<1x256xf32>, !hops) -> tensor<17x256xf32>
    %sizes = math.absf %all : tensor<17x256xf32>
    %none = arith.constant dense<0.0> : tensor<17xf32>
    %peaks = linalg.reduce { arith.maximumf } ins(%sizes : tensor<17x256xf32>) outs(%none : tensor<17xf32>) dimensions = [1]
    %lastHop = tensor.extract_slice %loud[15, 0] [1, 256] [1, 1] : !hops to tensor<256xf32>
    gpuvm.store own %lastHop, @ahead : tensor<256xf32>
    gpuvm.send %all, %peaks : tensor<17x256xf32>, tensor<17xf32>
  }

  // The limiter's gain at both ends of a hop is such that its peak fits; between them it goes along a line, so no sample is above 0.891. It
  // comes back slowly: b[j + 1] = min(fits[j], fits[j + 1], rising b[j]), from the last one before.
  %limited, %least = gpuvm.stage @limit_peaks instances(@channels@)
      (%all = %driven : !gpuvm.message<tensor<@channels@x17x256xf32>>, %p = %peaks : !gpuvm.message<tensor<@channels@x17xf32>>) -> (!channels, tensor<@channels@xf32>) {
    %fits, %stable = gpuvm.regulate %p towards 0.891 between 0.0 and 0.891 : tensor<17xf32>, tensor<17xi32>
    %left = tensor.extract_slice %fits[0] [16] [1] : tensor<17xf32> to tensor<16xf32>
    %right = tensor.extract_slice %fits[1] [16] [1] : tensor<17xf32> to tensor<16xf32>
    %most = arith.minimumf %left, %right : tensor<16xf32>
    %old = gpuvm.load own @limit : tensor<f32>
    %rising = gpuvm.load @rising : tensor<f32>
    %bounds = tensor.empty() : tensor<17xf32>
    %b = linalg.generic {indexing_maps = [affine_map<(j) -> ()>, affine_map<(j) -> ()>, affine_map<(j) -> (j)>], iterator_types = ["parallel"]}
        ins(%old, %rising : tensor<f32>, tensor<f32>) outs(%bounds : tensor<17xf32>) {
    ^bb0(%held: f32, %up: f32, %o: f32):
      %j = linalg.index 0 : index
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %bound = scf.for %i = %c0 to %j step %c1 iter_args(%before = %held) -> (f32) {
        %fit = tensor.extract %most[%i] : tensor<16xf32>
        %risen = arith.mulf %before, %up : f32
        %r = arith.minimumf %fit, %risen : f32
        scf.yield %r : f32
      }
      linalg.yield %bound : f32
    } -> tensor<17xf32>
    %last = tensor.extract_slice %b[16] [1] [1] : tensor<17xf32> to tensor<f32>
    gpuvm.store own %last, @limit : tensor<f32>
    %one = arith.constant dense<1.0> : tensor<f32>
    %least = linalg.reduce { arith.minimumf } ins(%b : tensor<17xf32>) outs(%one : tensor<f32>) dimensions = [0]
    %from = tensor.extract_slice %b[0] [16] [1] : tensor<17xf32> to tensor<16xf32>
    %to = tensor.extract_slice %b[1] [16] [1] : tensor<17xf32> to tensor<16xf32>
    %empty = tensor.empty() : !hops
    %out = tensor.extract_slice %all[0, 0] [16, 256] [1, 1] : tensor<17x256xf32> to !hops
    %y = linalg.generic {
        indexing_maps = [affine_map<(h, n) -> (h, n)>, affine_map<(h, n) -> (h)>, affine_map<(h, n) -> (h)>, affine_map<(h, n) -> (h, n)>],
        iterator_types = ["parallel", "parallel"]}
        ins(%out, %from, %to : !hops, tensor<16xf32>, tensor<16xf32>) outs(%empty : !hops) {
    ^bb0(%sample: f32, %first: f32, %second: f32, %o: f32):
      %n = linalg.index 1 : index
      %i = arith.index_cast %n : index to i32
      %f = arith.sitofp %i : i32 to f32
      %step = arith.constant 0.00390625 : f32
      %part = arith.mulf %f, %step : f32
      %change = arith.subf %second, %first : f32
      %some = arith.mulf %change, %part : f32
      %gain = arith.addf %first, %some : f32
      %r = arith.mulf %sample, %gain : f32
      linalg.yield %r : f32
    } -> !hops
    %flat = tensor.collapse_shape %y [[0, 1]] : !hops into !samples
    gpuvm.send %flat, %least : !samples, tensor<f32>
  }

  // The file's order of samples again.
  %clean = gpuvm.stage @deliver(%x = %limited : !gpuvm.message<!channels>) -> !chunk {
    %empty = tensor.empty() : !chunk
    %y = linalg.transpose ins(%x : !channels) outs(%empty : !chunk) permutation = [1, 0]
    gpuvm.send %y : !chunk
  }

  // Asks for the next chunk (status 4, NEED_IO) until nobody has spoken for `patience` of them.
  %report = gpuvm.stage @attend(%h = %heard : !gpuvm.message<!channels>, %v = %voice : !gpuvm.message<!channels>,
      %g = %level : !gpuvm.message<tensor<f32>>, %y = %limited : !gpuvm.message<!channels>, %l = %least : !gpuvm.message<tensor<@channels@xf32>>,
      %p = %patience : tensor<i32>) -> tensor<1x6xf32> {
    %in = gpuvm.metadata max_abs of %h : !channels -> tensor<f32>
    %peak = gpuvm.metadata max_abs of %v : !channels -> tensor<f32>
    %out = gpuvm.metadata max_abs of %y : !channels -> tensor<f32>
    %spoken = arith.constant dense<0.05> : tensor<f32>
    %isQuiet = arith.cmpf olt, %peak, %spoken : tensor<f32>
    %old = gpuvm.load @quiet : tensor<i32>
    %one = arith.constant dense<1> : tensor<i32>
    %zero = arith.constant dense<0> : tensor<i32>
    %more = arith.addi %old, %one : tensor<i32>
    %quiet = arith.select %isQuiet, %more, %zero : tensor<i1>, tensor<i32>
    gpuvm.store %quiet, @quiet : tensor<i32>
    %listens = arith.cmpi slt, %quiet, %p : tensor<i32>
    %needIo = arith.constant dense<4> : tensor<i32>
    %status = arith.select %listens, %needIo, %zero : tensor<i1>, tensor<i32>
    // For the eye: peaks of what came, of the voice and of what goes, the two gains, and for how long it is quiet.
    %full = arith.constant dense<1.0> : tensor<f32>
    %limit = linalg.reduce { arith.minimumf } ins(%l : tensor<@channels@xf32>) outs(%full : tensor<f32>) dimensions = [0]
    %chunks = arith.sitofp %quiet : tensor<i32> to tensor<f32>
    %i1 = tensor.expand_shape %in [] output_shape [1] : tensor<f32> into tensor<1xf32>
    %p1 = tensor.expand_shape %peak [] output_shape [1] : tensor<f32> into tensor<1xf32>
    %o1 = tensor.expand_shape %out [] output_shape [1] : tensor<f32> into tensor<1xf32>
    %g1 = tensor.expand_shape %g [] output_shape [1] : tensor<f32> into tensor<1xf32>
    %l1 = tensor.expand_shape %limit [] output_shape [1] : tensor<f32> into tensor<1xf32>
    %q1 = tensor.expand_shape %chunks [] output_shape [1] : tensor<f32> into tensor<1xf32>
    %row = tensor.concat dim(0) %i1, %p1, %o1, %g1, %l1, %q1
        : (tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<6xf32>
    %r = tensor.expand_shape %row [[0, 1]] output_shape [1, 6] : tensor<6xf32> into tensor<1x6xf32>
    gpuvm.send %r : tensor<1x6xf32> status(%status : tensor<i32>)
  }

  // Nanoseconds on the device until the limited samples were there, and whether there is more to come.
  %when = gpuvm.stage @clock(%y = %limited : !gpuvm.message<!channels>, %r = %report : !gpuvm.message<tensor<1x6xf32>>) -> tensor<1x2xi64> {
    %t = gpuvm.metadata ticks of %y : !channels -> tensor<i64>
    %s = gpuvm.metadata status of %r : tensor<1x6xf32> -> tensor<i32>
    %s64 = arith.extsi %s : tensor<i32> to tensor<i64>
    %t1 = tensor.expand_shape %t [] output_shape [1, 1] : tensor<i64> into tensor<1x1xi64>
    %s1 = tensor.expand_shape %s64 [] output_shape [1, 1] : tensor<i64> into tensor<1x1xi64>
    %both = tensor.concat dim(1) %t1, %s1 : (tensor<1x1xi64>, tensor<1x1xi64>) -> tensor<1x2xi64>
    gpuvm.send %both : tensor<1x2xi64>
  }
  gpuvm.return %clean, %report, %when : !gpuvm.message<!chunk>, !gpuvm.message<tensor<1x6xf32>>, !gpuvm.message<tensor<1x2xi64>>
}
