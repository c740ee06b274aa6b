package model

import (
	"fmt"

	"github.com/activepebbles/pebbles/route"
)

// Job is the work to predict: epochs in which every rank sends pebbles to all ranks equally.
type Job struct {
	Ranks    int
	Layout   Layout
	Topology route.Constructor
	Coalesce int     // C: pebbles per buffer
	Pebbles  float64 // pebbles that each rank sends in an epoch
	Bytes    int     // of a pebble
	Epochs   int     // 0 stands for one
	// Even means that every rank gets the same number from every other one, as in an all-to-all. Otherwise owners are
	// drawn at random from all ranks, the sender too, as in RandomAccess.
	Even     bool
	Hit      float64 // hit rate of one lookup in a reduction cache, 0 to 1; lookups cost nothing if it is 0
	Depth    int     // declared depth; 0 for none
	Detector string  // see Detectors
	Compute  float64 // seconds of the program per pebble, beyond the costs of the runtime
}

// RanksMax is the largest number of ranks of a prediction. A survey takes 20 bytes of memory for each, and follows its
// routes to 16 others.
const RanksMax = 1 << 26

// surveyBytes is the memory of a survey for each rank: see walk.
const surveyBytes = 20

func checkRanks(ranks int) error {
	switch {
	case ranks < 1:
		return fmt.Errorf("model: a job of %d ranks: it has at least one", ranks)
	case ranks > RanksMax:
		return fmt.Errorf("model: %d ranks need %.3g GiB of memory for their routes: give at most %d",
			ranks, float64(ranks)*surveyBytes/(1<<30), RanksMax)
	}
	return nil
}

func (j *Job) check() error {
	if err := checkRanks(j.Ranks); err != nil {
		return err
	}
	switch {
	case j.Coalesce < 1:
		return fmt.Errorf("model: coalescing factor %d: a buffer holds at least one pebble", j.Coalesce)
	case !(j.Pebbles >= 0) || j.Pebbles > 1e18:
		return fmt.Errorf("model: %v pebbles: give a number from 0 to 1e18", j.Pebbles)
	case j.Bytes < 1:
		return fmt.Errorf("model: pebbles of %d bytes: they have at least one", j.Bytes)
	case j.Epochs < 0 || j.Depth < 0:
		return fmt.Errorf("model: %d epochs of depth %d: give positive numbers, or 0 for one epoch and no depth",
			j.Epochs, j.Depth)
	case !(j.Hit >= 0 && j.Hit <= 1):
		return fmt.Errorf("model: hit rate %v: give a number from 0 to 1", j.Hit)
	}
	return checkTime("compute", j.Compute)
}

// each returns the number of pebbles from a rank to each other one in an epoch.
func (j *Job) each() float64 {
	if j.Even {
		return j.Pebbles / max(1, float64(j.Ranks-1))
	}
	return j.Pebbles / float64(j.Ranks)
}

// own returns the number of pebbles of a rank for itself, which stay there (Active Pebbles, section 3.2).
func (j *Job) own() float64 {
	switch {
	case j.Ranks == 1:
		return j.Pebbles
	case j.Even:
		return 0
	}
	return j.each()
}

// Class is the distance between two ranks, which determines their [Link].
type Class uint8

const (
	Process Class = iota // in one process
	Host                 // in two processes of one host
	Network              // on two hosts
	classes
)

// String returns the word for the class.
func (c Class) String() string {
	return [...]string{"process", "host", "network"}[c]
}

// Layout is the placement of ranks: contiguous runs of them form processes, and contiguous processes form hosts.
type Layout struct {
	PerProcess int `json:"ranks_a_process"` // 0: all ranks are in one process
	PerHost    int `json:"ranks_a_host"`    // 0: all ranks are on one host; a multiple of PerProcess
}

func (l Layout) complete(ranks int) (Layout, error) {
	switch {
	case l.PerProcess < 0 || l.PerHost < 0:
		return l, fmt.Errorf("model: %d ranks a process and %d a host: give positive numbers, or 0 for all",
			l.PerProcess, l.PerHost)
	case l.PerHost == 0:
		l.PerHost = ranks
	}
	if l.PerProcess == 0 {
		l.PerProcess = l.PerHost
	}
	if l.PerHost < ranks && l.PerHost%l.PerProcess != 0 {
		return l, fmt.Errorf("model: a host of %d ranks does not hold whole processes of %d: give a multiple",
			l.PerHost, l.PerProcess)
	}
	return l, nil
}

// class returns the class of two ranks. The layout is complete.
func (l Layout) class(a, b int) Class {
	switch {
	case a/l.PerProcess == b/l.PerProcess:
		return Process
	case a/l.PerHost == b/l.PerHost:
		return Host
	}
	return Network
}

// places is the complete layout of a job.
type places struct {
	Layout
	ranks int
}

// Firsts implements [route.Places].
func (p places) Firsts() []int { return p.every(p.PerProcess) }

// Hosts implements [route.Places].
func (p places) Hosts() []int { return p.every(p.PerHost) }

func (p places) every(ranks int) (all []int) {
	for r := 0; r < p.ranks; r += ranks {
		all = append(all, r)
	}
	return all
}
