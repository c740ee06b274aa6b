// Command wordcount counts the words of text files with Active Pebbles, and prints the most frequent ones. Each word is
// a key, owned by one rank; each word read is a pebble to its key.
//
//	go run ./examples/wordcount FILE...
//	pebbles run -n 2 -- ./wordcount FILE...
//
// Without a file it counts a small built-in text. Every rank reads all files and sends the words of its share of the
// lines, so all processes of a job must see the same files. docs/guide-first-program.md walks through it.
package main
