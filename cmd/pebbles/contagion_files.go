package main

import (
	"io"
	"os"
	"path/filepath"

	"github.com/activepebbles/pebbles/apps/contagion"
	"github.com/activepebbles/pebbles/internal/launch"
	"github.com/activepebbles/pebbles/lab"
	"github.com/activepebbles/pebbles/lab/plots"
)

// write writes the files that the command line asks for.
func (b *contagionFlags) write(r contagion.Result) error {
	for _, file := range b.curves {
		err := drawCurve(file, r)
		if format := formatOf(file); format != "svg" {
			err = create(file, func(w io.Writer) error { return contagion.WriteCurve(w, format, r.Curve) })
		}
		if err != nil {
			return &failure{launch.ExitError, err}
		}
	}
	if b.infections == "" {
		return nil
	}
	err := create(b.infections, func(w io.Writer) error {
		return contagion.WriteInfections(w, formatOf(b.infections),
			r.Infections)
	})
	if err != nil {
		return &failure{launch.ExitError, err}
	}
	return nil
}

// drawCurve draws how many people are in each state, by day.
func drawCurve(file string, r contagion.Result) error {
	g := lab.GroupResult{Name: "curve", Title: r.Population}
	for _, row := range r.Curve {
		g.Dot(row.State, "day", "people", float64(row.Day), float64(row.Total))
	}
	folder, err := os.MkdirTemp(filepath.Dir(file), ".curve")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	drawn, err := plots.Write(folder, lab.Results{Groups: []lab.GroupResult{g}})
	if err != nil {
		return err
	}
	return os.Rename(drawn[g.Name][0], file)
}
