// Package verifiers tests the promises of the applications' verifiers. Its test builds the command with faults in the
// runtime that lose, repeat, alter or misplace pebbles, and runs every application: each run must fail, and name the
// error. It also tests the tests: a catalogue names, for each of many faults, the test that finds it.
package verifiers
