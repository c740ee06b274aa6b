// Topwords counts the words of files in a container.Counter, and prints the most frequent ones. It is the first program
// of docs/guide-containers.md.
//
//	go run ./examples/topwords -n 20 README.md docs/*.md
package main
