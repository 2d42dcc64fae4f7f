//! AMD GPU machine code: decode, print and execute
