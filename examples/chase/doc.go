// Chase follows pointers through a table that is spread over all ranks: thousands of tasks per rank each read one
// remote word at a time, and while one waits the others run. It is the first program of docs/guide-tasks.md.
//
//	go run ./examples/chase
package main
