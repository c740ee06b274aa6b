//go:build long

package termination_test

// long says that these tests may take minutes.
const long = true
