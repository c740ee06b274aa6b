package command

import (
	"fmt"
	"math"
	"slices"

	"github.com/activepebbles/pebbles/internal/machine"
	"github.com/activepebbles/pebbles/model"
	"github.com/activepebbles/pebbles/netio/connect"
	"github.com/activepebbles/pebbles/netio/sim"
)

// byFit names the network that pebbles-lab fit has measured.
const byFit = "fitted"

// networkOf returns the network of the job's simulation.
func (s *Simulation) networkOf(j *Job) (sim.Network, error) {
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

// named returns the network of the flag: measured by pebbles-lab fit, read from one of its files, or one of package
// sim, by name or file.
func (s *Simulation) named(j *Job) (sim.Network, error) {
	name := s.network
	if name == byFit {
		place, err := machine.ParametersFile()
		if err != nil {
			return sim.Network{}, err
		}
		name = place
	} else if slices.Contains(sim.Names(), name) || !isFitted(name) {
		n, err := sim.Load(name)
		return n, simMistake(err)
	}
	f, err := machine.ReadParameters(name)
	if err != nil {
		return sim.Network{}, err
	}
	p := f.Parameters
	if j.settings.transport == connect.ByTCP {
		p = p.Over(model.Network)
	}
	n := NetworkBy(p)
	n.Name = s.network
	a, ok := f.Applications[j.Costs()]
	if !ok {
		a, ok = f.Applications[j.Work]
	}
	if ok {
		n.Costs.Send, n.Costs.Handle = a.Send, a.Handle
	} else if !j.settings.log.quiet {
		fmt.Fprintf(s.Stderr, "sim: pebbles cost what they cost any program: "+
			"for those of this one, run pebbles-lab fit --app '%s' first\n", j.Work)
	}
	return n, nil
}

// isFitted reports whether a file comes from pebbles-lab fit.
func isFitted(name string) bool {
	_, err := machine.ReadParameters(name)
	return err == nil
}

// NetworkBy returns a network for parameters: all ranks share the cores of one host. Each end pays half of a frame's
// own cost. In package model, a sender's messages are o+g apart, and L includes the cost of a batch at both ends.
func NetworkBy(p model.Parameters) sim.Network {
	n := sim.Network{
		RanksPerProcess: math.MaxInt32, ProcessesPerHost: math.MaxInt32,
		Costs: sim.Costs{Send: p.Pebble.Send, Handle: p.Pebble.Handle, Pass: p.Pebble.Forward},
		Cores: sim.Cores{Count: p.Cores.Count, Switch: p.Cores.Switch, ProcessSwitch: p.Cores.ProcessSwitch,
			Slice: p.Cores.Slice},
	}
	for _, c := range []struct {
		of   model.Link
		link *sim.Link
		end  *sim.End
	}{{p.Process, &n.Process, &n.Ends.Process}, {p.Host, &n.Host, &n.Ends.Host}, {p.Network, &n.Between,
		&n.Ends.Between}} {
		l := c.of
		*c.link = sim.Link{Latency: max(0, l.Latency-2*l.Batch), Overhead: l.Overhead + p.Frame/2, Gap: l.Interval(),
			PerByte: l.PerByte}
		*c.end = sim.End{PerByte: l.EndPerByte, Batch: l.Batch}
	}
	return n
}
