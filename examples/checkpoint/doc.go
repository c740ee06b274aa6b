// Checkpoint lets walkers spread over a ring of cells, and saves where they are. Ended in any way and started again, on
// as many ranks as you like, it goes on from its last checkpoint and prints the same:
//
//	pebbles run -n 4 --restart 3 -- checkpoint -checkpoint /tmp/walk -checkpoint-every 1s -steps 100000
package main
