// RUN: gpuvm-opt %s --split-input-file --verify-diagnostics

// C4 of token.machine: the rules of instruction tensors
// expected-error@+1 {{The machine has 0 zones (1 to 2097152 are allowed). [T13]}}
token.machine vocabulary 257 padding 256 tools ["calc"] {
  token.workflow "w" tags ["A", "B"] {
    token.class 0 "a" row 0 ["a"]
    token.class 1 "bc" row 1 ["bc"]
    token.test_model weight 64 phrases [["a"]] fillers ["x"]
  }
}

// -----

// expected-error@+1 {{The vocabulary has 256 tokens (257 to 1048576 are allowed). [T14]}}
token.machine vocabulary 256 padding 255 tools ["calc"] {
  token.workflow "w" tags ["A", "B"] {
    token.class 0 "a" row 0 ["a"]
    token.class 1 "bc" row 1 ["bc"]
    token.zone 0 ("s", 0, 0) advance [0] row 0 to 1 timeout 9
    token.zone 1 ("s", 0, 0) advance [1] row 1 to end
    token.test_model weight 64 phrases [["a"]] fillers ["x"]
  }
}

// -----

// expected-error@+1 {{The padding is token 257 (0 to 256 is allowed). [T14]}}
token.machine vocabulary 257 padding 257 tools ["calc"] {
  token.workflow "w" tags ["A", "B"] {
    token.class 0 "a" row 0 ["a"]
    token.class 1 "bc" row 1 ["bc"]
    token.zone 0 ("s", 0, 0) advance [0] row 0 to 1 timeout 9
    token.zone 1 ("s", 0, 0) advance [1] row 1 to end
    token.test_model weight 64 phrases [["a"]] fillers ["x"]
  }
}

// -----

token.machine vocabulary 257 padding 256 tools ["calc"] {
  token.workflow "w" tags ["A", "B"] {
    token.class 0 "a" row 0 ["a"]
    // expected-error@+1 {{Row 1 of "pattern_tokens" has token 257 at 1 (0 to 256 is allowed). [T14]}}
    token.class 1 "bc" row 1 ["b", 257]
    token.zone 0 ("s", 0, 0) advance [0] row 0 to 1 timeout 9
    token.zone 1 ("s", 0, 0) advance [1] row 1 to end
    token.test_model weight 64 phrases [["a"]] fillers ["x"]
  }
}

// -----

// expected-error@+1 {{"token_data" has token -1 at 0 (0 to 256 is allowed). [T14]}}
token.machine vocabulary 257 padding 256 tools ["calc"] {
  token.workflow "w" tags ["A", "B"] {
    token.class 0 "a" row 0 ["a"]
    token.class 1 "bc" row 1 ["bc"]
    token.zone 0 ("s", 0, 0) advance [0] row 0 to 1 timeout 9
    token.zone 1 ("s", 0, 0) advance [1] row 1 to end prompt [-1]
    token.test_model weight 64 phrases [["a"]] fillers ["x"]
  }
}

// -----

token.machine vocabulary 257 padding 256 tools ["calc"] {
  token.workflow "w" tags ["A", "B"] {
    token.class 0 "a" row 0 ["a"]
    token.class 1 "bc" row 1 ["bc"]
    token.zone 0 ("s", 0, 0) advance [0] row 0 to 1 timeout 9
    token.zone 1 ("s", 0, 0) advance [1] row 1 to end
    // expected-error@+1 {{Test model 0: "fillers" has token 300 at 1 (0 to 256 is allowed). [T14]}}
    token.test_model weight 64 phrases [["a"]] fillers ["x", 300]
  }
}

// -----

token.machine vocabulary 257 padding 256 tools ["calc"] {
  token.workflow "w" tags ["A", "B"] {
    token.class 0 "a" row 0 ["a"]
    // expected-error@+1 {{Row 1 of "pattern_tokens" has 0 tokens (1 to 32 are allowed). [T15]}}
    token.class 1 "bc" row 1 []
    token.zone 0 ("s", 0, 0) advance [0] row 0 to 1 timeout 9
    token.zone 1 ("s", 0, 0) advance [1] row 1 to end
    token.test_model weight 64 phrases [["a"]] fillers ["x"]
  }
}

// -----

token.machine vocabulary 257 padding 256 tools ["calc"] {
  token.workflow "w" tags ["A", "B"] {
    token.class 0 "a" row 0 ["a"]
    // expected-error@+1 {{Row 1 of "pattern_tokens" has 33 tokens (1 to 32 are allowed). [T15]}}
    token.class 1 "bc" row 1 ["123456789 123456789 123456789 123"]
    token.zone 0 ("s", 0, 0) advance [0] row 0 to 1 timeout 9
    token.zone 1 ("s", 0, 0) advance [1] row 1 to end
    token.test_model weight 64 phrases [["a"]] fillers ["x"]
  }
}

// -----

token.machine vocabulary 257 padding 256 tools ["calc"] {
  token.workflow "w" tags ["A", "B"] {
    token.class 0 "a" row 0 ["a"]
    // expected-error@+1 {{Class 1 has no pattern row (1 at least is wanted). [T15]}}
    token.class 1 "bc"
    token.zone 0 ("s", 0, 0) advance [0] row 0 to 1 timeout 9
    token.zone 1 ("s", 0, 0) advance [1] row 1 to end
    token.test_model weight 64 phrases [["a"]] fillers ["x"]
  }
}

// -----

token.machine vocabulary 257 padding 256 tools ["calc"] {
  token.workflow "w" tags ["A", "B"] {
    token.class 0 "a" row 0 ["a"]
    token.class 1 "bc" row 1 ["bc"]
    token.zone 0 ("s", 0, 0) advance [0] row 0 to 1 timeout 9
    // expected-error@+1 {{"advance_pattern" of zone 1 is 2 (0 to 1 is allowed). [T16]}}
    token.zone 1 ("s", 0, 0) advance [1] row 2 to end
    token.test_model weight 64 phrases [["a"]] fillers ["x"]
  }
}

// -----

token.machine vocabulary 257 padding 256 tools ["calc"] {
  token.workflow "w" tags ["A", "B"] {
    token.class 0 "a" row 0 ["a"]
    token.class 1 "bc" row 1 ["bc"]
    // expected-error@+1 {{"output_callback" of zone 0 is 1 (-1 to 0 is allowed). [T16]}}
    token.zone 0 ("s", 0, 0) advance [0] row 0 to 1 output 1 timeout 9
    token.zone 1 ("s", 0, 0) advance [1] row 1 to end
    token.test_model weight 64 phrases [["a"]] fillers ["x"]
  }
}

// -----

token.machine vocabulary 257 padding 256 tools ["calc"] {
  token.workflow "w" tags ["A", "B"] {
    token.class 0 "a" row 0 ["a"]
    token.class 1 "bc" row 1 ["bc"]
    token.zone 0 ("s", 0, 0) advance [0] row 0 to 1 timeout 9
    // expected-error@+1 {{"zone_advance_mask" of zone 1 has index 2 (there are 2). [T17]}}
    token.zone 1 ("s", 0, 0) advance [1, 2] row 1 to end
    token.test_model weight 64 phrases [["a"]] fillers ["x"]
  }
}

// -----

token.machine vocabulary 257 padding 256 tools ["calc"] {
  token.workflow "w" tags ["A", "B"] {
    token.class 0 "a" row 0 ["a"]
    token.class 1 "bc" row 1 ["bc"]
    token.zone 0 ("s", 0, 0) advance [0] row 0 to 1 timeout 9
    // expected-error@+1 {{"jump_advance_mask" of zone 1 has index 0 after 1 (ascending ones are wanted). [T17]}}
    token.zone 1 ("s", 0, 0) advance [1] row 1 to end jump [1, 0] to end
    token.test_model weight 64 phrases [["a"]] fillers ["x"]
  }
}

// -----

token.machine vocabulary 257 padding 256 tools ["calc"] {
  token.workflow "w" tags ["A", "B"] {
    token.class 0 "a" row 0 ["a"]
    token.class 1 "bc" row 1 ["bc"]
    token.zone 0 ("s", 0, 0) advance [0] row 0 to 1 timeout 9
    // expected-error@+1 {{"escape_open_mask" of zone 1 has index -1 (there are 2). [T17]}}
    token.zone 1 ("s", 0, 0) advance [1] row 1 to end open [-1]
    token.test_model weight 64 phrases [["a"]] fillers ["x"]
  }
}

// -----

token.machine vocabulary 257 padding 256 tools ["calc"] {
  token.workflow "w" tags ["A", "B"] {
    token.class 0 "a" row 0 ["a"]
    token.class 1 "bc" row 1 ["bc"]
    token.zone 0 ("s", 0, 0) advance [0] row 0 to 1 timeout 9
    // expected-error@+1 {{"escape_close_mask" of zone 1 has index 7 (there are 2). [T17]}}
    token.zone 1 ("s", 0, 0) advance [1] row 1 to end close [7]
    token.test_model weight 64 phrases [["a"]] fillers ["x"]
  }
}

// -----

token.machine vocabulary 257 padding 256 tools ["calc"] {
  token.workflow "w" tags ["A", "B"] {
    token.class 0 "a" row 0 ["a"]
    token.class 1 "bc" row 1 ["bc"]
    token.zone 0 ("s", 0, 0) advance [0] row 0 to 1 timeout 9
    // expected-error@+1 {{"tags" of zone 1 has index 2 (there are 2). [T17]}}
    token.zone 1 ("s", 0, 0) advance [1] row 1 to end tags [0, 2]
    token.test_model weight 64 phrases [["a"]] fillers ["x"]
  }
}

// -----

token.machine vocabulary 257 padding 256 tools ["calc"] {
  token.workflow "w" tags ["A", "B"] {
    token.class 0 "a" row 0 ["a"]
    token.class 1 "bc" row 1 ["bc"]
    token.zone 0 ("s", 0, 0) advance [0] row 0 to 1 timeout 9
    // expected-error@+1 {{"timeout" of zone 1 is -1 (0 or more is allowed). [T18]}}
    token.zone 1 ("s", 0, 0) advance [1] row 1 to end timeout -1
    token.test_model weight 64 phrases [["a"]] fillers ["x"]
  }
}

// -----

token.machine vocabulary 257 padding 256 tools ["calc"] {
  token.workflow "w" tags ["A", "B"] {
    token.class 0 "a" row 0 ["a"]
    token.class 1 "bc" row 1 ["bc"]
    token.zone 0 ("s", 0, 0) advance [0] row 0 to 1 timeout 9
    // expected-error@+1 {{"timeout" of zone 1 is 1 (its "advance_pattern" has 2 tokens). [T18]}}
    token.zone 1 ("s", 0, 0) advance [1] row 1 to end timeout 1
    token.test_model weight 64 phrases [["a"]] fillers ["x"]
  }
}

// -----

token.machine vocabulary 257 padding 256 tools ["calc"] {
  token.workflow "w" tags ["A", "B"] {
    token.class 0 "a" row 0 ["a"]
    token.class 1 "bc" row 1 ["bc"]
    token.zone 0 ("s", 0, 0) advance [0] row 0 to 1 timeout 9
    // expected-error@+1 {{Zone 1 has a limit but does not advance on class 0 of its row 0 of "advance_pattern". [T18]}}
    token.zone 1 ("s", 0, 0) advance [1] row 0 to end timeout 5
    token.test_model weight 64 phrases [["a"]] fillers ["x"]
  }
}

// -----

token.machine vocabulary 257 padding 256 tools ["calc"] {
  token.workflow "w" tags ["A", "B"] {
    token.class 0 "a" row 0 ["a"]
    token.class 1 "bc" row 1 ["bc"]
    token.zone 0 ("s", 0, 0) advance [0] row 0 to 1 timeout 9
    // expected-error@+1 {{Zone 1 feeds answers but does not advance on class 1 of its row 1 of "advance_pattern". [T18]}}
    token.zone 1 ("s", 0, 0) advance off [1] row 1 to end jump [0] to end input
    token.test_model weight 64 phrases [["a"]] fillers ["x"]
  }
}

// -----

token.machine vocabulary 257 padding 256 tools ["calc"] {
  token.workflow "w" tags ["A", "B"] {
    token.class 0 "a" row 0 ["a"]
    token.class 1 "bc" row 1 ["bc"]
    token.zone 0 ("s", 0, 0) advance [0] row 0 to 1 timeout 9
    // expected-error@+1 {{"output" of zone 1 is true but its "output_callback" is -1 (-1 just where it is false). [T18]}}
    token.zone 1 ("s", 0, 0) advance [1] row 1 to end output -1
    token.test_model weight 64 phrases [["a"]] fillers ["x"]
  }
}

// -----

token.machine vocabulary 257 padding 256 tools ["calc"] {
  token.workflow "w" tags ["A", "B"] {
    token.class 0 "a" row 0 ["a"]
    token.class 1 "bc" row 1 ["bc"]
    token.zone 0 ("s", 0, 0) advance [0] row 0 to end timeout 9
    // expected-error@+1 {{Zone 1 is not reached from an entry over active edges. [T19]}}
    token.zone 1 ("s", 0, 0) advance [1] row 1 to end
    token.test_model weight 64 phrases [["a"]] fillers ["x"]
  }
}

// -----

token.machine vocabulary 257 padding 256 tools ["calc"] {
  token.workflow "w" tags ["A", "B"] {
    token.class 0 "a" row 0 ["a"]
    token.class 1 "bc" row 1 ["bc"]
    // expected-error@+1 {{END (2) is not reached from zone 0 over active edges. [T19]}}
    token.zone 0 ("s", 0, 0) advance [0] row 0 to 1 timeout 9
    // expected-error@+1 {{END (2) is not reached from zone 1 over active edges. [T19]}}
    token.zone 1 ("s", 0, 0) advance [1] row 1 to 1
    token.test_model weight 64 phrases [["a"]] fillers ["x"]
  }
}

// -----

token.machine vocabulary 257 padding 256 tools ["calc"] {
  // expected-error@+1 {{Extract "e" of Workflow 0 ("w") has tag "Bb", which is not in "tags"}}
  token.workflow "w" tags ["A", "B"] {
    token.class 0 "a" row 0 ["a"]
    token.class 1 "bc" row 1 ["bc"]
    token.zone 0 ("s", 0, 0) advance [0] row 0 to 1 timeout 9
    token.zone 1 ("s", 0, 0) advance [1] row 1 to end
    token.extract "e" ["Bb"]
    token.test_model weight 64 phrases [["a"]] fillers ["x"]
  }
}

// -----

token.machine vocabulary 257 padding 256 tools ["calc"] {
  token.workflow "w" tags ["A", "B"] {
    token.class 0 "a" row 0 ["a"]
    token.class 1 "bc" row 1 ["bc"]
    token.zone 0 ("s", 0, 0) advance [0] row 0 to 1 timeout 9
    token.zone 1 ("s", 0, 0) advance [1] row 1 to end
    // expected-error@+1 {{Test model 0 has weight 257 (0 to 256 is allowed). [T20]}}
    token.test_model weight 257 phrases [["a"]] fillers ["x"]
  }
}

// -----

token.machine vocabulary 257 padding 256 tools ["calc"] {
  token.workflow "w" tags ["A", "B"] {
    token.class 0 "a" row 0 ["a"]
    token.class 1 "bc" row 1 ["bc"]
    token.zone 0 ("s", 0, 0) advance [0] row 0 to 1 timeout 9
    token.zone 1 ("s", 0, 0) advance [1] row 1 to end
    // expected-error@+1 {{Test model 0 has 0 phrases and 1 fillers (1 of each at least is wanted). [T20]}}
    token.test_model weight 64 phrases [] fillers ["x"]
  }
}

// -----

token.machine vocabulary 257 padding 256 tools ["calc"] {
  token.workflow "w" tags ["A", "B"] {
    token.class 0 "a" row 0 ["a"]
    token.class 1 "bc" row 1 ["bc"]
    token.zone 0 ("s", 0, 0) advance [0] row 0 to 1 timeout 9
    token.zone 1 ("s", 0, 0) advance [1] row 1 to end
    // expected-error@+1 {{Test model 0: phrase 0 has no token (1 at least is wanted). [T20]}}
    token.test_model weight 64 phrases [[]] fillers ["x"]
  }
}

// -----

// The second of several errors stands at its operation too, and zones of the second workflow are found.
token.machine vocabulary 257 padding 256 {
  token.workflow "v" {
    token.class 0 "a" row 0 ["a"]
    token.zone 0 ("s", 0, 0) advance [0] row 0 to end
    token.test_model weight 64 phrases [["a"]] fillers ["x"]
  }
  token.workflow "w" {
    token.class 1 "b" row 1 ["b"]
    // expected-error@+1 {{"advance_pattern" of zone 1 is 3 (0 to 1 is allowed). [T16]}}
    token.zone 1 ("s", 0, 0) advance [1] row 3 to 2
    // expected-error@+1 {{"tags" of zone 2 has index 0 (there are 0). [T17]}}
    token.zone 2 ("s", 0, 0) advance [1] row 1 to end tags [0]
    // expected-error@+1 {{Test model 1 has weight -1 (0 to 256 is allowed). [T20]}}
    token.test_model weight -1 phrases [["b"]] fillers ["x"]
  }
}
