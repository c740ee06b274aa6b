// Stencil spreads heat over a grid on shared pages: each rank has some rows, and reads one row of each neighbour. It is
// the first program of docs/guide-memory.md.
//
//	go run ./examples/stencil
package main
