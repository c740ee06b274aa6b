// Command scale simulates one program on 16 to 65,536 ranks, each size as a process of its own, and writes time and memory
// into a page, beside what the formulas predict: buffers, frames and messages of detection under a hypercube.
//
//	scale -pebbles built/pebbles -page results/scale.md
package main
