package launch

import (
	"os"
	"slices"
)

// AskedForHelp reports whether the argument of this process that stands before its last ones, so many of them, asks for
// help: the last that was parsed when those are left.
func AskedForHelp(left int) bool {
	last := len(os.Args) - left - 1
	return last > 0 && slices.Contains([]string{"-h", "--h", "-help", "--help"}, os.Args[last])
}
