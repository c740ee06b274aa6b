// Hashtable is a hash table that is spread over all ranks. Delegates write it: they find a free slot at the owner of
// the slots. Gather reads it: it fetches the first slots of many keys at once, and continues with the keys that are not
// there.
//
//	go run ./examples/hashtable
package main
