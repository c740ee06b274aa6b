//go:build linux && (amd64 || arm64) && !static

package command

import (
	"fmt"
	"math"
	"strings"

	"github.com/activepebbles/pebbles/netio/ofi" // also adds transport ofi
)

// examineFabric loads libfabric; only doctor calls it. It returns the finding, and lines of names and texts about it.
func examineFabric() (finding any, lines [][2]string) {
	f := ofi.Examine()
	say := func(name, format string, values ...any) {
		lines = append(lines, [2]string{name, fmt.Sprintf(format, values...)})
	}
	if f.Version == "" {
		say("libfabric", "can't be used")
	} else {
		say("libfabric", "%s", f.Version)
	}
	if len(f.Devices) == 0 {
		say("RDMA devices", "none, so transport auto does without libfabric")
	} else {
		say("RDMA devices", "%s", strings.Join(f.Devices, ", "))
	}
	for _, p := range f.Providers {
		say("provider", "%s", describeProvider(p))
	}
	locked := "without limit"
	if f.Locked >= 0 {
		locked = BytesText(f.Locked)
	}
	say("locked memory", "%s (ulimit -l)", locked)
	for _, m := range f.Missing {
		say("missing", "%s", m)
	}
	return f, lines
}

func describeProvider(p ofi.Provider) string {
	if p.Problem != "" {
		return p.Name + ": can't be opened: " + p.Problem
	}
	waits := "waits by its descriptor"
	if p.Wait == ofi.WaitsBySleep {
		waits = "waits by sleeping"
	}
	multi := "multi-receive"
	if !p.MultiReceive {
		multi = "no multi-receive: jobs can't use it"
	}
	modes := "no registration modes"
	if len(p.Registration) > 0 {
		modes = strings.Join(p.Registration, " ")
	}
	if p.Locks {
		modes += ", locks memory"
	}
	largest := "of any size"
	if p.Largest < math.MaxInt64 {
		largest = "to " + BytesText(p.Largest)
	}
	return fmt.Sprintf("%s: %s; %s; %s; messages %s", p.Name, waits, multi, modes, largest)
}
