// Checkpoint spreads walkers over a ring of cells, and saves their positions. After any end and a restart, on any
// number of ranks, it continues from its last checkpoint and prints the same:
//
//	pebbles run -n 4 --restart 3 -- checkpoint -checkpoint /tmp/walk -checkpoint-every 1s -steps 100000
package main
