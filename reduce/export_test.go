package reduce

// MergedByWatch is how many of the pebbles with these keys a cache would merge, as a trial sees it.
func MergedByWatch(slots int, keys []uint64) int {
	w := newWatch(newSlots(slots))
	return w.look(keys).merged
}
