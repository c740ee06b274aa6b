package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/activepebbles/pebbles/coalesce"
	"github.com/activepebbles/pebbles/internal/launch"
	"github.com/activepebbles/pebbles/lab"
	"github.com/activepebbles/pebbles/lab/fit"
	"github.com/activepebbles/pebbles/lab/plots"
	"github.com/activepebbles/pebbles/model"
	"github.com/activepebbles/pebbles/route"
)

// predictor is the command pebbles model.
type predictor struct {
	terminal
	parameters  string
	transport   word
	topology    word
	termination word
	job         model.Job
	pebbles     int
	compute     time.Duration
	sweeps      []string
	plot        string
	json        bool
	explain     bool
}

// detectors are the model's detectors by name.
var detectors = append([]string{"auto"}, model.Detectors...)

func newModel(t terminal) *cobra.Command {
	m := &predictor{terminal: t, pebbles: 1 << 16}
	c := &cobra.Command{
		Use:   "model",
		Short: "Predict what a job would cost, without running it",
		Long: "model predicts time, frames, bytes, buffers and hops of epochs in which all ranks send pebbles to all ranks, by the\n" +
			"formulas of the LogGP model: for this machine, once pebbles fit has measured it, or for a published one. It sweeps over\n" +
			"ranks, topologies and more, and tells from where on one topology is faster than another.",
		Example: "  pebbles model --parameters odin --ranks 512 --per-host 4 --topology hypercube\n" +
			"  pebbles model --parameters odin --ranks 64 --even --pebbles 6300 --depth 1 --explain\n" +
			"  pebbles model --parameters odin --per-host 4 --pebbles 1024 --sweep ranks=16,64,256,1024 --sweep topology=direct,mesh:2",
		Args: noArguments,
		RunE: func(c *cobra.Command, _ []string) error { return m.start(c) },
	}
	m.job = model.Job{Ranks: 4, Bytes: 8, Epochs: 1, Coalesce: coalesce.FactorDefault}
	m.topology.check = func(name string) error {
		_, err := route.ByName(name)
		return err
	}
	f := c.Flags()
	f.SortFlags = false
	f.StringVar(&m.parameters, "parameters", "", parametersUsage())
	words(c, &m.transport, "transport", "auto", transports, "what carries frames between processes of a host")
	f.Var(count(&m.job.Ranks, 1, ""), "ranks", "ranks of the whole job")
	f.Var(count(&m.job.Layout.PerProcess, 1, "all of a host"), "per-process", "ranks of a process")
	f.Var(count(&m.job.Layout.PerHost, 1, "all"), "per-host", "ranks of a host")
	words(c, &m.topology, "topology", "direct", route.Names(), "how pebbles travel")
	f.Lookup("topology").Usage += "; also " + route.Forms
	f.Var(count(&m.job.Coalesce, 1, ""), "coalesce", "coalescing factor: pebbles a buffer")
	f.Var(count(&m.pebbles, 0, "0"), "pebbles", "pebbles that each rank sends in an epoch")
	f.Var(count(&m.job.Bytes, 1, ""), "bytes", "bytes of a pebble")
	f.Var(count(&m.job.Epochs, 1, ""), "epochs", "epochs, one after the other")
	f.BoolVar(&m.job.Even, "even", false, "every rank gets as many from every other one, in place of random owners")
	f.Float64Var(&m.job.Hit, "hit", 0, "hit rate of a look into the reduction cache, 0 to 1")
	f.Var(count(&m.job.Depth, 0, "0"), "depth", "declared depth of an epoch, 0 for none")
	words(c, &m.termination, "termination", "auto", detectors, "what finds the end of an epoch")
	f.DurationVar(&m.compute, "compute", 0, "time that the program itself takes for a pebble, such as 20ns")
	f.StringArrayVar(&m.sweeps, "sweep", nil, "vary one thing, such as ranks=16,256,4096: "+strings.Join(sweepable, ", ")+"; repeatable")
	completes(c, "sweep", axesOf, axesNamed(sweepable)...)
	completes(c, "parameters", cobra.ShellCompDirectiveDefault, model.Names()...)
	f.StringVar(&m.plot, "plot", "", "draw a sweep into a folder, as SVG")
	f.BoolVar(&m.json, "json", false, "print one JSON object instead of a table")
	f.BoolVar(&m.explain, "explain", false, "say which formula each part comes from")
	return c
}

// start predicts and prints.
func (m *predictor) start(c *cobra.Command) error {
	m.job.Pebbles, m.job.Compute, m.job.Detector = float64(m.pebbles), m.compute.Seconds(), m.termination.text
	axes, err := m.sweepOf()
	switch {
	case err != nil:
		return err
	case m.explain && len(axes) > 0:
		return errors.New("--explain is about one prediction: leave out --sweep")
	case m.plot != "" && len(axes) == 0:
		return errors.New("--plot draws a sweep: add --sweep ranks=16,64,256")
	}
	p, from, err := parametersOf(m.parameters)
	if err != nil {
		return &failure{launch.ExitError, m.plainly(err)}
	}
	if m.transport.text == "tcp" {
		p = p.Over(model.Network)
	}
	points, err := m.sweep(&p, axes, c.Flags())
	if err != nil {
		return m.plainly(err)
	}
	s := show{predictor: m, from: from, axes: axes, points: points, crossovers: crossovers(axes, points)}
	if err := written(s.print()); err != nil {
		return err
	}
	if m.plot == "" {
		return nil
	}
	return failed(s.draw())
}

// plainly strips the package's name: the command's name precedes the error.
func (m *predictor) plainly(err error) error {
	text := strings.TrimPrefix(strings.TrimPrefix(err.Error(), "model: "), "fit: ")
	return plain{text, err}
}

// predict is one prediction.
func (m *predictor) predict(p *model.Parameters, surveys map[string]model.Shape) (model.Prediction, error) {
	constructor, err := route.ByName(m.topology.text)
	if err != nil {
		return model.Prediction{}, err
	}
	j := m.job
	j.Topology = constructor
	key := fmt.Sprint(m.topology.text, j.Ranks, j.Layout)
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
var sweepable = []string{"ranks", "topology", "coalesce", "pebbles", "bytes", "per-process", "per-host", "hit", "depth", "termination"}

// sweepOf reads the --sweep flags of a predictor.
func (m *predictor) sweepOf() (sweep, error) {
	may := func(flag string) bool { return slices.Contains(sweepable, flag) }
	return sweepOf(m.sweeps, may, "one of "+strings.Join(sweepable, ", "))
}

// prediction is what came of a point.
type prediction struct {
	Values map[string]string `json:"values,omitempty"` // by axis
	model.Prediction
	Left string `json:"left_out,omitempty"` // why there is no prediction: a topology that can't connect so many ranks
}

// sweep predicts every point. Points that can't be predicted are left out, and printed as such; it is an error if none
// can.
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

// crossover is the point from which one value of an axis is faster than another.
type crossover struct {
	Axis   string `json:"axis"` // along which
	Slower string `json:"slower_before"`
	Faster string `json:"faster_from"`
	At     string `json:"at"` // the first value of the axis from which on it is faster at all that follow; "" when there is none
}

// String is for people.
func (c crossover) String() string {
	if c.At == "" {
		return fmt.Sprintf("%s is not faster than %s for good at any of these", c.Faster, c.Slower)
	}
	return fmt.Sprintf("%s is faster than %s from %s %s on", c.Faster, c.Slower, c.At, c.Axis)
}

// crossovers compares the first topology of a sweep with each other one along the axis of numbers, when these two are
// all axes.
func crossovers(axes sweep, points []point[prediction]) (all []crossover) {
	if len(axes) != 2 {
		return nil
	}
	along, over := axes[0], axes[1]
	if along.name == "topology" {
		along, over = over, along
	}
	if over.name != "topology" || !along.numeric() {
		return nil
	}
	seconds := map[[2]string]float64{}
	for _, p := range points {
		if r := p.result; r.Left == "" {
			seconds[[2]string{r.Values[along.name], r.Values["topology"]}] = r.Seconds
		}
	}
	first := over.values[0]
	for _, other := range over.values[1:] {
		c := crossover{Axis: along.name, Slower: first, Faster: other}
		for _, value := range along.values {
			a, okA := seconds[[2]string{value, first}]
			b, okB := seconds[[2]string{value, other}]
			switch {
			case !okA || !okB:
			case b >= a:
				c.At = ""
			case c.At == "":
				c.At = value
			}
		}
		all = append(all, c)
	}
	return all
}

// show is what a prediction or a sweep looks like.
type show struct {
	*predictor
	from       string
	axes       sweep
	points     []point[prediction]
	crossovers []crossover
}

func (s *show) print() error {
	switch {
	case s.json:
		return s.encode()
	case len(s.axes) == 0:
		return s.one(s.points[0].result.Prediction)
	}
	return s.table()
}

func (s *show) encode() error {
	all := make([]prediction, len(s.points))
	for i, p := range s.points {
		all[i] = p.result
	}
	return json.NewEncoder(s.stdout).Encode(struct {
		App         string       `json:"app"`
		Parameters  string       `json:"parameters"`
		Predictions []prediction `json:"predictions"`
		Crossovers  []crossover  `json:"crossovers,omitempty"`
	}{"model", s.from, all, s.crossovers})
}

// one prints a prediction part by part.
func (s *show) one(r model.Prediction) error {
	w := tabwriter.NewWriter(s.stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "model\t%s, %s topology, %s a buffer, ends by %s, parameters of %s\n", plural(r.Ranks, "rank", "ranks"), r.Topology,
		plural(r.Coalesce, "pebble", "pebbles"), r.Detector, s.from)
	for _, part := range r.Parts() {
		fmt.Fprintf(w, "%s\t%s", part.Name, valueText(part.Value, part.Unit))
		if s.explain {
			fmt.Fprintf(w, "\t%s", part.Formula)
		}
		fmt.Fprintln(w)
	}
	return w.Flush()
}

// valueText writes a value in its unit.
func valueText(v float64, unit string) string {
	switch {
	case unit == "s":
		return timeText(v)
	case unit == "B" && v < 1<<60:
		return bytesText(int64(v + 0.5))
	case v >= 1000 && v < 1<<62:
		return grouped(uint64(v + 0.5))
	}
	return fmt.Sprintf("%.4g", v)
}

// timeText writes seconds with four digits, in a unit that suits them.
func timeText(s float64) string {
	for _, unit := range []struct {
		size float64
		name string
	}{{1, "s"}, {1e-3, "ms"}, {1e-6, "µs"}} {
		if s >= unit.size {
			return fmt.Sprintf("%.4g %s", s/unit.size, unit.name)
		}
	}
	return fmt.Sprintf("%.4g ns", s*1e9)
}

// table prints a sweep, one line a prediction.
func (s *show) table() error {
	w := tabwriter.NewWriter(s.stdout, 0, 0, 2, ' ', 0)
	for _, a := range s.axes {
		fmt.Fprintf(w, "%s\t", a.name)
	}
	fmt.Fprintln(w, "time\tpebbles\toverhead\tgap\tbytes\tlatency\ttermination\tframes\tbuffers\tmemory\thops")
	for _, one := range s.points {
		for _, v := range one.values {
			fmt.Fprintf(w, "%s\t", v)
		}
		p := one.result
		if p.Left != "" {
			fmt.Fprintf(w, "-\t%s\n", p.Left)
			continue
		}
		for _, seconds := range []float64{p.Seconds, p.Pebble, p.Overhead, p.Gap, p.Byte, p.Latency, p.Termination} {
			fmt.Fprintf(w, "%s\t", timeText(seconds))
		}
		fmt.Fprintf(w, "%s\t%d\t%s\t%d\n", valueText(p.Frames, ""), p.Buffers, valueText(p.BufferBytes, "B"), p.Hops)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	for _, c := range s.crossovers {
		if _, err := fmt.Fprintln(s.stdout, c); err != nil {
			return err
		}
	}
	return nil
}

// predictedMeasures are what a sweep draws.
var predictedMeasures = []measure[prediction]{
	{"Predicted time", "ms", func(p prediction) float64 { return 1e3 * p.Seconds }},
	{"Predicted frames", "frames", func(p prediction) float64 { return p.Frames }},
	{"Predicted buffers", "buffers a rank", func(p prediction) float64 { return float64(p.Buffers) }},
}

// draw puts plots of what could be predicted into a folder.
func (s *show) draw() error {
	var whole []point[prediction]
	for _, p := range s.points {
		if p.result.Left == "" {
			whole = append(whole, p)
		}
	}
	return drawSweep(s.plot, whole[0].result.Topology, s.axes, whole, predictedMeasures)
}

// parametersUsage is what a flag for parameters takes.
func parametersUsage() string {
	return "parameters: a file of pebbles fit, or " + strings.Join(model.Names(), " or ") + " (default what pebbles fit has kept for this machine)"
}

// parametersOf finds parameters by name or in a file; "" means those saved by pebbles fit. from is where they were
// found.
func parametersOf(name string) (p model.Parameters, from string, err error) {
	if slices.Contains(model.Names(), name) {
		p, err = model.ByName(name)
		return p, name, err
	}
	if name == "" {
		if name, err = fit.Place(); err != nil {
			return p, "", err
		}
		if _, err := os.Stat(name); errors.Is(err, fs.ErrNotExist) {
			return p, "", errors.New("there are no parameters of this machine: run pebbles fit first, or give --parameters " +
				strings.Join(model.Names(), " or "))
		}
	}
	f, err := fit.Read(name)
	return f.Parameters, name, err
}

// axis is a flag that a sweep varies.
type axis struct {
	name   string
	values []string
}

// sweep is what --sweep flags say: its points are all combinations of the axes' values.
type sweep []axis

// point is one combination, with a value for each axis, and what came of it.
type point[R any] struct {
	values []string
	result R
}

// sweepOf reads --sweep flags. Each names a flag that may vary, and its values; which lists in words what may vary.
func sweepOf(texts []string, may func(flag string) bool, which string) (s sweep, err error) {
	for _, text := range texts {
		name, list, _ := strings.Cut(text, "=")
		if name == "" || list == "" || !may(name) {
			return nil, fmt.Errorf("--sweep %q: write %s and its values, such as ranks=16,256,4096", text, which)
		}
		if slices.ContainsFunc(s, func(a axis) bool { return a.name == name }) {
			return nil, fmt.Errorf("--sweep %s is there twice: give all values at once", name)
		}
		s = append(s, axis{name, strings.Split(list, ",")})
	}
	return s, nil
}

// points are all combinations of values, the last axis going fastest.
func (s sweep) points() [][]string {
	all := [][]string{nil}
	for _, a := range s {
		var next [][]string
		for _, values := range all {
			for _, v := range a.values {
				next = append(next, append(slices.Clone(values), v))
			}
		}
		all = next
	}
	return all
}

// words name a point by its values, such as "ranks=16".
func (s sweep) words(values []string) (all []string) {
	for i, a := range s {
		all = append(all, a.name+"="+values[i])
	}
	return all
}

// errNoAlong is the error of a sweep that can't be drawn.
var errNoAlong = errors.New("--plot draws along numbers: sweep ranks or another number above 0")

// along is the index of the first axis of numbers; -1 when there is none.
func (s sweep) along() int { return slices.IndexFunc(s, axis.numeric) }

// numeric reports whether all values are numbers above 0.
func (a axis) numeric() bool {
	return !slices.ContainsFunc(a.values, func(v string) bool {
		n, err := strconv.ParseFloat(v, 64)
		return err != nil || n <= 0
	})
}

// curve names the line of the plot on which a point lies: its values on all axes but the horizontal one.
func (s sweep) curve(values []string, along int) string {
	var words []string
	for i, a := range s {
		if i != along {
			words = append(words, strings.TrimPrefix(a.name+" ", "topology ")+values[i])
		}
	}
	return strings.Join(words, ", ")
}

// measure is a figure that a sweep plots.
type measure[R any] struct {
	name, unit string
	of         func(R) float64
}

// drawSweep puts a plot of each measure into a folder: along the first axis of numbers, a curve for each combination of
// the others. A sweep of one axis has one curve, which bears the name of the whole.
func drawSweep[R any](folder, whole string, s sweep, points []point[R], measures []measure[R]) error {
	along := s.along()
	if along < 0 {
		return errNoAlong
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	var results lab.Results
	for _, m := range measures {
		g := lab.GroupResult{Name: m.name}
		for _, p := range points {
			name := s.curve(p.values, along)
			if name == "" {
				name = whole
			}
			at, _ := strconv.ParseFloat(p.values[along], 64) // it is numeric
			g.Dot(name, s[along].name, m.unit, at, m.of(p.result))
		}
		results.Groups = append(results.Groups, g)
	}
	_, err := plots.Write(folder, results)
	return err
}
