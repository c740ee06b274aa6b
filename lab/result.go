package lab

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/activepebbles/pebbles/internal/machine"
)

// Format is the version of result files. It grows when an older reader would misread a file.
const Format = 1

// Results are the results of a measurement.
type Results struct {
	Format  int             `json:"format"`
	Date    time.Time       `json:"date"`    // begin of the measurement
	Command string          `json:"command"` // measuring command
	Machine machine.Machine `json:"machine"`
	Repeats int             `json:"repeats"`
	WarmUp  int             `json:"warm_up"`
	Groups  []GroupResult   `json:"groups"`
}

// GroupResult holds the results of a group.
type GroupResult struct {
	Name    string    `json:"name"`
	Title   string    `json:"title,omitempty"` // of a plot; empty: Name
	About   string    `json:"about"`
	Results []*Result `json:"results"`
}

// Result is the result of a case.
type Result struct {
	Case
	Tried   []Tried           `json:"tried,omitempty"` // choices of arguments
	Samples []Sample          `json:"samples"`         // one per repeat, in order
	Exactly map[string]string `json:"exactly"`         // fields of Case.Exact, the same in every sample
	// of the work, the same in every sample; empty if the command prints none
	Sum string `json:"checksum,omitempty"`
}

// Sample is the result of one run.
type Sample struct {
	Value    float64                `json:"value"`              // in the case's unit
	Seconds  float64                `json:"seconds"`            // of the whole process, with set-up and verification
	CPU      float64                `json:"cpu_seconds"`        // processor time of all its processes
	Counters map[string]json.Number `json:"counters,omitempty"` // the object's field "counters"
	Before   time.Duration          `json:"probe_before_ns"`    // see Probe
	After    time.Duration          `json:"probe_after_ns"`
	State    State                  `json:"state"`
	exactly  map[string]string
	checksum string
}

// read takes the figure from the output of a command.
func (s *Sample) read(c Case, o machine.Answer) (err error) {
	if err := o.Verified(); err != nil {
		return err
	}
	value, err := o.Number(c.Field)
	if err != nil {
		return err
	}
	s.Value = value * c.scale()
	if c.PerCPU {
		s.Value /= s.CPU
	}
	if !(s.Value > 0) || math.IsInf(s.Value, 1) {
		return fmt.Errorf("field %q is %v, in %v s of the processor: nothing was measured", c.Field, value, s.CPU)
	}
	if sum := o.Field("checksum"); sum != nil {
		s.checksum = fmt.Sprint(sum)
	} else if c.Work != "" {
		return fmt.Errorf("field \"checksum\" of the work %q is missing", c.Work)
	}
	s.Counters = o.Counters()
	s.exactly, err = o.Exact(c.Exact)
	return err
}

// addSample adds a sample, which must agree with the earlier ones.
func (r *Result) addSample(s Sample) error {
	if len(r.Samples) == 0 {
		r.Exactly, r.Sum = s.exactly, s.checksum
	}
	if s.checksum != r.Sum {
		return fmt.Errorf("checksum %s differs from %s of an earlier run: the work is not the same", s.checksum, r.Sum)
	}
	if !maps.Equal(s.exactly, r.Exactly) {
		return fmt.Errorf("what must be the same in every run is not: %v, and %v in an earlier run", s.exactly,
			r.Exactly)
	}
	r.Samples = append(r.Samples, s)
	return nil
}

// agree compares the checksums of cases with the same work.
func (g GroupResult) agree() error {
	first := map[string]*Result{}
	for _, r := range g.Results {
		if r.Work == "" || len(r.Samples) == 0 {
			continue
		}
		other := first[r.Work]
		if other == nil {
			first[r.Work] = r
		} else if other.Sum != r.Sum {
			return fmt.Errorf("%s and %s do the same work, but their checksums are %s and %s", other.Name, r.Name,
				other.Sum, r.Sum)
		}
	}
	return nil
}

// Limit reports whether the case bounds others, and is not a program of its own.
func (c Case) Limit() bool { return strings.HasPrefix(c.Name, "limit-") }

// Find returns a result by its name, or nil.
func (r Results) Find(name string) *Result {
	for _, g := range r.Groups {
		if found := g.find(name); found != nil {
			return found
		}
	}
	return nil
}

func (g GroupResult) find(name string) *Result {
	for _, r := range g.Results {
		if r.Name == name {
			return r
		}
	}
	return nil
}

// Renew replaces groups with groups of the same names that were measured separately on the same machine, and marks
// them. New groups take their place in the order of all. Groups that no longer exist are removed. It is for disturbed
// runs, and for groups that have changed since.
func (r *Results) Renew(again Results, all []Group) error {
	if a, b := fmt.Sprint(again.Machine), fmt.Sprint(r.Machine); a != b {
		return fmt.Errorf("%s is not the machine of the other groups, %s: measure all of them", a, b)
	}
	old := map[string]GroupResult{}
	for _, g := range r.Groups {
		old[g.Name] = g
	}
	for _, g := range again.Groups {
		i := slices.IndexFunc(all, func(whole Group) bool { return whole.Name == g.Name })
		if i < 0 || len(all[i].Cases) != len(g.Results) {
			return fmt.Errorf("%s: these are not the results of all its cases: measure the whole group", g.Name)
		}
		g.About += " Measured by itself on " + again.Date.Format(time.DateOnly) + "."
		old[g.Name] = g
	}
	r.Groups = nil
	for _, whole := range all {
		if g, ok := old[whole.Name]; ok {
			r.Groups = append(r.Groups, g)
		}
	}
	return nil
}

// Heading returns the title of the group's plots.
func (g GroupResult) Heading() string { return cmp.Or(g.Title, g.Name) }

// NewResults returns empty results of a command.
func NewResults(command string) Results {
	return Results{Format: Format, Date: time.Now().UTC().Truncate(time.Second), Command: command,
		Machine: machine.This(), Repeats: 1}
}

// Dot adds one figure at a point of a curve.
func (g *GroupResult) Dot(curve, axis, unit string, at, value float64) *Result {
	r := &Result{Case: Case{Name: fmt.Sprintf("%s at %v", curve, at), Unit: unit, Point: &Point{curve, axis, at}},
		Samples: []Sample{{Value: value}}}
	g.Results = append(g.Results, r)
	return r
}

// Put replaces the group of the same name, or appends the group.
func (r *Results) Put(g GroupResult) {
	for i := range r.Groups {
		if r.Groups[i].Name == g.Name {
			r.Groups[i] = g
			return
		}
	}
	r.Groups = append(r.Groups, g)
}

// Values returns the figures of all samples, in order.
func (r *Result) Values() []float64 {
	values := make([]float64, len(r.Samples))
	for i, s := range r.Samples {
		values[i] = s.Value
	}
	return values
}

// Summary returns the summary of the values.
func (r *Result) Summary() Summary { return Summarize(r.Values()) }

// Ratios returns the speeds of the case as fractions of those of the case in Against, repeat by repeat: 0.5 is half as
// fast, for rates and for times. It returns nil if the case has no Against.
func (g GroupResult) Ratios(r *Result) []float64 {
	base := g.find(r.Against)
	if base == nil || len(base.Samples) != len(r.Samples) {
		return nil
	}
	ratios := make([]float64, len(r.Samples))
	for i, s := range r.Samples {
		ratios[i] = r.speed(s.Value, base.Samples[i].Value)
	}
	return ratios
}
