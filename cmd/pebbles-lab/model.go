package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/activepebbles/pebbles/cmd/internal/command"
	"github.com/activepebbles/pebbles/coalesce"
	"github.com/activepebbles/pebbles/internal/launch"
	"github.com/activepebbles/pebbles/model"
	"github.com/activepebbles/pebbles/route"
)

// predictor is the command pebbles-lab model.
type predictor struct {
	command.Terminal
	parameters  string
	transport   command.Word
	topology    command.Word
	termination command.Word
	job         model.Job
	pebbles     int
	compute     time.Duration
	sweeps      []string
	plot        string
	json        bool
	explain     bool
}

// detectors are the names of the model's detectors.
var detectors = append([]string{"auto"}, model.Detectors...)

func newModel(t command.Terminal) *cobra.Command {
	m := &predictor{Terminal: t, pebbles: 1 << 16}
	c := &cobra.Command{
		Use:   "model",
		Short: "Predict what a job would cost, without running it",
		Long: "model predicts time, frames, bytes, buffers and hops of epochs in which all ranks send pebbles to\n" +
			"all ranks, by the formulas of the LogGP model: for this machine, once pebbles-lab fit has measured\n" +
			"it, or for a published one. It sweeps over ranks, topologies and more, and finds the point from\n" +
			"which one topology is faster than another.",
		Example: "  pebbles-lab model --parameters odin --ranks 512 --per-host 4 --topology hypercube\n" +
			"  pebbles-lab model --parameters odin --ranks 64 --even --pebbles 6300 --depth 1 --explain\n" +
			"  pebbles-lab model --parameters odin --per-host 4 --pebbles 1024 --sweep ranks=16,64,256,1024 " +
			"--sweep topology=direct,mesh:2",
		Args: command.NoArguments,
		RunE: func(c *cobra.Command, _ []string) error { return m.start(c) },
	}
	m.job = model.Job{Ranks: 4, Bytes: 8, Epochs: 1}
	m.topology.Check = func(name string) error {
		_, err := route.ByName(name)
		return err
	}
	f := c.Flags()
	f.SortFlags = false
	f.StringVar(&m.parameters, "parameters", "", command.ParametersUsage())
	command.Words(c, &m.transport, "transport", "auto", command.Transports,
		"transport between processes of a host")
	f.Var(command.Count(&m.job.Ranks, 1, ""), "ranks", "ranks of the whole job")
	f.Var(command.Count(&m.job.Layout.PerProcess, 1, "all of a host"), "per-process", "ranks of a process")
	f.Var(command.Count(&m.job.Layout.PerHost, 1, "all"), "per-host", "ranks of a host")
	command.Words(c, &m.topology, "topology", "direct", route.Names(), "how pebbles travel")
	f.Lookup("topology").Usage += "; also " + route.Forms
	f.Var(command.Count(&m.job.Coalesce, 1, "1024, or as many as 128 KiB hold"), "coalesce",
		"coalescing factor: pebbles a buffer")
	f.Var(command.Count(&m.pebbles, 0, "0"), "pebbles", "pebbles that each rank sends per epoch")
	f.Var(command.Count(&m.job.Bytes, 1, ""), "bytes", "bytes of a pebble")
	f.Var(command.Count(&m.job.Epochs, 1, ""), "epochs", "epochs, one after the other")
	f.BoolVar(&m.job.Even, "even", false, "every rank gets the same number from every other one, instead of random "+
		"owners")
	f.Float64Var(&m.job.Hit, "hit", 0, "hit rate of a look into the reduction cache, 0 to 1")
	f.Var(command.Count(&m.job.Depth, 0, "0"), "depth", "declared depth of an epoch, 0 for none")
	command.Words(c, &m.termination, "termination", "auto", detectors, "termination detector")
	f.DurationVar(&m.compute, "compute", 0, "time that the program itself takes for a pebble, such as 20ns")
	f.StringArrayVar(&m.sweeps, "sweep", nil, "vary one thing, such as ranks=16,256,4096: "+strings.Join(sweepable,
		", ")+"; repeatable")
	command.Completes(c, "sweep", axesOf, axesNamed(sweepable)...)
	command.Completes(c, "parameters", cobra.ShellCompDirectiveDefault, model.Names()...)
	f.StringVar(&m.plot, "plot", "", "draw a sweep into a folder, as SVG")
	f.BoolVar(&m.json, "json", false, "print one JSON object instead of a table")
	f.BoolVar(&m.explain, "explain", false, "say which formula each part comes from")
	return c
}

// start predicts and prints.
func (m *predictor) start(c *cobra.Command) error {
	m.job.Pebbles, m.job.Compute, m.job.Detector = float64(m.pebbles), m.compute.Seconds(), m.termination.Text
	axes, err := m.sweepOf()
	switch {
	case err != nil:
		return err
	case m.explain && len(axes) > 0:
		return errors.New("--explain is about one prediction: leave out --sweep")
	case m.plot != "" && len(axes) == 0:
		return errors.New("--plot draws a sweep: add --sweep ranks=16,64,256")
	}
	p, from, err := command.ParametersOf(m.parameters)
	if err != nil {
		return &command.Failure{Status: launch.ExitError, Err: m.plainly(err)}
	}
	if m.transport.Text == "tcp" {
		p = p.Over(model.Network)
	}
	points, err := m.sweep(&p, axes, c.Flags())
	if err != nil {
		return m.plainly(err)
	}
	s := show{predictor: m, from: from, axes: axes, points: points, crossovers: crossovers(axes, points)}
	if err := command.Written(s.print()); err != nil {
		return err
	}
	if m.plot == "" {
		return nil
	}
	return command.Failed(s.draw())
}

// plainly removes the package's name, since the command's name precedes the error.
func (m *predictor) plainly(err error) error {
	text := strings.TrimPrefix(strings.TrimPrefix(err.Error(), "model: "), "fit: ")
	return plain{text, err}
}

// predict makes one prediction.
func (m *predictor) predict(p *model.Parameters, surveys map[string]model.Shape) (model.Prediction, error) {
	constructor, err := route.ByName(m.topology.Text)
	if err != nil {
		return model.Prediction{}, err
	}
	j := m.job
	j.Topology = constructor
	if j.Coalesce == 0 {
		j.Coalesce = coalesce.FactorFor(j.Bytes)
	}
	key := fmt.Sprint(m.topology.Text, j.Ranks, j.Layout)
	shape, known := surveys[key]
	if !known {
		if shape, err = model.Survey(constructor, j.Ranks, j.Layout); err != nil {
			return model.Prediction{}, err
		}
		surveys[key] = shape
	}
	return p.PredictOn(shape, j)
}

// plain is an error without the name of its package.
type plain struct {
	text  string
	cause error
}

func (p plain) Error() string { return p.text }
func (p plain) Unwrap() error { return p.cause }

// sweepable are the flags that a sweep of predictions may vary.
var sweepable = []string{"ranks", "topology", "coalesce", "pebbles", "bytes", "per-process", "per-host", "hit",
	"depth", "termination"}

// sweepOf reads the --sweep flags of a predictor.
func (m *predictor) sweepOf() (sweep, error) {
	may := func(flag string) bool { return slices.Contains(sweepable, flag) }
	return sweepOf(m.sweeps, may, "one of "+strings.Join(sweepable, ", "))
}

// prediction is the result of a point.
type prediction struct {
	Values map[string]string `json:"values,omitempty"` // by axis
	model.Prediction
	Left string `json:"left_out,omitempty"` // reason without prediction: a topology that cannot connect the ranks
}

// sweep predicts every point. It leaves out points that cannot be predicted, and prints them as such. It returns an
// error if it can predict none.
func (m *predictor) sweep(p *model.Parameters, s sweep, flags *pflag.FlagSet) (points []point[prediction], err error) {
	surveys := map[string]model.Shape{}
	whole := 0
	for _, values := range s.points() {
		one := prediction{Values: map[string]string{}}
		for i, a := range s {
			one.Values[a.name] = values[i]
			if err := flags.Lookup(a.name).Value.Set(values[i]); err != nil {
				return nil, fmt.Errorf("--sweep %s=%s: %w", a.name, values[i], err)
			}
		}
		r, fault := m.predict(p, surveys)
		if fault != nil {
			one.Left, err = m.plainly(fault).Error(), fault
		} else {
			one.Prediction = r
			whole++
		}
		points = append(points, point[prediction]{values, one})
	}
	if whole == 0 {
		return nil, err
	}
	return points, nil
}
