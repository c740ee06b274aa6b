package model

import (
	"fmt"
	"math"
	"reflect"
	"strings"
)

// Link has the parameters of LogGP for messages between two ranks (Active Pebbles, section 3; Alexandrov, Ionescu,
// Schauser and Scheiman 1997), with the paper's two changes: n bytes cost n times PerByte, not n-1 times, and a pebble
// alone is a message. All are in seconds.
type Link struct {
	Latency float64 `json:"latency"` // L: from the end of sending to the start of receiving
	// o: of the processor that sends a message, and as much of the one that receives it
	Overhead float64 `json:"overhead"`
	Gap      float64 `json:"gap"`          // g: between two messages, beyond the overhead: two sends are o+g apart
	PerByte  float64 `json:"gap_per_byte"` // G: of a byte, the inverse of the bandwidth

	// What messages cost the processors of both ends beside o, which a simulation needs where ranks share cores.
	// Predictions by formula have them in L and G.
	// O: of a byte at either end (LogGOPS: Hoefler, Schneider and Lumsdaine 2010)
	EndPerByte float64 `json:"end_per_byte,omitempty"`
	Batch      float64 `json:"batch,omitempty"` // of messages that leave together, at either end: a system call
}

// Message is the time of one message from the call that sends it to the end of its receipt: 2o + L + nG.
func (l Link) Message(bytes float64) float64 { return 2*l.Overhead + l.Latency + bytes*l.PerByte }

// Interval is the time between two messages of one sender, but for their bytes: o + g.
func (l Link) Interval() float64 { return l.Overhead + l.Gap }

// checkSeconds refuses impossible times: of all fields of a struct that are times, by their names in files.
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
