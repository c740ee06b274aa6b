// Package start simulates the start of jobs with more processes than a machine holds, over TCP: processes begin,
// exchange addresses over a tree, greet the neighbours of their collectives, and meet in a first barrier. The messages
// are those of internal/launch/bootstrap, internal/handshake and netio/tcp, in number, order and size. They take time
// by LogGP on the simulator's network (package netio/sim), and the processes of a host share its cores. The processor
// time of a process and of a greeting is measured.
package start

import (
	"errors"
	"fmt"
	"time"

	"github.com/activepebbles/pebbles/netio"
	"github.com/activepebbles/pebbles/netio/sim"
)

// Costs are the costs of a start besides messages.
type Costs struct {
	Process  time.Duration `json:"process_ns"`  // processor time until a process can dial: its runtime, flags, sockets
	Greeting time.Duration `json:"greeting_ns"` // processor time of either end of a handshake

	Memory float64 `json:"memory"` // private bytes of a process
	Each   float64 `json:"each"`   // additional bytes for each process of the job, with connections
}

// Job is a start to simulate.
type Job struct {
	Processes int
	PerHost   int // processes of a host; 0 is all
	Network   sim.Network
	Costs     Costs
}

// Result is the outcome of a start. Times are in seconds, from the start of the first process until the last one has
// reached the step.
type Result struct {
	Processes   int     `json:"processes"`
	Hosts       int     `json:"hosts"`
	Began       float64 `json:"began"`     // it can dial
	Addresses   float64 `json:"addresses"` // it has all addresses
	Connected   float64 `json:"connected"` // it is connected with all neighbours
	Started     float64 `json:"seconds"`   // it has left the first barrier
	Connections int     `json:"connections"`
	Memory      float64 `json:"memory"`   // private bytes of a process
	Messages    uint64  `json:"messages"` // of all processes
}

// fanout is the maximum number of children in the tree of addresses.
const fanout = 8

// dialsAtOnce is the number of connections that a process makes at a time.
const dialsAtOnce = 8

// Sizes of messages in bytes, beyond a frame's header.
const (
	openingBytes = 48
	proofBytes   = 32
	helloBytes   = 400
	addressBytes = 21 // of each process
)

// Simulate runs a start in simulated time.
func Simulate(j Job) (Result, error) {
	if j.PerHost == 0 {
		j.PerHost = max(1, j.Processes)
	}
	if j.PerHost < 0 {
		return Result{}, fmt.Errorf("start: %d processes a host: give a positive number, or 0 for all", j.PerHost)
	}
	j.Network.RanksPerProcess, j.Network.ProcessesPerHost = 1, j.PerHost
	w, err := sim.New(sim.Config{Ranks: j.Processes, Processes: j.Processes, Network: j.Network})
	if err != nil {
		return Result{}, err
	}
	r := Result{Processes: j.Processes, Hosts: (j.Processes + j.PerHost - 1) / j.PerHost}
	err = w.Each(func(t netio.Transport) error {
		t.Start(func(error) {}) // nothing is lost in this network
		p := newProcess(&j, &r, t)
		if !netio.RunRanks(t, []func(){p.run}, nil, netio.Grace{}) || p.step != ended {
			return errors.New("start: a process has not started")
		}
		return t.Close()
	})
	r.Messages = w.Stats().Frames
	r.Memory = j.Costs.Memory + float64(j.Processes)*j.Costs.Each
	return r, err
}
