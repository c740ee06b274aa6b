// Command draw draws results that are kept in a file, without measuring anything. make -C lab plots draws all pictures of lab/results.
//
//	draw -from results/suite.json -to results/plots
package main

import (
	"context"
	"flag"

	"github.com/activepebbles/pebbles/lab"
	"github.com/activepebbles/pebbles/lab/plots"
)

func main() {
	var from, to string
	lab.Program{Name: "draw", Own: func(f *flag.FlagSet) {
		f.StringVar(&from, "from", "", "file of results")
		f.StringVar(&to, "to", "", "folder for the pictures")
	}, Run: func(context.Context, *lab.Session) error {
		r, err := lab.Read(from)
		if err != nil {
			return err
		}
		_, err = plots.Write(to, r)
		return err
	}}.Main()
}
