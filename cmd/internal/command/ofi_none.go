//go:build !linux || !(amd64 || arm64) || static

package command

// examineFabric reports that this build has no libfabric.
func examineFabric() (finding any, lines [][2]string) {
	return nil, [][2]string{{"libfabric",
		"this build can't use it: that of Linux for amd64 and arm64 can, without the tag static"}}
}
