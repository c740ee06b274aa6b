// Command figures measures and writes the parts of pages that come from runs of the command pebbles, and draws plots of
// kept results. lab/Makefile calls it.
//
//	figures agree   simulated times against measured ones
//	figures auto    jobs that tune themselves against the best setting of a sweep
//	figures scale   one program simulated on 16 to 65,536 ranks, beside the formulas for a hypercube
//	figures gains   the gain of the address cache: one side of a job that lab/gains/run starts
//	figures draw    plots or a page of a file of results, without measuring anything
package main

import (
	"context"
	"flag"
	"path/filepath"
	"strings"

	"github.com/activepebbles/pebbles/lab"
	"github.com/activepebbles/pebbles/lab/plots"
)

func main() {
	lab.Main(agreeProgram, autoProgram(), scaleProgram(), gainsProgram(), drawProgram())
}

func drawProgram() lab.Program {
	var from, to, page string
	return lab.Program{Name: "draw", Own: func(f *flag.FlagSet) {
		f.StringVar(&from, "from", "", "file of results")
		f.StringVar(&to, "to", "", "folder for the pictures")
		f.StringVar(&page, "into", "", "page for the tables, instead of -to: its section has the name of the results")
	}, Run: func(context.Context, *lab.Session) error {
		r, err := lab.Read(from)
		if err != nil {
			return err
		}
		if page != "" {
			return render(page, strings.TrimSuffix(filepath.Base(from), ".json"), r)
		}
		_, err = plots.Write(to, r)
		return err
	}}
}

// render writes results into a section of a page, with pictures next to the page.
func render(page, section string, r lab.Results) error {
	pictures, err := plots.Beside(page, section, r)
	if err != nil {
		return err
	}
	return lab.WriteSection(page, section, r.Markdown(pictures))
}
