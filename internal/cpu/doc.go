// Package cpu has the functions that depend on the processor and the machine's memory: prefetching, a pause in a spin
// loop, a yield of the core, vector instructions, huge pages, and the amount of free memory. None of them changes the
// results of a program.
package cpu
