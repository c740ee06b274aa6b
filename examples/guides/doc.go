// Package guides holds no code. Its tests hold the guides of Active Pebbles to the truth: each block of Go in them is a
// piece of a compiled source file, each block of text is what an example prints, each command exists, and the examples
// that the guides call short are short.
package guides
