package main

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/activepebbles/pebbles/apps"
	"github.com/activepebbles/pebbles/apps/treadmarks"
	"github.com/activepebbles/pebbles/netio"
	"github.com/activepebbles/pebbles/netio/sim"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/route"
	"github.com/activepebbles/pebbles/termination"
)

// simulator runs jobs under simulated time, and caches their outcomes.
type simulator struct {
	ctx   context.Context
	log   io.Writer
	small bool
	known map[string]outcome
	paged map[string]treadmarks.Result // known results on shared pages
}

// world is the environment of a program: a network and the settings of the job.
type world struct {
	network     sim.Network
	ranks       int
	topology    string
	termination string
	coalesce    int
	credits     int
	// of the address cache, for one rank per process; 0 means the default, and the network's processes
	addresses int
	due       time.Duration // longest time that pebbles wait in a buffer; 0 means no limit
}

// odin is the cluster of Active Pebbles.
func odin(ranks int, w way, coalesce int) world {
	return world{network: sim.Machines["odin"], ranks: ranks, topology: w.topology, termination: w.termination,
		coalesce: coalesce}
}

// program is the program of all ranks of a world. Programs with different work have different names.
type program struct {
	name string
	run  func(*pebble.Rank) (apps.Report, error)
}

// outcome is the result of a program in a world.
type outcome struct {
	apps.Report
	stats sim.Stats
}

// perRank divides a number of the whole job by the number of ranks.
func (o outcome) perRank(n uint64) float64 { return float64(n) / float64(o.Ranks) }

// run simulates a program. A wrong result ends the figure.
func (l *simulator) run(w world, p program) outcome {
	key := fmt.Sprintf("%s %+v", p.name, w)
	if o, ok := l.known[key]; ok {
		return o
	}
	began := time.Now()
	o, err := l.simulate(w, p)
	if err == nil && o.Errors > 0 {
		err = fmt.Errorf("the verifier found %d errors", o.Errors)
	}
	if err != nil {
		panic(failed{fmt.Errorf("%s on %d ranks, %s: %w", p.name, w.ranks, w.topology, err)})
	}
	fmt.Fprintf(l.log, "%s, %d ranks, %s, %s: %v simulated in %.1f s\n", p.name, w.ranks, w.topology, o.Termination,
		time.Duration(o.Seconds*float64(time.Second)).Round(100*time.Nanosecond), time.Since(began).Seconds())
	l.known[key] = o
	return o
}

func (l *simulator) simulate(w world, p program) (o outcome, err error) {
	c := pebble.Config{Coalesce: w.coalesce, Credits: w.credits, AddressCache: w.addresses, Due: -1}
	if w.due > 0 {
		c.Due = w.due
	}
	c.Topology = must(topologyOf(w.topology))
	if w.termination != "" { // otherwise the runtime chooses
		c.Termination = must(termination.ByName(w.termination))
	}
	job := sim.Config{Ranks: w.ranks, Network: w.network, Seed: 1}
	if w.addresses > 0 {
		job.Processes = w.ranks
	}
	simulated := must(sim.New(job))
	err = simulated.Each(func(t netio.Transport) error {
		config := c
		config.Transport = t
		return pebble.Run(l.ctx, config, func(r *pebble.Rank) error {
			report, err := p.run(r)
			if r.ID() == 0 {
				o.Report = report
			}
			return err
		})
	})
	o.stats = simulated.Stats()
	return o, err
}

// topologyOf is route.ByName with one more topology.
func topologyOf(name string) (route.Constructor, error) {
	if name == clearingName {
		return func(ranks int) route.Topology { return clearing{route.Hypercube(ranks)} }, nil
	}
	return route.ByName(name)
}

// upTo returns the powers of two from one number to another; few of them in a quick run.
func (l *simulator) upTo(first, last int) (all []int) {
	if l.small {
		last = min(last, 2*first)
	}
	for n := first; n <= last; n *= 2 {
		all = append(all, n)
	}
	return all
}

// some returns an amount of work, or a small one in a quick run.
func (l *simulator) some(whole, small int) int {
	if l.small {
		return small
	}
	return whole
}

// coarse returns a world where each simulated pebble stands for grain pebbles. It multiplies the costs of pebbles and
// of their bytes, and divides the sizes of buffers. Latencies are reduced by the addition to the times of headers, so
// that messages without pebbles take as long as before. Messages of pcx hold a number for each rank, which would cost
// too much: nbx replaces it, with the same number of rounds.
func coarse(w world, grain int) world {
	const header = 64
	times, n := float64(grain), &w.network
	for _, link := range []*sim.Link{&n.Process, &n.Host, &n.Between} {
		link.Latency = max(0, link.Latency-(times-1)*header*link.PerByte)
		link.PerByte *= times
	}
	n.Costs.Send *= times
	n.Costs.Handle *= times
	n.Costs.Pass *= times
	w.coalesce = max(1, w.coalesce/grain)
	if w.termination == "pcx" {
		w.termination = "nbx"
	}
	return w
}
