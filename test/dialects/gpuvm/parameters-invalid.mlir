// RUN: gpuvm-opt %s --split-input-file --verify-diagnostics
// The reader of parameters says the same of texts (test/compiler/parameters.test); these are for what is made otherwise.

// expected-error @+1 {{C1: 4 : i32 is no number of i64 or f64}}
"gpuvm.parameter"() {parameter = "n", value = 4 : i32} : () -> ()

// -----

// expected-error @+1 {{C1: "x" is no number of i64 or f64}}
"gpuvm.parameter"() {parameter = "n", value = "x"} : () -> ()

// -----

// expected-error @+1 {{C1: the value is 4 : i64, and a bound is of another type}}
"gpuvm.parameter"() {parameter = "n", value = 4, least = 1.0, greatest = 8} : () -> ()

// -----

// expected-error @+1 {{C1: the value is 4 : i64, and a bound is of another type}}
"gpuvm.parameter"() {parameter = "n", value = 4, least = 1} : () -> ()

// -----

// expected-error @+1 {{C2: 4 : i64 is less than the least value (5 : i64)}}
"gpuvm.parameter"() {parameter = "n", value = 4, least = 5, greatest = 8} : () -> ()

// -----

// expected-error @+1 {{C2: 4.000000e+00 : f64 is more than the greatest value (3.000000e+00 : f64)}}
"gpuvm.parameter"() {parameter = "n", value = 4.0, least = 2.0, greatest = 3.0} : () -> ()

// -----

gpuvm.program @p() {
  // expected-error @+1 {{expects parent op 'builtin.module'}}
  gpuvm.parameter @n = 3
  gpuvm.return
}
