package main

import (
	"fmt"
	"math"
	"slices"

	"github.com/activepebbles/pebbles/lab/fit"
	"github.com/activepebbles/pebbles/model"
	"github.com/activepebbles/pebbles/netio/connect"
	"github.com/activepebbles/pebbles/netio/sim"
)

// byFit is the network that pebbles fit has measured.
const byFit = "fitted"

// networkOf finds the network that a job is to be simulated on.
func (s *simulation) networkOf(j *job) (sim.Network, error) {
	n, err := s.named(j)
	if err != nil {
		return n, err
	}
	if s.cores > 0 {
		n.Cores.Count = s.cores
	}
	if s.fabric != "" {
		n.Fabric = sim.Fabric{Kind: s.fabric, Hop: switchHop}
	}
	return n, nil
}

// named is the network of the flag: that of pebbles fit, of a file of its, or one that package sim knows or finds in a file.
func (s *simulation) named(j *job) (sim.Network, error) {
	name := s.network
	if name == byFit {
		place, err := fit.Place()
		if err != nil {
			return sim.Network{}, err
		}
		name = place
	} else if slices.Contains(sim.Names(), name) || !isFitted(name) {
		n, err := sim.Load(name)
		return n, simMistake(err)
	}
	f, err := fit.Read(name)
	if err != nil {
		return sim.Network{}, err
	}
	p := f.Parameters
	if j.settings.transport.text == connect.ByTCP {
		p = p.Over(model.Network)
	}
	n := networkBy(p)
	n.Name = s.network
	a, ok := f.Applications[j.costs()]
	if !ok {
		a, ok = f.Applications[j.work]
	}
	if ok {
		n.Costs.Send, n.Costs.Handle = a.Send, a.Handle
	} else if !j.settings.diary.quiet {
		fmt.Fprintf(s.stderr, "sim: pebbles cost what they cost any program: for those of this one, run pebbles fit --app '%s' first\n", j.work)
	}
	return n, nil
}

// isFitted tells whether a file is one of pebbles fit.
func isFitted(name string) bool {
	_, err := fit.Read(name)
	return err == nil
}

// networkBy is the network of parameters: all ranks on one host, whose cores they share. Of a frame's own cost each end has half. In
// package model two messages of a sender are o+g apart, and L has what leads and reads a batch at both ends.
func networkBy(p model.Parameters) sim.Network {
	n := sim.Network{
		RanksPerProcess: math.MaxInt32, ProcessesPerHost: math.MaxInt32,
		Costs: sim.Costs{Send: p.Pebble.Send, Handle: p.Pebble.Handle, Pass: p.Pebble.Forward},
		Cores: sim.Cores{Count: p.Cores.Count, Switch: p.Cores.Switch, ProcessSwitch: p.Cores.ProcessSwitch, Slice: p.Cores.Slice},
	}
	for _, c := range []struct {
		of   model.Link
		link *sim.Link
		end  *sim.End
	}{{p.Process, &n.Process, &n.Ends.Process}, {p.Host, &n.Host, &n.Ends.Host}, {p.Network, &n.Between, &n.Ends.Between}} {
		l := c.of
		*c.link = sim.Link{Latency: max(0, l.Latency-2*l.Batch), Overhead: l.Overhead + p.Frame/2, Gap: l.Interval(), PerByte: l.PerByte}
		*c.end = sim.End{PerByte: l.EndPerByte, Batch: l.Batch}
	}
	return n
}
