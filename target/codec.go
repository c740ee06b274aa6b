package target

// Codec carries pebbles that are not plain data. Both methods are called on the goroutine of the rank that sends or
// handles; a codec shared by ranks must be safe for that. A codec that also has a method Schema() string describes its
// wire format by it: descriptions are compared across ranks.
type Codec[V any] interface {
	// Append appends the bytes of v to dst and returns it, as append does.
	Append(dst []byte, v V) ([]byte, error)
	// Decode makes a pebble of the bytes that Append appended. It must not keep src.
	Decode(src []byte) (V, error)
}
