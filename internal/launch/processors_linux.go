package launch

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"runtime"
	"strings"

	"golang.org/x/sys/unix"
)

// processors says on which host this process runs, which of its processors it may use, and how many of them at a time. Processes of one
// host with the same processors share them.
func processors() (host, cpus string, cores int) {
	name, _ := os.Hostname() // tells containers apart, whose limits differ
	boot, _ := os.ReadFile("/proc/sys/kernel/random/boot_id")
	var set unix.CPUSet
	_ = unix.SchedGetaffinity(0, &set)
	sum := sha256.Sum256(fmt.Append(nil, set))
	return name[:min(len(name), 64)] + "/" + strings.TrimSpace(string(boot)), hex.EncodeToString(sum[:8]), runtime.GOMAXPROCS(0)
}
