package main

import (
	"fmt"
	"math"
	"strings"

	"github.com/activepebbles/pebbles/lab"
)

// figure is one figure or table of a paper.
type figure struct {
	name string // of its section of the page
	draw func(*simulator) (drawing, error)
}

func figures() []figure {
	return []figure{
		{"randomaccess", randomAccess},
		{"what decides the crossing", whatDecides},
		{"permutation", permuting},
		{"permutation by size", permutingBySize},
		{"pointerchase", chasing},
		{"bfs", searching},
		{"all-to-all", allToAll},
		{"all-to-all by buffer", allToAllByBuffer},
		{"all-to-all by topology", allToAllByTopology},
		{"table iii", tableIII},
	}
}

// drawing is a figure drawn: tables with lines of words between them, and curves of one unit.
type drawing struct {
	parts      []string
	axis, unit string
	curves     []*curve
}

func (d *drawing) say(format string, args ...any) {
	d.parts = append(d.parts, fmt.Sprintf(format, args...))
}

func (d *drawing) text() string { return strings.Join(d.parts, "\n\n") + "\n" }

// curve is a line of a plot.
type curve struct {
	name   string
	at, is []float64
}

func (d *drawing) curve(name string) *curve {
	c := &curve{name: name}
	d.curves = append(d.curves, c)
	return c
}

func (c *curve) add(at, is float64) { c.at, c.is = append(c.at, at), append(c.is, is) }

// group is what package plots draws.
func (d *drawing) group(name string) lab.GroupResult {
	g := lab.GroupResult{Name: name}
	for _, c := range d.curves {
		for i, at := range c.at {
			g.Results = append(g.Results, &lab.Result{
				Case: lab.Case{
					Name: fmt.Sprintf("%s at %v", c.name, at), Unit: d.unit, Lower: true,
					Point: &lab.Point{Curve: c.name, Axis: d.axis, At: at},
				},
				Samples: []lab.Sample{{Value: c.is[i]}},
			})
		}
	}
	return g
}

// crossing is the place from which on one curve lies below another at all places that both have. Between two places the
// ratio of the curves is taken to go evenly, on logarithmic scales. It is 0 where that is so from the first place on, and
// infinite where it is not so at the last.
func crossing(above, below *curve) float64 {
	at, lead := 0.0, math.Inf(1)
	for i, place := range above.at {
		ratio := math.Log(below.is[i] / above.is[i])
		switch {
		case ratio >= 0:
			at = math.Inf(1)
		case i > 0 && lead >= 0:
			share := lead / (lead - ratio)
			at = above.at[i-1] * math.Pow(place/above.at[i-1], share)
		}
		lead = ratio
	}
	return at
}

// told is a crossing in words.
func told(at float64, first, last float64, unit string) string {
	switch {
	case at == 0:
		return fmt.Sprintf("already at %v %s", first, unit)
	case math.IsInf(at, 1):
		return fmt.Sprintf("nowhere up to %v %s", last, unit)
	}
	return fmt.Sprintf("from about %.0f %s on", at, unit)
}

// below says from where on one curve lies below another.
func (d *drawing) below(above, below *curve, unit string) {
	d.say("%s is faster than %s %s.", below.name, above.name, told(crossing(above, below), above.at[0], above.at[len(above.at)-1], unit))
}

// table is a table of a page.
type table struct{ rows [][]string }

func columns(names ...string) *table { return &table{[][]string{names}} }

func (t *table) row(cells ...any) {
	row := make([]string, len(cells))
	for i, c := range cells {
		switch c := c.(type) {
		case float64:
			row[i] = digits(c)
		default:
			row[i] = fmt.Sprint(c)
		}
	}
	t.rows = append(t.rows, row)
}

func (t *table) String() string {
	var b strings.Builder
	for i, row := range t.rows {
		fmt.Fprintf(&b, "| %s |\n", strings.Join(row, " | "))
		if i == 0 {
			b.WriteString(strings.Repeat("|---", len(row)) + "|\n")
		}
	}
	return strings.TrimRight(b.String(), "\n")
}

// digits writes a number in three digits or, if it is large, as a whole one; nothing for what is not there.
func digits(v float64) string {
	switch {
	case math.IsNaN(v):
		return ""
	case math.Abs(v) >= 1000:
		return fmt.Sprintf("%.0f", v)
	}
	return fmt.Sprintf("%.3g", v)
}
