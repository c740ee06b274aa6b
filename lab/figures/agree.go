package main

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"

	"github.com/activepebbles/pebbles/internal/machine"
	"github.com/activepebbles/pebbles/lab"
)

var agreeProgram = lab.Program{Name: "agree", Flags: "pebbles repeats small page", Repeats: 5, Run: agree}

// agree runs all rounds, and publishes the table.
func agree(ctx context.Context, s *lab.Session) error {
	folder, err := os.MkdirTemp("", "agree-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(folder) }()
	var cells []*cell
	for i := range kernels(s.Small, sizes[0]) {
		for _, transport := range []string{"mem", "tcp"} {
			for _, ranks := range sizes {
				cells = append(cells, &cell{app: kernels(s.Small, ranks)[i], transport: transport, ranks: ranks})
			}
		}
	}
	for round := range s.Repeats {
		if err := agreeRound(ctx, s, filepath.Join(folder, "parameters.json"), cells); err != nil {
			return err
		}
		fmt.Fprintf(s.Stderr, "round %d of %d\n", round+1, s.Repeats)
	}
	return s.Publish("agree", agreement(cells, s.Repeats))
}

// cell is one job that is measured and simulated.
type cell struct {
	app       string // with the flags for its work
	transport string
	ranks     int

	measured, simulated []float64 // seconds of the kernel, by lap and by round
}

// kernels returns the applications that are compared with their simulations, with work for a number of ranks: the same
// number of pebbles per rank for each, so that the shortest jobs take a tenth of a second. In less than half of that,
// one-time costs, such as new memory, are a large part.
func kernels(small bool, ranks int) []string {
	words, items := 20, 1<<22
	if small {
		words, items = 10, 200
	}
	return []string{fmt.Sprint("randomaccess --log2-words ", words), fmt.Sprint("alltoall --rounds ", items/(ranks-1))}
}

// sizes are the numbers of ranks of the jobs, and laps is the number of measurements of each job in a round.
var sizes = []int{2, 4, 8}

const laps = 3

// args returns the arguments of the application's command: over TCP each rank is a process.
func (c *cell) args() []string {
	args := append(strings.Fields(c.app), fmt.Sprint("--ranks=", c.ranks))
	if c.transport != "mem" {
		args = append(args, fmt.Sprint("--procs=", c.ranks), "--transport="+c.transport)
	}
	return args
}

// ratio returns the ratio of simulated to measured time, by means: on a machine that is slow at times, a median is one
// state or the other.
func (c *cell) ratio() float64 { return mean(c.simulated) / mean(c.measured) }

// apart returns the median distance of the rounds' ratios to it.
func (c *cell) apart() float64 {
	var far []float64
	for i, s := range c.simulated {
		far = append(far, math.Abs(s/mean(c.measured[i*laps:][:laps])-c.ratio()))
	}
	return lab.Summarize(far).Median
}

func mean(values []float64) (m float64) {
	for _, v := range values {
		m += v / float64(len(values))
	}
	return m
}

// agreeRound fits and simulates everything once. It measures once before the fit and twice after it: the machine may
// change between them.
func agreeRound(ctx context.Context, s *lab.Session, parameters string, cells []*cell) error {
	for lap := range laps {
		if lap == 1 {
			if err := agreeFit(ctx, s, parameters); err != nil {
				return err
			}
		}
		for _, c := range cells {
			seconds, err := seconds(ctx, s, c.args()...)
			if err != nil {
				return err
			}
			c.measured = append(c.measured, seconds)
		}
	}
	for _, c := range cells {
		seconds, err := seconds(ctx, s, append([]string{"sim", "--network=" + parameters}, c.args()...)...)
		if err != nil {
			return err
		}
		c.simulated = append(c.simulated, seconds)
	}
	return nil
}

// quickFit are the flags of pebbles-lab fit for tiny work.
var quickFit = []string{"--repeats=2", "--frames=60", "--time=0", "--pebbles=32768"}

// agreeFit measures the machine, and then the applications with the machine's parameters.
func agreeFit(ctx context.Context, s *lab.Session, parameters string) error {
	first := []string{s.Pebbles, "fit", "--out=" + parameters}
	if s.Small {
		first = append(first, quickFit...)
	}
	second := append([]string{}, first...)
	for _, ranks := range sizes {
		for _, app := range kernels(s.Small, ranks) {
			second = append(second, fmt.Sprintf("--app=%s --ranks %d", app, ranks))
		}
	}
	for _, args := range [][]string{first, second} {
		if _, err := machine.Run(ctx, lab.Limit, nil, args...); err != nil {
			return fmt.Errorf("%s: %w", strings.Join(args, " "), err)
		}
	}
	return nil
}

// seconds returns the time that a run reports for its kernel.
func seconds(ctx context.Context, s *lab.Session, args ...string) (float64, error) {
	var o struct {
		Seconds float64
		Errors  *uint64
	}
	out, err := machine.Ask(ctx, lab.Limit, nil, &o, append(append([]string{s.Pebbles}, args...), "--json", "--quiet")...)
	if err == nil && (o.Errors == nil || *o.Errors > 0 || !(o.Seconds > 0)) {
		err = fmt.Errorf("pebbles %s: no valid result: %s", strings.Join(args, " "), out.Text)
	}
	return o.Seconds, err
}

// agreement returns the part of the page.
func agreement(cells []*cell, rounds int) string {
	within := 0
	t := lab.NewTable("application", "transport", "ranks", "measured", "lowest", "highest", "spread", "simulated",
		"simulated / measured", "spread")
	ms := func(seconds float64) string { return fmt.Sprintf("%.4g ms", 1e3*seconds) }
	for _, c := range cells {
		s, ratio := lab.Summarize(c.measured), c.ratio()
		if ratio >= 0.7 && ratio <= 1.3 {
			within++
		}
		t.Row(c.app, c.transport, c.ranks, ms(mean(c.measured)), ms(s.Min), ms(s.Max), ms(s.Spread),
			ms(mean(c.simulated)),
			fmt.Sprintf("%.2f", ratio), fmt.Sprintf("%.2f", c.apart()))
	}
	return fmt.Sprintf(`## Simulated against measured

%s

Predictions of `+"`pebbles sim`"+` for this machine, beside measurements of the same jobs; over TCP each rank is a
process. In each of %d rounds `+"`pebbles-lab fit`"+` measured the machine's parameters, and
`+"`pebbles-lab fit --app`"+` the costs of the applications' pebbles, with as many ranks in one process on one core. No
job that is predicted was used for that: those have
two cores, or processes and TCP. The jobs were measured three times, once before and twice after that, and simulated
with the parameters of their round. Times are means, since this machine is now slow and now fast, and a median is one or
the other; "spread" is the median distance, of times to their median and of the rounds' ratios to that of all. Of %d
jobs %d are simulated within 30 %% of their time.

%s`, lab.Made(fmt.Sprintf("make -C lab agree ROUNDS=%d", rounds)), rounds, len(cells), within, t)
}
