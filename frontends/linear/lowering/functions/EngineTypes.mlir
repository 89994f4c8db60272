// The epochs of the linear-algebra VM, for any program of a size class: what it does
// is in tables. docs/linear-vm.md describes the machine. Each function is the body of a
// stage, or of a part of it; lowering/BuildEngine.cpp has the loop over the epochs.
//
// An epoch makes one list of the machines that run: those at a linear instruction, then
// those at one of the oracle, a branch, input and output, each in the order of their
// numbers. What a machine of the list computes stands at its place in the list, and the
// next state of each machine is taken from there.
!floats = tensor<@machines@xf32>
!frames = tensor<@frames@x5xi32>
!pushed = tensor<@machines@x5xi32>
!sizes = tensor<4xi32>
!word = tensor<i32>
!code = tensor<@instructions@x5xi32>
!metadata = tensor<@instructions@x4xi32>
!dense = tensor<@denseElements@xf32>
!values = tensor<@nonzeros@xf32>
!columns = tensor<@nonzeros@xi32>
!pointers = tensor<@rowPointers@xi32>
!packed = tensor<@packedWords@xi32>
!dictionary = tensor<@differentValues@xf32>
!phases = tensor<@phases@x5xi32>      // first launch, launches, launched machines, machines, budget
!launches = tensor<@launches@x22xi32> // first machine, first instruction, r0 .. m15
!buffers = tensor<@buffers@xi32>      // bases
!limits = tensor<5xi32>               // addresses, frames of a machine, tolerance, phases, 1: binary16
!access = tensor<@launches@x@buffers@xi32> // 1: may be read, 2: may be written
