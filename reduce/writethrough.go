package reduce

// writeThrough is the part of a store that never holds a pebble.
type writeThrough[V any] struct{}

func (writeThrough[V]) held() int               { return 0 }
func (writeThrough[V]) drain([]V, []uint64) int { return 0 }
