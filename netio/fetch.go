//go:build amd64 || arm64

package netio

import "unsafe"

// fetch asks the processor to bring so many bytes into its cache, and does not wait for them.
//
//go:noescape
func fetch(at unsafe.Pointer, bytes int)
