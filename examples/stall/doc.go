// Command stall has a handler that follows parents to their root. With -cycle the data of one rank has a cycle, so that
// the handler does not return: docs/guide-watching.md shows how to find it. Start it with -http 8080 to watch.
package main
