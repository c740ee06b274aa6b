package model

import (
	"fmt"
	"math"
)

// Link has the parameters of LogGP for messages between two ranks (Active Pebbles, section 3; Alexandrov, Ionescu, Schauser and
// Scheiman 1997), with the paper's two changes: n bytes cost n times PerByte, not n-1 times, and a pebble alone is a message.
// All are in seconds.
type Link struct {
	Latency  float64 `json:"latency"`      // L: from the end of sending to the start of receiving
	Overhead float64 `json:"overhead"`     // o: of the processor that sends a message, and as much of the one that receives it
	Gap      float64 `json:"gap"`          // g: between two messages, beyond the overhead: two sends are o+g apart
	PerByte  float64 `json:"gap_per_byte"` // G: of a byte, the inverse of the bandwidth

	// What messages cost the processors of both ends beside o, which a simulation needs where ranks share cores. Predictions by
	// formula have them in L and G.
	EndPerByte float64 `json:"end_per_byte,omitempty"` // O: of a byte at either end (LogGOPS: Hoefler, Schneider and Lumsdaine 2010)
	Batch      float64 `json:"batch,omitempty"`        // of messages that leave together, at either end: a system call
}

// Message is the time of one message from the call that sends it to the end of its receipt: 2o + L + nG.
func (l Link) Message(bytes float64) float64 { return 2*l.Overhead + l.Latency + bytes*l.PerByte }

// Interval is the time between two messages of one sender, but for their bytes: o + g.
func (l Link) Interval() float64 { return l.Overhead + l.Gap }

// Apart is the time of n pebbles that are n messages: (n+1)o + L + G + (n-1)g for pebbles of one byte (Active Pebbles, section
// 3.3).
func (l Link) Apart(n int, bytes float64) float64 {
	return float64(n+1)*l.Overhead + l.Latency + bytes*l.PerByte + float64(n-1)*l.Gap
}

// Together is the time of n pebbles in one message: 2o + L + nG for pebbles of one byte (Active Pebbles, section 3.3). The first
// of them arrives no sooner than the last.
func (l Link) Together(n int, bytes float64) float64 { return l.Message(float64(n) * bytes) }

// CoalescingPays reports whether pebbles of so many bytes should share messages: G < o + g for one byte (Active Pebbles, section
// 3.3).
func (l Link) CoalescingPays(bytes float64) bool { return bytes*l.PerByte < l.Interval() }

// Half is the size of a message that reaches half of the bandwidth when messages stream: where its bytes cost as much as the
// message itself. It is 0 when bytes cost nothing.
func (l Link) Half() float64 {
	if l.PerByte == 0 {
		return 0
	}
	return l.Interval() / l.PerByte
}

func (l Link) check() error {
	for _, p := range []struct {
		name  string
		value float64
	}{{"latency", l.Latency}, {"overhead", l.Overhead}, {"gap", l.Gap}, {"gap_per_byte", l.PerByte}, {"end_per_byte", l.EndPerByte}, {"batch", l.Batch}} {
		if err := checkSeconds(p.name, p.value); err != nil {
			return err
		}
	}
	return nil
}

func checkSeconds(name string, value float64) error {
	if !(value >= 0) || math.IsInf(value, 1) {
		return fmt.Errorf("%s is %v: give seconds, 0 or more", name, value)
	}
	return nil
}
