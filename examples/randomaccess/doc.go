// Command randomaccess is the RandomAccess program of the HPC Challenge on Active Pebbles, in some 30 lines: random
// words of a table that is spread over all ranks are updated by pebbles. It has no verification of its own; its test
// compares the table with that of a serial program, word by word. The command "pebbles randomaccess" is the benchmark
// with all its rules.
package main
