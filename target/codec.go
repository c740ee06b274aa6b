package target

import "github.com/activepebbles/pebbles/pebble"

// Codec encodes pebbles that are not plain data. Both methods are called on the goroutine of the rank that sends or
// handles; a codec that ranks share must be safe for that. If a codec also has a method Schema() string, its result
// describes the wire format, and is compared across ranks.
type Codec[V any] = pebble.Codec[V]
