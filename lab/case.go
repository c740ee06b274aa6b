package lab

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"strings"
)

// Case is one figure: its command, and its field of the JSON object that the command prints. The object's field
// "errors" must be 0. A nonzero exit status or number of errors ends the measurement.
type Case struct {
	// unique in the whole suite; names of cases that bound others begin with "limit-"
	Name string   `json:"name"`
	Args []string `json:"-"` // program, as a path or a name in PATH, and its arguments
	// Choices are further arguments to choose from: sizes of buffers, methods. The case is measured with the fastest.
	Choices []string `json:"-"`
	Env     []string `json:"env,omitempty"` // NAME=value, added to the environment of this process
	// command as a user would type it; empty: Env and Args with spaces between them
	Line string `json:"line"`

	// of the printed object; dots separate nested names: counters.frames_sent
	Field string  `json:"field"`
	Scale float64 `json:"scale,omitempty"` // factor from the field to Unit; 0 is 1
	Unit  string  `json:"unit"`            // such as "M updates/s"
	Lower bool    `json:"lower,omitempty"` // less is better, as for a time
	// PerCPU marks an amount of work: the figure is this amount per second of processor time, which covers the whole
	// process, including its set-up and verification. Other programs on the machine hardly change it.
	PerCPU bool `json:"per_cpu,omitempty"`

	// Against names the case of the same group that Result.Ratios compares this one with. It must have the same unit.
	Against string `json:"against,omitempty"`
	// Work, if not empty, names the work: all runs of all cases of a group with the same Work must print the same field
	// "checksum". Without it, the runs of one case must print the same checksum, if they print one.
	Work string `json:"work,omitempty"`
	// Exact names fields that must be the same in every run, since they are independent of timing. Compare requires
	// that they are equal in two results.
	Exact []string `json:"exact,omitempty"`
	// Point, if not nil, is the place of the figure in a plot of curves. If all cases of a group have one, curves are
	// drawn.
	Point *Point `json:"point,omitempty"`
}

// Point is a place along one curve of a plot.
type Point struct {
	Curve string  `json:"curve"` // name of the curve
	Axis  string  `json:"axis"`  // quantity along the plot, the same in a whole group: "ranks"
	At    float64 `json:"at"`    // its amount, above 0: the axis is logarithmic
}

// Group holds cases that are run alternately, and shown together.
type Group struct {
	Name  string
	Title string // of a plot; empty: Name
	About string // a sentence or more on the purpose of the group
	Cases []Case
}

// Add adds a case to the group.
func (g *Group) Add(c Case) { g.Cases = append(g.Cases, c) }

// typed returns the case with its line.
func (c Case) typed() Case {
	if c.Line == "" {
		c.Line = strings.Join(append(append([]string{}, c.Env...), c.Args...), " ")
	}
	return c
}

func (c Case) scale() float64 {
	if c.Scale == 0 {
		return 1
	}
	return c.Scale
}

// speed returns the ratio of the speeds of two values of this case's unit.
func (c Case) speed(value, against float64) float64 {
	if c.Lower {
		return against / value
	}
	return value / against
}

// Check reports the first mistake in a suite, before any run.
func Check(groups []Group) error {
	if len(groups) == 0 {
		return errors.New("there is nothing to measure")
	}
	seen := map[string]bool{}
	for _, g := range groups {
		if err := g.check(seen); err != nil {
			return fmt.Errorf("group %q: %w", g.Name, err)
		}
	}
	return nil
}

func (g Group) check(seen map[string]bool) error {
	units := map[string]Case{}
	for _, c := range g.Cases {
		switch {
		case c.Name == "" || c.Field == "" || len(c.Args) == 0:
			return fmt.Errorf("case %q: name it, its command and the field of its figure", c.Name)
		case seen[c.Name]:
			return fmt.Errorf("case %q: there is another of this name", c.Name)
		}
		seen[c.Name] = true
		units[c.Name] = c
		if p := c.Point; p != nil && (p.Curve == "" || p.Axis == "" || !(p.At > 0) || math.IsInf(p.At, 1)) {
			return fmt.Errorf("case %q: name its curve and its axis, and give it a place above 0 there", c.Name)
		}
	}
	for _, c := range g.Cases {
		base, there := units[c.Against]
		if c.Against != "" && (!there || base.Unit != c.Unit || base.Lower != c.Lower) {
			return fmt.Errorf("case %q is compared with %q, which is no case of this group in %s", c.Name, c.Against,
				c.Unit)
		}
	}
	return nil
}

// Matching returns the cases whose name or group's name matches a regular expression, regardless of case, with the
// cases that they are compared with.
func Matching(groups []Group, expression string) (some []Group, err error) {
	if _, err := regexp.Compile(expression); err != nil { // the error quotes the user's expression
		return nil, err
	}
	pattern := regexp.MustCompile("(?i)" + expression)
	for _, g := range groups {
		wanted := map[string]bool{}
		for _, c := range g.Cases {
			if pattern.MatchString(g.Name) || pattern.MatchString(c.Name) {
				g.want(c, wanted)
			}
		}
		part := Group{Name: g.Name, Title: g.Title, About: g.About}
		for _, c := range g.Cases {
			if wanted[c.Name] {
				part.Add(c)
			}
		}
		if part.Cases != nil {
			some = append(some, part)
		}
	}
	if some == nil {
		return nil, fmt.Errorf("no case matches %q", expression)
	}
	return some, nil
}

// want marks a case and the cases that it is compared with, directly or indirectly.
func (g Group) want(c Case, wanted map[string]bool) {
	if wanted[c.Name] {
		return
	}
	wanted[c.Name] = true
	for _, other := range g.Cases {
		if other.Name == c.Against {
			g.want(other, wanted)
		}
	}
}

// Against returns the groups without their limits. Each case follows the same one of another build of its program, and
// is compared with that.
func Against(groups []Group, program string) (pairs []Group) {
	for _, g := range groups {
		pair := Group{Name: g.Name, About: g.About}
		for _, c := range g.Cases {
			if c.Limit() {
				continue
			}
			other := c
			other.Name, other.Against, other.Point = c.Name+", other build", "", nil
			other.Args = append([]string{program}, c.Args[1:]...)
			c.Against, c.Point = other.Name, nil
			pair.Cases = append(pair.Cases, other, c)
		}
		if pair.Cases != nil {
			pairs = append(pairs, pair)
		}
	}
	return pairs
}
