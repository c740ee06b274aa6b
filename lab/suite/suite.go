package suite

import (
	"fmt"
	"strings"

	"github.com/activepebbles/pebbles/lab"
)

// Options select the measurements.
type Options struct {
	Program    string   // the path of pebbles-lab
	Quick      bool     // small sizes, for a trial or a test: the figures differ from those of the full suite
	Transports []string // offered by the program: mem, shm, tcp
}

const (
	millions = 1e-6
	micro    = 1e6
)

// quickLess is the binary logarithm of the factor between the full and the quick suite.
const quickLess = 6

// Groups returns the whole suite.
func Groups(o Options) []lab.Group {
	return []lab.Group{
		o.randomAccess(), o.ranks(), o.memory(), o.streams(), o.topologies(), o.crossover(), o.factors(), o.credits(),
		o.caches(), o.permutations(), o.applications(), o.searches(), o.trees(), o.epidemics(), o.systems(),
		o.pings(), o.arrays(), o.attendance(), o.pages(), o.latency(), o.emptyEpochs(), o.shortEpochs(), o.baseline(),
	}
}

// place is the location of a job's ranks.
type place struct{ name, flags string }

// places returns the program's places for a number of ranks: all in one process, or in two.
func (o Options) places(ranks int) []place {
	all := []place{{"mem", fmt.Sprintf("--ranks %d", ranks)}}
	for _, transport := range o.Transports {
		if transport == "shm" || transport == "tcp" {
			all = append(all, place{transport, fmt.Sprintf("--procs 2 --ranks %d --transport %s", ranks, transport)})
		}
	}
	return all
}

// less reduces a binary logarithm if the suite is quick.
func (o Options) less(log2 int) int {
	if o.Quick {
		return max(8, log2-quickLess)
	}
	return log2
}

// times reduces a number of rounds if the suite is quick.
func (o Options) times(n int) int {
	if o.Quick {
		return max(1, n>>quickLess)
	}
	return n
}

// metric is a field of an application's output, and its unit.
type metric struct {
	field string
	scale float64
	unit  string
	lower bool
}

var (
	updates  = metric{"updates_per_second", millions, "M updates/s", false}
	elements = metric{"elements_per_second", millions, "M elements/s", false}
	items    = metric{"items_per_second", millions, "M items/s", false}
	edges    = metric{"harmonic_mean_teps", millions, "M edges/s", false}
	hop      = metric{"seconds_per_hop", micro, "µs a hop", true}
	epoch    = metric{"seconds_per_epoch", micro, "µs an epoch", true}
	bytes    = metric{"bytes_per_second", 1e-9, "GB/s", false}
)

// run returns a case that calls the program with the arguments of a line.
func (o Options) run(name string, m metric, line, against string) lab.Case {
	arguments, typed := strings.Fields(line), "pebbles "
	if arguments[0] == "limit" {
		typed = "pebbles-lab "
	}
	return lab.Case{
		Name: name, Args: append(append([]string{o.Program}, arguments...), "--json"), Line: typed +
			strings.Join(arguments, " "),
		Field: m.field, Scale: m.scale, Unit: m.unit, Lower: m.lower, Against: against,
	}
}
