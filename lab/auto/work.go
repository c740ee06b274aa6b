package main

import (
	"fmt"
	"strings"
)

// application is one whose settings are swept.
type application struct {
	name      string
	work      string // flags that say what it does
	tiny      string // the same for -small
	factors   bool   // the coalescing factor is not the application's own
	reduction bool
}

var applications = []application{
	{name: "randomaccess", work: "--log2-words 19", tiny: "--log2-words 10", factors: true},
	{name: "permutation", work: "--log2-elements 20", tiny: "--log2-elements 10", factors: true},
	{name: "pointerchase", work: "--rounds 2000", tiny: "--rounds 2"},
	{name: "bfs", work: "--kronecker 16 --roots 16", tiny: "--kronecker 8 --roots 2", factors: true, reduction: true},
	{name: "alltoall", work: "--rounds 500000", tiny: "--rounds 1000", factors: true},
	{name: "reduce", work: "--items 2000000", tiny: "--items 1000", factors: true, reduction: true},
}

// ranks are more than a machine of two cores has, so that topologies differ.
const ranks = 4

// transports, with what runs an application over them.
var transports = []struct{ name, flags string }{
	{"mem", ""}, {"shm", "--procs 2 --transport shm"}, {"tcp", "--procs 2 --transport tcp"},
}

var (
	topologies = []string{"direct", "hypercube"}
	factors    = []int{64, 512, 4096, 16384}
	caches     = []int{0, 4096}
)

// setting is what a sweep goes through.
type setting struct {
	topology string
	factor   int // 0: the application's own
	cache    int // -1: none to choose
}

// sweep is all settings of an application.
func (a application) sweep() (all []setting) {
	fs, cs := []int{0}, []int{-1}
	if a.factors {
		fs = factors
	}
	if a.reduction {
		cs = caches
	}
	for _, t := range topologies {
		for _, f := range fs {
			for _, c := range cs {
				all = append(all, setting{t, f, c})
			}
		}
	}
	return all
}

func (s setting) flags() []string {
	flags := []string{"--topology", s.topology}
	if s.factor > 0 {
		flags = append(flags, "--coalesce", fmt.Sprint(s.factor))
	}
	if s.cache >= 0 {
		flags = append(flags, "--cache", fmt.Sprint(s.cache))
	}
	return flags
}

func (s setting) String() string {
	text := s.topology
	if s.factor > 0 {
		text += fmt.Sprintf(", %d", s.factor)
	}
	if s.cache > 0 {
		text += fmt.Sprintf(", cache %d", s.cache)
	}
	return text
}

// auto leaves all of it to the job.
func (a application) auto() []string {
	flags := []string{"--topology", "auto"}
	if a.factors {
		flags = append(flags, "--coalesce", "auto")
	}
	if a.reduction {
		flags = append(flags, "--cache", "auto")
	}
	return flags
}

// line is the application over a transport, without a setting.
func (a application) line(transport string, small bool) []string {
	work := a.work
	if small {
		work = a.tiny
	}
	return strings.Fields(fmt.Sprint(a.name, " --ranks ", ranks, " ", transport, " ", work))
}
