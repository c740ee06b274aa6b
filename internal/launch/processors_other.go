//go:build !linux

package launch

import (
	"os"
	"runtime"
)

// processors says on which host this process runs, and how many processors it may use at a time. Here all processes may use all.
func processors() (host, cpus string, cores int) {
	name, _ := os.Hostname()
	return name[:min(len(name), 64)], "all", runtime.GOMAXPROCS(0)
}
