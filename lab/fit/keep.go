package fit

import (
	"time"

	"github.com/activepebbles/pebbles/internal/machine"
	"github.com/activepebbles/pebbles/model"
)

// Measurement is a measured link of a class.
type Measurement struct {
	Class model.Class
	Link  model.Link
	model.Measured
}

// File combines measurements and costs. A class that was not measured gets the link of the next nearer class, or,
// without one, of the next farther class; at least one must be measured. The cost of a frame excludes the overheads of
// the link in memory.
func File(all []Measurement, c Costs, cores model.Cores, now time.Time) model.File {
	f := model.File{
		Format: model.FileFormat, Machine: machine.This().String(), Date: now.UTC().Truncate(time.Second),
		Measured: map[string]model.Measured{},
	}
	p := &f.Parameters
	links := []*model.Link{&p.Process, &p.Host, &p.Network}
	known := make([]bool, len(links))
	for _, m := range all {
		*links[m.Class], known[m.Class] = m.Link, true
		f.Measured[m.Class.String()] = m.Measured
	}
	for class, others := range [][]model.Class{
		{model.Host, model.Network}, {model.Process, model.Network}, {model.Host, model.Process},
	} {
		for _, other := range others {
			if !known[class] && known[other] {
				*links[class] = *links[other]
				break
			}
		}
	}
	p.Pebble, p.Cores = c.Pebble, cores
	p.Frame = max(0, c.Frame-2*p.Process.Overhead)
	return f
}
