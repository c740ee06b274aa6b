package sim

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/activepebbles/pebbles/internal/values"
)

// Link is a frame's cost between two ranks by LogGP (Active Pebbles, section 3), in seconds. As in that paper, a frame
// of n bytes costs n times G.
type Link struct {
	Latency  float64 `json:"L"` // until the first byte arrives, excluding overheads
	Overhead float64 `json:"o"` // of a rank that sends or receives a frame
	Gap      float64 `json:"g"` // minimum between two frames of a sender or of a receiver
	PerByte  float64 `json:"G"` // for each byte of a frame, including its header of 64 bytes
}

// Costs are the times of a rank's own work, in seconds.
type Costs struct {
	Send   float64 `json:"send"`   // of a pebble, to any rank: find its owner and fill its lane
	Handle float64 `json:"handle"` // of a pebble that has arrived at its owner
	Pass   float64 `json:"pass"`   // of a pebble that a hop forwards
	Look   float64 `json:"look"`   // that found no work
}

// Network describes a machine: the layout of ranks, and the costs of frames and pebbles.
type Network struct {
	Name             string `json:"name"`
	About            string `json:"about,omitempty"`    // source of the numbers
	RanksPerProcess  int    `json:"ranks_per_process"`  // 0 is 1
	ProcessesPerHost int    `json:"processes_per_host"` // 0 is 1
	Process          Link   `json:"within_process"`
	Host             Link   `json:"within_host"`
	Between          Link   `json:"between_hosts"`
	Costs            Costs  `json:"pebble"`
	Fabric           Fabric `json:"fabric"` // between hosts
	Ends             Ends   `json:"ends"`   // costs of frames at ranks beyond o
	Cores            Cores  `json:"cores"`  // of a host
}

// Machines holds the built-in networks by name.
//
// "flat" has each rank on its own host, and round numbers of a present-day cluster. "local" has all ranks in one
// process. "ideal" costs almost nothing: it is for tests where only order matters.
//
// "odin" is the machine of the Active Pebbles paper. The paper (section 5) describes it: 128 nodes of four processor
// cores at 2 GHz, four ranks per node, InfiniBand at single data rate. It gives no LogGP parameters. L, o and g are the
// defaults of LogGOPSim, a published simulator by one of that paper's authors, not measurements of that cluster. G is
// that of a link of 8 Gbit/s. The costs inside a node and of a pebble are estimates. The numbers are those of
// model.Odin.
//
// "bluegene-q" is one of TRAM's machines, with one rank per node. TRAM gives o (section VI.B: about 5 µs per message at
// each end) and reports that streams approach the bandwidth with messages of 4 to 32 KB (section IV.B). 2 GB/s is the
// nominal rate of its links. The rest are estimates. The numbers are those of model.BlueGeneQ.
var Machines = map[string]Network{
	"flat": {
		Name: "flat", About: "round numbers of a present cluster, one rank a host",
		RanksPerProcess: 1, ProcessesPerHost: 1,
		Process: localLink, Host: Link{0.4e-6, 0.15e-6, 0.1e-6, 0.1e-9}, Between: Link{1.5e-6, 0.5e-6, 0.3e-6, 0.1e-9},
		Costs: Costs{3e-9, 3e-9, 4e-9, 50e-9},
	},
	"odin": {
		Name: "odin",
		About: "Active Pebbles, section 5: 4 ranks a node, InfiniBand SDR, 2 GHz; " +
			"L, o and g are defaults of LogGOPSim",
		RanksPerProcess: 1, ProcessesPerHost: 4,
		Process: Link{0.5e-6, 0.5e-6, 0, 1e-9}, Host: Link{0.5e-6, 0.5e-6, 0, 1e-9},
		Between: Link{2.5e-6, 1.5e-6, 1e-6, 1e-9},
		Costs:   Costs{20e-9, 10e-9, 20e-9, 100e-9},
	},
	"bluegene-q": {
		Name: "bluegene-q",
		About: "TRAM, sections IV.B and VI.B: 5 µs a message at each end, links of 2 GB/s; " +
			"the rest is estimated",
		RanksPerProcess: 1, ProcessesPerHost: 1,
		Process: Link{0.5e-6, 0.5e-6, 0, 0.5e-9}, Host: Link{0.5e-6, 0.5e-6, 0, 0.5e-9}, Between: Link{2e-6, 5e-6, 0, 0.5e-9},
		Costs: Costs{20e-9, 10e-9, 20e-9, 100e-9},
	},
	"local": {
		Name: "local", About: "ranks of one process on a present machine",
		RanksPerProcess: 1 << 20, ProcessesPerHost: 1,
		Process: localLink, Host: Link{0.4e-6, 0.15e-6, 0.1e-6, 0.1e-9}, Between: Link{5e-6, 2e-6, 1e-6, 0.3e-9},
		Costs: Costs{3e-9, 3e-9, 4e-9, 50e-9},
	},
	"ideal": {
		Name: "ideal", About: "every step takes a nanosecond or a few",
		RanksPerProcess: 1, ProcessesPerHost: 1,
		Process: Link{5e-9, 1e-9, 0, 0}, Host: Link{7e-9, 1e-9, 0, 0}, Between: Link{9e-9, 1e-9, 0, 0},
		Costs: Costs{0, 0, 0, 1e-9},
	},
}

var localLink = Link{0.15e-6, 0.1e-6, 0, 0.02e-9}

// Names returns the names of [Machines], in order.
func Names() (names []string) {
	for name := range Machines {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// Load returns the network with the given name, or reads it from a JSON file.
func Load(nameOrFile string) (Network, error) {
	if n, ok := Machines[nameOrFile]; ok {
		return n, nil
	}
	text, err := values.Text(nameOrFile)
	if err != nil {
		return Network{}, fmt.Errorf("sim: network: %w: name a file, or one of %s", err, strings.Join(Names(), ", "))
	}
	d := json.NewDecoder(strings.NewReader(string(text)))
	d.DisallowUnknownFields()
	var n Network
	if err := d.Decode(&n); err != nil {
		return Network{}, fmt.Errorf("sim: network %s: %w", nameOrFile, err)
	}
	return n, n.Check()
}

// spanMax is the upper limit of a network's times, in seconds.
const spanMax = 1000

// Check returns an error that describes the first invalid field of the network.
func (n Network) Check() error {
	if n.RanksPerProcess < 0 || n.ProcessesPerHost < 0 {
		return fmt.Errorf("sim: network %q: %d ranks a process, %d processes a host: give positive numbers, or 0 for 1",
			n.Name, n.RanksPerProcess, n.ProcessesPerHost)
	}
	times := map[string]float64{
		"pebble: send": n.Costs.Send, "pebble: handle": n.Costs.Handle,
		"pebble: pass": n.Costs.Pass, "pebble: look": n.Costs.Look,
	}
	for class, l := range []Link{n.Process, n.Host, n.Between} {
		for i, t := range []float64{l.Latency, l.Overhead, l.Gap, l.PerByte} {
			times[classNames[class]+": "+[]string{"L", "o", "g", "G"}[i]] = t
		}
	}
	var wrong []string
	for name, t := range times {
		if !(t >= 0 && t <= spanMax) {
			wrong = append(wrong, fmt.Sprintf("%s is %v", name, t))
		}
	}
	if len(wrong) > 0 {
		slices.Sort(wrong)
		return fmt.Errorf("sim: network %q: %s: times are seconds, from 0 to %d", n.Name, strings.Join(wrong, ", "), spanMax)
	}
	return errors.Join(n.Fabric.check(), n.Ends.check(), n.Cores.check())
}
