package reduce

// MergedByWatch returns the number of pebbles with these keys that a cache would merge, by a trial's estimate.
func MergedByWatch(slots int, keys []uint64) int {
	w := newWatch(newSlots(slots))
	return w.look(keys).merged
}
