// Command scale lets one program run simulated on 16 to 65,536 ranks, each time as a process of its own, and writes what it took
// into a page, beside what the formulas say: buffers, frames and messages of detection under a hypercube.
//
//	scale -pebbles built/pebbles -page ../docs/scale.md
package main
