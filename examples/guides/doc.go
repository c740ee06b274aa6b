// Package guides holds no code. Its tests compile and run the guides: each Go block is part of a compiled file, each
// text block is the output of an example, each command exists, defaults agree with the code, and short examples are
// short.
package guides
