package ofi

import "fmt"

// pinnedError says that memory can't be exposed.
type pinnedError struct {
	bytes       int
	left, limit int64
}

func (e pinnedError) Error() string {
	return fmt.Sprintf("%d bytes: %d of the %d that may be pinned are left: raise --pinned (and `ulimit -l`), or expose less", e.bytes, e.left, e.limit)
}
