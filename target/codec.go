package target

import "github.com/activepebbles/pebbles/pebble"

// Codec carries pebbles that are not plain data. Both methods are called on the goroutine of the rank that sends or
// handles; a codec shared by ranks must be safe for that. A codec that also has a method Schema() string describes its
// wire format by it: descriptions are compared across ranks.
type Codec[V any] = pebble.Codec[V]
