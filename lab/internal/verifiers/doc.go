// Package verifiers holds the verifiers of the applications to their promises. Its test builds the command with
// faults put into the runtime, each of which loses, repeats, alters or misplaces pebbles, and runs every application:
// each run must fail, and name the error. And it holds tests to their promises: a catalogue of faults names, for
// each, the test that finds it.
package verifiers
