// Teams lets two libraries work at the same time in one program, on half of the ranks each: one marks the multiples of
// primes in a table, the other counts the lengths of Collatz chains in a container.
//
//	go run ./examples/teams
//
// docs/guide-choosing.md walks through it.
package main
