// Command figures measures and writes the parts of pages that are made of runs of the command pebbles, and draws plots
// of results that are kept. lab/Makefile calls it.
//
//	figures agree   simulated times against measured ones
//	figures auto    jobs that tune themselves against the best setting of a sweep
//	figures scale   one program simulated on 16 to 65,536 ranks, beside the formulas for a hypercube
//	figures worlds  how many simulated worlds passed
//	figures gains   the gain of the address cache: one side of a job that lab/gains/run starts
//	figures draw    plots of a file of results, without measuring anything
package main

import (
	"context"
	"flag"

	"github.com/activepebbles/pebbles/lab"
	"github.com/activepebbles/pebbles/lab/plots"
)

func main() {
	lab.Main(agreeProgram, autoProgram(), scaleProgram(), worldsProgram(), gainsProgram(), drawProgram())
}

func drawProgram() lab.Program {
	var from, to string
	return lab.Program{Name: "draw", Own: func(f *flag.FlagSet) {
		f.StringVar(&from, "from", "", "file of results")
		f.StringVar(&to, "to", "", "folder for the pictures")
	}, Run: func(context.Context, *lab.Session) error {
		r, err := lab.Read(from)
		if err != nil {
			return err
		}
		_, err = plots.Write(to, r)
		return err
	}}
}
