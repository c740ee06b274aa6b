// Command stall is a program with a mistake, which docs/guide-watching.md finds: a handler that follows a list of
// parents to its root, in data that has a cycle. Start it with -http 8080 to look on.
package main
