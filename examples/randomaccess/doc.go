// Command randomaccess is the RandomAccess program of the HPC Challenge on Active Pebbles, in about 30 lines: pebbles
// update random words of a table that is spread over all ranks. It does not verify the result; its test compares the
// table with that of a serial program, word by word. The command "pebbles randomaccess" is the benchmark with all its
// rules.
package main
