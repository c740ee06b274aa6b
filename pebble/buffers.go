package pebble

// Buffers says who fills a buffer for a rank of another process.
type Buffers uint8

const (
	// Separate buffers are filled by one rank each.
	Separate Buffers = iota
	// Shared buffers are filled by all ranks of a process: node-level aggregation. There are fewer of them, they fill
	// sooner, and each pebble is copied once more. Detectors that tell frames apart by their sender don't hold with
	// them.
	Shared
)

// String is the word that flags use.
func (b Buffers) String() string {
	if b == Shared {
		return "shared"
	}
	return "separate"
}
