package model

import (
	"cmp"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
)

// Parameters are the costs of a machine and its runtime. All times are in seconds.
type Parameters struct {
	Process Link `json:"process"` // between ranks of one process
	Host    Link `json:"host"`    // between processes of one host
	Network Link `json:"network"` // between hosts
	// Interfaces is the number of network interfaces of a host, which its ranks share: if r ranks of a host send at
	// once, gap and bytes of each take r/Interfaces times as long. 0: each rank has its own, as in LogGP.
	Interfaces int    `json:"interfaces"`
	Pebble     Pebble `json:"pebble"`
	// of both ends together, beside the overheads: making and receiving a frame, its credit
	Frame float64 `json:"frame"`
	Cores Cores   `json:"cores"` // for simulations: predictions by formula leave them out
}

// Pebble is the processor time of a pebble on a rank, in seconds: the overhead o_p of the paper (Active Pebbles,
// section 3) without that of frames.
type Pebble struct {
	Send    float64 `json:"send"`    // finding its owner and hop, and storing it in a buffer
	Handle  float64 `json:"handle"`  // passing it to a handler that does next to nothing
	Forward float64 `json:"forward"` // forwarding it at a hop
	Look    float64 `json:"look"`    // c: a lookup in a reduction cache (Active Pebbles, section 3.5)
}

// Link returns the link of a class.
func (p *Parameters) Link(c Class) Link { return [...]Link{p.Process, p.Host, p.Network}[c] }

// Check returns an error for impossible values.
func (p *Parameters) Check() error {
	for c := range classes {
		if err := checkSeconds(p.Link(c)); err != nil {
			return fmt.Errorf("model: link %q: %w", c, err)
		}
	}
	if err := cmp.Or(checkSeconds(p.Pebble), checkTime("frame", p.Frame)); err != nil {
		return fmt.Errorf("model: cost %w", err)
	}
	if err := p.Cores.check(); err != nil {
		return err
	}
	if p.Interfaces < 0 {
		return fmt.Errorf("model: %d interfaces a host: give a positive number, or 0 for one a rank", p.Interfaces)
	}
	return nil
}

// Over returns the parameters of a machine whose processes all use the link of class c, as those of one host do by TCP.
func (p Parameters) Over(c Class) Parameters {
	p.Host = p.Link(c)
	return p
}

// Link has the parameters of LogGP for messages between two ranks (Active Pebbles, section 3; Alexandrov, Ionescu,
// Schauser and Scheiman 1997), with the paper's two changes: n bytes cost n times PerByte, not n-1 times, and a pebble
// alone is a message. All are in seconds.
type Link struct {
	Latency float64 `json:"latency"` // L: from the end of sending to the start of receiving
	// o: of the sending processor, and the same of the receiving one
	Overhead float64 `json:"overhead"`
	Gap      float64 `json:"gap"`          // g: between two messages, beyond the overhead: two sends are o+g apart
	PerByte  float64 `json:"gap_per_byte"` // G: of a byte, the inverse of the bandwidth

	// Processor time of messages at both ends beside o, which a simulation needs if ranks share cores. Predictions by
	// formula have it in L and G. O: of a byte at either end (LogGOPS: Hoefler, Schneider and Lumsdaine 2010)
	EndPerByte float64 `json:"end_per_byte,omitempty"`
	Batch      float64 `json:"batch,omitempty"` // of messages that leave together, at either end: a system call
}

// Message returns the time of one message from the call that sends it to the end of its receipt: 2o + L + nG.
func (l Link) Message(bytes float64) float64 { return 2*l.Overhead + l.Latency + bytes*l.PerByte }

// Interval returns the time between two messages of one sender, without their bytes: o + g.
func (l Link) Interval() float64 { return l.Overhead + l.Gap }

// checkSeconds rejects impossible times in all fields of a struct that are times. Errors use their names in files.
func checkSeconds(of any) error {
	v := reflect.ValueOf(of)
	for i := range v.NumField() {
		if field := v.Field(i); field.Kind() == reflect.Float64 {
			name, _, _ := strings.Cut(v.Type().Field(i).Tag.Get("json"), ",")
			if err := checkTime(name, field.Float()); err != nil {
				return err
			}
		}
	}
	return nil
}

func checkTime(name string, value float64) error {
	if !(value >= 0) || math.IsInf(value, 1) {
		return fmt.Errorf("%s is %v: give seconds, 0 or more", name, value)
	}
	return nil
}

// Application is the processor time of a pebble of one application, in seconds, as measured in that application with
// work of one size. It includes the handler's cache misses, and the program's work to make the pebble.
type Application struct {
	Send   float64 `json:"send"`   // at its source, with the search for its owner and hop
	Handle float64 `json:"handle"` // at its handler
	Spread float64 `json:"spread"` // half of the repeats are nearer to the median, as a fraction of it
}

// Cores are the shared cores of a host.
type Cores struct {
	Count         int     `json:"count"`          // of a host; 0: unknown
	Switch        float64 `json:"switch"`         // seconds until a core continues with another rank of its process
	ProcessSwitch float64 `json:"process_switch"` // and with one of another process
	// longest time in seconds that a process keeps a core while another one waits for it; 0: unknown
	Slice float64 `json:"slice"`
}

func (c Cores) check() error {
	if c.Count < 0 {
		return fmt.Errorf("model: %d cores: give a positive number, or 0", c.Count)
	}
	if err := checkSeconds(c); err != nil {
		return fmt.Errorf("model: cores: %w", err)
	}
	return nil
}

const micro = 1e-6

// Odin is the machine of the paper's measurements. The paper states (Active Pebbles, section 5) 128 nodes of two
// dual-core Opterons at 2 GHz, InfiniBand of single data rate, Open MPI, four ranks per node. It states no LogGP
// parameters:
//
//   - L, o and g are the defaults of LogGOPSim (Hoefler, Schneider and Lumsdaine 2010), published for another cluster
//     of that time; their sum 2o + L is 5.5 µs.
//   - G is that of the link, 8 Gbit/s of data, which the ranks of a node share.
//   - Estimates: half a microsecond and 1 GB/s between ranks of a node, and 10 to 20 ns a pebble on a processor of
//     2 GHz.
//
// lab/results/papers.md shows figures that depend on them.
var Odin = Parameters{
	Process:    Link{Latency: 0.5 * micro, Overhead: 0.5 * micro, PerByte: 1e-9},
	Host:       Link{Latency: 0.5 * micro, Overhead: 0.5 * micro, PerByte: 1e-9},
	Network:    Link{Latency: 2.5 * micro, Overhead: 1.5 * micro, Gap: 1 * micro, PerByte: 1e-9},
	Interfaces: 1,
	Pebble:     Pebble{Send: 20e-9, Handle: 10e-9, Forward: 20e-9, Look: 10e-9},
}

// BlueGeneQ has TRAM's values for Blue Gene/Q: about 5 µs of overhead per message at each end (TRAM, section VI.B).
// TRAM also reports that streams come near the bandwidth with messages of 4 to 32 KB (section IV.B, figure 3), which
// agrees with 5 µs and the nominal 2 GB/s of its links. The rest are estimates: L, links within a node, no gap beside
// the overhead, and pebbles as those of [Odin].
var BlueGeneQ = Parameters{
	Process:    Link{Latency: 0.5 * micro, Overhead: 0.5 * micro, PerByte: 0.5e-9},
	Host:       Link{Latency: 0.5 * micro, Overhead: 0.5 * micro, PerByte: 0.5e-9},
	Network:    Link{Latency: 2 * micro, Overhead: 5 * micro, PerByte: 0.5e-9},
	Interfaces: 1,
	Pebble:     Pebble{Send: 20e-9, Handle: 10e-9, Forward: 20e-9, Look: 10e-9},
}

// named has the published parameters.
var named = map[string]Parameters{"odin": Odin, "bluegene-q": BlueGeneQ}

// Names returns the names for [ByName], in order.
func Names() (all []string) {
	for name := range named {
		all = append(all, name)
	}
	slices.Sort(all)
	return all
}

// ByName returns published parameters by the name that flags use.
func ByName(name string) (Parameters, error) {
	if p, ok := named[name]; ok {
		return p, nil
	}
	return Parameters{}, fmt.Errorf("model: unknown parameters %q: use one of %s, or a file that pebbles-lab fit has "+
		"written",
		name, strings.Join(Names(), ", "))
}
