// Package ping measures streams of messages on Active Pebbles for Go, as Grappa's ping test does (Nelson and others,
// 2014, section
// 8.2 and figure 10): each rank of the first half of a job sends messages to one rank of the second half, as fast as it can. With a
// coalescing factor of 1 each message is a frame; with others they share frames. Messages have 8 bytes to 4 KiB, all of
// which the receiver reads: it checks how many have come, and the sum of their words.
package ping
