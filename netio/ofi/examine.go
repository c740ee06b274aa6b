package ofi

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// Finding is the result of [Examine]: libfabric on this host.
type Finding struct {
	Version string `json:"version,omitempty"` // of the library; "" if it is unusable
	// Providers are those with reliable datagrams, messages and one-sided access, in the library's order.
	Providers []Provider `json:"providers,omitempty"`
	Devices   []string   `json:"devices,omitempty"` // of this host, for RDMA
	Locked    int64      `json:"locked_memory"`     // bytes that a process may lock (`ulimit -l`); -1 is without limit
	// Pinned is the default limit of registered memory of a process, in bytes, with a provider that locks memory.
	Pinned  int64    `json:"pinned"`
	Missing []string `json:"missing,omitempty"` // missing parts, one sentence each, which names the package
}

// Provider describes one of libfabric's providers.
type Provider struct {
	Name         string   `json:"name"`
	Wait         string   `json:"wait,omitempty"`         // [WaitsByDescriptor] or [WaitsBySleep]
	MultiReceive bool     `json:"multi_receive"`          // many packets into one buffer, which jobs need
	Registration []string `json:"registration,omitempty"` // required modes, such as FI_MR_LOCAL
	Locks        bool     `json:"locks"`                  // registered memory counts for the locked-memory limit
	Largest      int64    `json:"largest_message"`        // maximum bytes of one message, put or get
	Problem      string   `json:"problem,omitempty"`      // reason why no endpoint could be opened
}

// Ways to wait for a provider.
const (
	WaitsByDescriptor = "descriptor"
	WaitsBySleep      = "sleep" // it has no descriptor, or an unreliable one
)

// Examine loads libfabric and opens an endpoint of each provider for a moment. It takes up to a second. If libfabric
// cannot be used, Missing has the reason.
func Examine() Finding {
	f := Finding{Devices: devices("/"), Locked: lockedMax(), Pinned: pinnedDefault(true)}
	if err := f.ask(); err != nil {
		f.Missing = append(f.Missing, err.Error())
	} else {
		f.compare()
	}
	return f
}

// compare compares providers with devices.
func (f *Finding) compare() {
	for _, d := range f.Devices {
		makers := ofInfiniband
		advice := "install ibverbs-providers (Debian and Ubuntu) or libibverbs (Fedora and RHEL), " +
			"and give a container /dev/infiniband"
		if strings.HasPrefix(d, "cxi") {
			makers, advice = []string{"cxi"}, "install a libfabric that has it, such as HPE's"
		}
		serves := func(p Provider) bool { return p.Problem == "" && slices.Contains(makers, base(p.Name)) }
		if !slices.ContainsFunc(f.Providers, serves) {
			f.Missing = append(f.Missing,
				fmt.Sprintf("no provider serves device %s (%s would): %s", d, strings.Join(makers, " or "), advice))
		}
	}
	if least := leastPinned(2); len(f.Devices) > 0 && f.Locked >= 0 && f.Locked < least {
		f.Missing = append(f.Missing, fmt.Sprintf(
			"%d bytes may be locked, and a process needs %d at least: raise the limit (ulimit -l)", f.Locked, least))
	}
}

// ofInfiniband lists the providers of devices in /sys/class/infiniband.
var ofInfiniband = []string{"verbs", "efa", "psm3", "psm2", "opx", "usnic"}

// leastPinned returns the bytes that a process of a job registers before it starts, with a hardware provider.
func leastPinned(processes int) int64 {
	s := slabs{packet: packetSmall}
	return slotsTogether*packetSmall + slabBytes*int64(s.needed(uint64(processes-1)*windowFirst))
}

// devices returns the devices that libfabric may use. root is the root of the file system.
func devices(root string) (names []string) {
	for _, folder := range []string{"sys/class/infiniband", "sys/class/cxi"} {
		all, _ := filepath.Glob(filepath.Join(root, folder, "*")) // fails only on bad patterns
		for _, d := range all {
			names = append(names, filepath.Base(d))
		}
	}
	return names
}
