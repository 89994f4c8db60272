// A number as the state keeps it.
//@if room
func.func private @rounded_as(%x: f32, %limits: !limits) -> f32 {
  %fifth = arith.constant 4 : index
  %halves = tensor.extract %limits[%fifth] : !limits
  %isHalf = arith.trunci %halves : i32 to i1
  %r = scf.if %isHalf -> f32 {
    %half = func.call @half(%x) : (f32) -> f32
    scf.yield %half : f32
  } else {
    scf.yield %x : f32
  }
  func.return %r : f32
}
//@else
//@if f16
func.func private @rounded(%x: f32, %isListed: i1) -> f32 {
  %r = func.call @half(%x) : (f32) -> f32
  func.return %r : f32
}
//@else
func.func private @rounded(%x: f32, %isListed: i1) -> f32 {
  %zero = arith.constant 0.0 : f32
  %r = arith.select %isListed, %x, %zero : f32
  func.return %r : f32
}
//@end
//@end
