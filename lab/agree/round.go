package main

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/activepebbles/pebbles/lab"
)

// laps is how often a round measures each job.
const laps = 3

// prober runs the command pebbles.
type prober struct {
	*lab.Session
	folder string // of the parameters
}

// round fits and simulates everything once, and measures it before and twice after it fits: the machine may change between fit and the measurement.
func (p prober) round(ctx context.Context, cells []*cell) error {
	parameters := filepath.Join(p.folder, "parameters.json")
	for lap := range laps {
		if lap == 1 {
			if err := p.fit(ctx, parameters); err != nil {
				return err
			}
		}
		for _, c := range cells {
			seconds, err := p.seconds(ctx, c.args()...)
			if err != nil {
				return err
			}
			c.measured = append(c.measured, seconds)
		}
	}
	for _, c := range cells {
		seconds, err := p.seconds(ctx, append([]string{"sim", "--network=" + parameters}, c.args()...)...)
		if err != nil {
			return err
		}
		c.simulated = append(c.simulated, seconds)
	}
	return nil
}

// fit measures the machine, and then the applications with the machine's parameters.
func (p prober) fit(ctx context.Context, parameters string) error {
	first := []string{"fit", "--out=" + parameters}
	if p.Small {
		first = append(first, "--repeats=1", "--frames=60", "--time=0", "--pebbles=32768")
	}
	second := append([]string{}, first...)
	for _, ranks := range sizes {
		for _, app := range applications(p.Small, ranks) {
			second = append(second, fmt.Sprintf("--app=%s --ranks %d", app, ranks))
		}
	}
	for _, args := range [][]string{first, second} {
		if _, err := lab.Run(ctx, lab.Limit, nil, append([]string{p.Pebbles}, args...)...); err != nil {
			return fmt.Errorf("pebbles %s: %w", strings.Join(args, " "), err)
		}
	}
	return nil
}

// seconds is the time that a run reports for its kernel.
func (p prober) seconds(ctx context.Context, args ...string) (float64, error) {
	var o struct {
		Seconds float64
		Errors  *uint64
	}
	out, err := lab.Ask(ctx, lab.Limit, nil, &o, append(append([]string{p.Pebbles}, args...), "--json", "--quiet")...)
	if err == nil && (o.Errors == nil || *o.Errors > 0 || !(o.Seconds > 0)) {
		err = fmt.Errorf("pebbles %s: no valid result: %s", strings.Join(args, " "), out.Text)
	}
	return o.Seconds, err
}
