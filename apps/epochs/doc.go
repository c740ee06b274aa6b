// Package epochs measures what epochs cost by themselves on Active Pebbles for Go: many of them, one after the other,
// in which each rank sends no pebble, or a few to the rank after it (detection of termination: Active Pebbles, section
// 3.6). The levels of a search of a road map look like this. After each epoch every rank checks that it has handled all
// that were sent to it.
package epochs
