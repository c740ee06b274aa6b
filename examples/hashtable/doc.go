// Hashtable is a hash table that is spread over all ranks: it is written by delegates, which find a free slot where the
// slots are, and read by Gather, which fetches the first slots of many keys at once, and looks on where those have
// other keys.
//
//	go run ./examples/hashtable
package main
