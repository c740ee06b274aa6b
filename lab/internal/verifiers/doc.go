// Package verifiers holds the verifiers of the applications to what they promise. Its test builds the command with
// faults put into the runtime, each of which loses, repeats, alters or misplaces pebbles, and runs every application:
// each run must fail, and say what is wrong. And it holds tests to what they promise: a catalogue of faults names, for
// each, the test that finds it.
package verifiers
