//go:build !amd64

package cpu

// sumBlocks sums no block on this processor, and returns all bytes.
func sumBlocks(b []byte) (sum uint32, rest []byte) { return 0, b }
