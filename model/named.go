package model

import (
	"fmt"
	"slices"
	"strings"
)

const micro = 1e-6

// Odin is the machine of the paper's measurements. The paper states (Active Pebbles, section 5) 128 nodes of two
// dual-core Opterons at 2 GHz, InfiniBand of single data rate, Open MPI, four ranks a node. It states no LogGP
// parameters:
//
//   - L, o and g are the defaults of LogGOPSim (Hoefler, Schneider and Lumsdaine 2010), published numbers of a cluster of that time
//     and no measurement of this one; their sum 2o + L is 5.5 µs.
//   - G is that of the link, 8 Gbit/s of data, which the ranks of a node share.
//   - Estimates: what is between ranks of a node, half a microsecond and 1 GB/s; and what pebbles cost a processor of 2 GHz, 10 to
//     20 ns each.
//
// lab/results/papers.md shows what depends on them.
var Odin = Parameters{
	Process:    Link{Latency: 0.5 * micro, Overhead: 0.5 * micro, PerByte: 1e-9},
	Host:       Link{Latency: 0.5 * micro, Overhead: 0.5 * micro, PerByte: 1e-9},
	Network:    Link{Latency: 2.5 * micro, Overhead: 1.5 * micro, Gap: 1 * micro, PerByte: 1e-9},
	Interfaces: 1,
	Pebble:     Pebble{Send: 20e-9, Handle: 10e-9, Forward: 20e-9, Look: 10e-9},
}

// BlueGeneQ has what TRAM reports of Blue Gene/Q: about 5 µs of overhead a message at each end (TRAM, section VI.B). It
// also reports that streams come near the bandwidth with messages of 4 to 32 KB (section IV.B, figure 3), which 5 µs
// and the 2 GB/s that its links nominally have agree with. The rest are estimates: L, links within a node, no gap
// beside the overhead, and pebbles as those of [Odin].
var BlueGeneQ = Parameters{
	Process:    Link{Latency: 0.5 * micro, Overhead: 0.5 * micro, PerByte: 0.5e-9},
	Host:       Link{Latency: 0.5 * micro, Overhead: 0.5 * micro, PerByte: 0.5e-9},
	Network:    Link{Latency: 2 * micro, Overhead: 5 * micro, PerByte: 0.5e-9},
	Interfaces: 1,
	Pebble:     Pebble{Send: 20e-9, Handle: 10e-9, Forward: 20e-9, Look: 10e-9},
}

// named are the published parameters.
var named = map[string]Parameters{"odin": Odin, "bluegene-q": BlueGeneQ}

// Names lists the names that [ByName] knows, in order.
func Names() (all []string) {
	for name := range named {
		all = append(all, name)
	}
	slices.Sort(all)
	return all
}

// ByName finds published parameters by the name that flags use.
func ByName(name string) (Parameters, error) {
	if p, ok := named[name]; ok {
		return p, nil
	}
	return Parameters{}, fmt.Errorf("model: unknown parameters %q: use one of %s, or a file that pebbles fit has "+
		"written",
		name, strings.Join(Names(), ", "))
}
