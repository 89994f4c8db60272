// RUN: gpuvm-opt %s --split-input-file --verify-diagnostics

// Text
token.machine vocabulary 257 padding 256 tools ["calc"] {
  token.workflow "w" tags ["A", "B"] {
    // expected-error@+1 {{expected integer value}}
    token.class 0 "a" row 0 [a]
    token.class 1 "bc" row 1 ["bc"]
    token.zone 0 ("s", 0, 0) advance [0] row 0 to 1 timeout 9
    token.zone 1 ("s", 0, 0) advance [1] row 1 to end
    token.test_model weight 64 phrases [["a"]] fillers ["x"]
  }
}

// -----

token.machine vocabulary 257 padding 256 tools ["calc"] {
  token.workflow "w" tags ["A", "B"] {
    // expected-error@+1 {{integer value too large}}
    token.class 0 "a" row 0 [99999999999]
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
    token.class 1 "bc" row 1 ["bc"]
    token.zone 0 ("s", 0, 0) advance [0] row 0 to 1 timeout 9
    // expected-error@+1 {{expected a zone's number or end}}
    token.zone 1 ("s", 0, 0) advance [1] row 1 to -2
    token.test_model weight 64 phrases [["a"]] fillers ["x"]
  }
}

// -----

// C1 of token.machine
token.machine vocabulary 257 padding 256 tools ["calc"] {
  // expected-error@+1 {{stands in a token.machine, which has workflows}}
  builtin.module {}
  token.workflow "w" tags ["A", "B"] {
    token.class 0 "a" row 0 ["a"]
    token.class 1 "bc" row 1 ["bc"]
    token.zone 0 ("s", 0, 0) advance [0] row 0 to 1 timeout 9
    token.zone 1 ("s", 0, 0) advance [1] row 1 to end
    token.test_model weight 64 phrases [["a"]] fillers ["x"]
  }
}

// -----

// C2
token.machine vocabulary 257 padding 256 tools ["calc"] {
  token.workflow "w" tags ["A", "B"] {
    token.class 0 "a" row 0 ["a"]
    // expected-error@+1 {{has number 2, and the next one is 1}}
    token.class 2 "bc" row 1 ["bc"]
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
    // expected-error@+1 {{has number 2, and the next one is 1}}
    token.zone 2 ("s", 0, 0) advance [1] row 1 to end
    token.test_model weight 64 phrases [["a"]] fillers ["x"]
  }
}

// -----

token.machine vocabulary 257 padding 256 tools ["calc"] {
  token.workflow "w" tags ["A", "B"] {
    token.class 0 "a" row 0 ["a"]
    // expected-error@+1 {{has row 2, and the machine has 2 rows from 0}}
    token.class 1 "bc" row 2 ["bc"]
    token.zone 0 ("s", 0, 0) advance [0] row 0 to 1 timeout 9
    token.zone 1 ("s", 0, 0) advance [1] row 1 to end
    token.test_model weight 64 phrases [["a"]] fillers ["x"]
  }
}

// -----

token.machine vocabulary 257 padding 256 tools ["calc"] {
  token.workflow "w" tags ["A", "B"] {
    token.class 0 "a" row 0 ["a"]
    // expected-error@+1 {{has row 0, which is there already}}
    token.class 1 "bc" row 0 ["bc"]
    token.zone 0 ("s", 0, 0) advance [0] row 0 to 1 timeout 9
    token.zone 1 ("s", 0, 0) advance [1] row 1 to end
    token.test_model weight 64 phrases [["a"]] fillers ["x"]
  }
}

// -----

// C3
token.machine vocabulary 257 padding 256 data ["ab"] {
  token.workflow "w" tags ["A", "B"] {
    token.class 0 "a" row 0 ["a"]
    token.class 1 "bc" row 1 ["bc"]
    // expected-error@+1 {{has no place in the data of its machine}}
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
    // expected-error@+1 {{has a place in data, and its machine has none}}
    token.zone 1 ("s", 0, 0) advance [1] row 1 to end data 0 to 0
    token.test_model weight 64 phrases [["a"]] fillers ["x"]
  }
}

// -----

// C1 of token.workflow
token.machine vocabulary 257 padding 256 tools ["calc"] {
  token.workflow "w" tags ["A", "B"] {
    token.class 0 "a" row 0 ["a"]
    token.class 1 "bc" row 1 ["bc"]
    token.zone 0 ("s", 0, 0) advance [0] row 0 to 1 timeout 9
    token.zone 1 ("s", 0, 0) advance [1] row 1 to end
    token.test_model weight 64 phrases [["a"]] fillers ["x"]
    // expected-error@+1 {{stands in a token.workflow, which has classes, zones, extracts and a test model}}
    builtin.module {}
  }
}

// -----

token.machine vocabulary 257 padding 256 tools ["calc"] {
  // expected-error@+1 {{has 0 test models, and it has one}}
  token.workflow "w" tags ["A", "B"] {
    token.class 0 "a" row 0 ["a"]
    token.class 1 "bc" row 1 ["bc"]
    token.zone 0 ("s", 0, 0) advance [0] row 0 to 1 timeout 9
    token.zone 1 ("s", 0, 0) advance [1] row 1 to end
  }
}

// -----

// C2
token.machine vocabulary 257 padding 256 tools ["calc"] {
  token.workflow "w" tags ["A", "B"] {
    token.class 0 "a" row 0 ["a"]
    token.class 1 "bc" row 1 ["bc"]
    token.zone 0 ("s", 0, 0) advance [0] row 0 to 1 timeout 9
    token.zone 1 ("s", 0, 0) advance [1] row 1 to end
    token.extract "e" ["A"]
    // expected-error@+1 {{is the second one with the name "e"}}
    token.extract "e" ["B"]
    token.test_model weight 64 phrases [["a"]] fillers ["x"]
  }
}

// -----

// C1 of token.zone
token.machine vocabulary 257 padding 256 tools ["calc"] {
  token.workflow "w" tags ["A", "B"] {
    token.class 0 "a" row 0 ["a"]
    token.class 1 "bc" row 1 ["bc"]
    token.zone 0 ("s", 0, 0) advance [0] row 0 to 1 timeout 9
    // expected-error@+1 {{leads to zone 2, and the last one is 1}}
    token.zone 1 ("s", 0, 0) advance [1] row 1 to 2
    token.test_model weight 64 phrases [["a"]] fillers ["x"]
  }
}

// -----

token.machine vocabulary 257 padding 256 tools ["calc"] {
  token.workflow "w" tags ["A", "B"] {
    token.class 0 "a" row 0 ["a"]
    token.class 1 "bc" row 1 ["bc"]
    token.zone 0 ("s", 0, 0) advance [0] row 0 to 1 timeout 9
    // expected-error@+1 {{leads to zone 2, and the last one is 1}}
    token.zone 1 ("s", 0, 0) advance [1] row 1 to end jump [0] to 2
    token.test_model weight 64 phrases [["a"]] fillers ["x"]
  }
}

// -----

// C3
token.machine vocabulary 257 padding 256 tools ["calc"] {
  token.workflow "w" tags ["A", "B"] {
    token.class 0 "a" row 0 ["a"]
    token.class 1 "bc" row 1 ["bc"]
    token.zone 0 ("s", 0, 0) advance [0] row 0 to 1 timeout 9
    // expected-error@+1 {{is of block -1 and repetition 0; both are at least 0}}
    token.zone 1 ("s", -1, 0) advance [1] row 1 to end
    token.test_model weight 64 phrases [["a"]] fillers ["x"]
  }
}

// -----

// C4
token.machine vocabulary 257 padding 256 tools ["calc"] {
  token.workflow "w" tags ["A", "B"] {
    token.class 0 "a" row 0 ["a"]
    token.class 1 "bc" row 1 ["bc"]
    token.zone 0 ("s", 0, 0) advance [0] row 0 to 1 timeout 9
    // expected-error@+1 {{has a prompt that is no list of tokens or place in the data, or is both}}
    token.zone 1 ("s", 0, 0) advance [1] row 1 to end data 0 to 0 prompt ["a"]
    token.test_model weight 64 phrases [["a"]] fillers ["x"]
  }
}

// -----

// C1 of token.class
token.machine vocabulary 257 padding 256 {
  token.workflow "w" {
    // expected-error@+1 {{has 1 rows and the tokens of 0}}
    "token.class"() <{number = 0 : i32, text = "a", rows = array<i32: 0>, tokens = []}> : () -> ()
  }
}

// -----

// C2 of token.zone
token.machine vocabulary 257 padding 256 {
  token.workflow "w" {
    // expected-error@+1 {{has a part of a jump; its classes and its target are wanted}}
    "token.zone"() <{number = 0 : i32, sequence = "s", block = 0 : i64, repetition = 0 : i64, advance = array<i32: 0>, advance_row = 0 : i32, next = -1 : i32, jump_off}> : () -> ()
  }
}
