package model

import (
	"fmt"
	"slices"
	"strings"
)

const micro = 1e-6

// Odin is the machine of the paper's measurements: 128 nodes of two dual-core Opterons at 2 GHz, InfiniBand of single data rate,
// Open MPI, four ranks a node (Active Pebbles, section 5). The paper tells no LogGP parameters. These are the standard ones of
// LogGOPSim (Hoefler, Schneider and Lumsdaine 2010), L, o and g of a cluster of that time, whose sum 2o + L is 5.5 µs; G is
// that of the link, 8 Gbit/s, which the ranks of a node share. Estimates are what is between ranks of a node, half a microsecond and
// 1 GB/s, and what pebbles cost a processor of 2 GHz, 10 to 20 ns each.
var Odin = Parameters{
	Process:    Link{Latency: 0.5 * micro, Overhead: 0.5 * micro, PerByte: 1e-9},
	Host:       Link{Latency: 0.5 * micro, Overhead: 0.5 * micro, PerByte: 1e-9},
	Network:    Link{Latency: 2.5 * micro, Overhead: 1.5 * micro, Gap: 1 * micro, PerByte: 1e-9},
	Interfaces: 1,
	Pebble:     Pebble{Send: 20e-9, Handle: 10e-9, Forward: 20e-9, Look: 10e-9},
}

// BlueGeneQ has what TRAM tells of Blue Gene/Q: 5 µs of overhead a message at each end (TRAM, section VI.B), and streams that come
// near the bandwidth with messages of 16 to 32 KB (section IV.B, figure 3), which an overhead of 5 µs and 2 GB/s
// agree with. The rest are estimates: L, links within a node, and pebbles as those of [Odin].
var BlueGeneQ = Parameters{
	Process:    Link{Latency: 0.5 * micro, Overhead: 0.5 * micro, PerByte: 0.5e-9},
	Host:       Link{Latency: 0.5 * micro, Overhead: 0.5 * micro, PerByte: 0.5e-9},
	Network:    Link{Latency: 2 * micro, Overhead: 5 * micro, PerByte: 0.5e-9},
	Interfaces: 1,
	Pebble:     Pebble{Send: 20e-9, Handle: 10e-9, Forward: 20e-9, Look: 10e-9},
}

// named are the published parameters.
var named = map[string]Parameters{"odin": Odin, "bluegene-q": BlueGeneQ}

// Names lists the words that [ByName] knows, in order.
func Names() (all []string) {
	for name := range named {
		all = append(all, name)
	}
	slices.Sort(all)
	return all
}

// ByName finds published parameters by the word that flags use.
func ByName(name string) (Parameters, error) {
	if p, ok := named[name]; ok {
		return p, nil
	}
	return Parameters{}, fmt.Errorf("model: unknown parameters %q: use one of %s, or a file that pebbles fit has written",
		name, strings.Join(Names(), ", "))
}
