// Flags counts random numbers at the owners of their keys. It shows a program with the flags of all jobs, a report in
// JSON, and a simulated world: docs/guide-first-program.md and docs/guide-simulation.md.
//
//	go run ./examples/flags -ranks 4 -topology hypercube
//	go run ./examples/flags -json -coalesce auto
//	go run ./examples/flags -ranks 256 -network odin
package main
