package main

import (
	"image/gif"
	"image/png"
	"io"

	"github.com/activepebbles/pebbles/apps/nbody"
	"github.com/activepebbles/pebbles/apps/nbody/tipsy"
	"github.com/activepebbles/pebbles/internal/launch"
)

// write writes the files that the command line asks for.
func (b *nbodyFlags) write(r nbody.Result) error {
	for _, x := range []struct {
		file  string
		write func(w io.Writer) error
	}{
		{b.output, func(w io.Writer) error {
			return tipsy.Write(w, b.config.Source.Time()+float64(r.Steps)*r.Step, r.End, r.Potentials)
		}},
		{b.picture, func(w io.Writer) error { return png.Encode(w, r.Picture) }},
		{b.frames, func(w io.Writer) error { return gif.EncodeAll(w, animation(r)) }},
	} {
		if x.file == "" {
			continue
		}
		if err := create(x.file, x.write); err != nil {
			return &failure{launch.ExitError, err}
		}
	}
	return nil
}

// animation shows frames for so many hundredths of a second each, the last one longer.
func animation(r nbody.Result) *gif.GIF {
	const each, last = 6, 200
	g := &gif.GIF{Image: r.Frames, Delay: make([]int, len(r.Frames))}
	for i := range g.Delay {
		g.Delay[i] = each
	}
	g.Delay[len(g.Delay)-1] = last
	return g
}
