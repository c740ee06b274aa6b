// Package cpu holds what Active Pebbles asks of the processor and of the machine's memory: prefetching, a pause in a
// spin loop, a yield of the core, vector instructions, huge pages, and how much memory is free. Nothing here changes
// what a program computes.
package cpu
