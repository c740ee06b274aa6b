// Command pebbles-lab is the command pebbles with tools for the laboratory: bench and limit measure, fit measures the
// machine, model predicts without running, start predicts the start of large jobs, and sim sweeps and tests the runtime
// in random worlds.
package main

import (
	"slices"

	"github.com/activepebbles/pebbles/cmd/internal/command"
)

func main() { command.Main(programOf(nil)) }

// programOf returns this program. If point is not nil, the command sim runs points of a sweep with it.
func programOf(point run) command.Program {
	tools := slices.DeleteFunc(command.Pebbles().Tools, func(m command.Maker) bool { return m.Name == "sim" })
	return command.Program{
		Name:  "pebbles-lab",
		Short: "The laboratory of Active Pebbles: pebbles, and commands that measure, predict and try it",
		Long: "pebbles-lab runs the commands of pebbles, measures them against the limits of a machine, measures\n" +
			"machines, predicts jobs without running them, sweeps simulations, and tests the runtime in\n" +
			"generated worlds.",
		Example: "  pebbles-lab bench --quick Latency\n  pebbles-lab fit\n  pebbles-lab sim --fuzz --seconds 10",
		Tools: append(tools, []command.Maker{
			{Name: "sim", Make: simOf(point)}, {Name: "model", Make: newModel}, {Name: "fit", Make: newFit},
			{Name: "start", Make: newStart},
			{Name: "bench", Make: newBench}, {Name: "limit", Make: newLimit},
		}...),
	}
}
