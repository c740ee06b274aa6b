// Package plots draws figures as SVG files that look the same with any font: each text is placed by its anchor, has
// room for wide letters, and asks for any sans serif.
package plots

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/activepebbles/pebbles/internal/machine"
)

// A Group is a set of figures that are drawn together.
type Group struct {
	Name, Heading, About string
	Results              []*Result
}

// A Result is a figure: a median, and the lowest and highest sample.
type Result struct {
	Name, Unit       string
	Lower            bool // less is better
	Limit            bool // it is the machine's limit
	Median, Min, Max float64
	Point            *Point // place in a plot of lines; such a plot needs points for all results
}

// Point is a place along one curve of a plot.
type Point struct {
	Curve string // name of the line
	Axis  string // quantity along the plot
	At    float64
}

// Write draws each group into a folder, which it makes if needed, and returns the files by group's name. A group of
// several units gets a file for each. A group whose results all have a [Point] is drawn as curves, others as bars, of
// medians, with lines from the lowest to the highest sample; limits are grey. If figures differ by much, their axis is
// logarithmic.
func Write(folder string, groups ...Group) (files map[string][]string, err error) {
	files = map[string][]string{}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return nil, fmt.Errorf("plots: %w", err)
	}
	for _, g := range groups {
		for _, part := range byUnit(g) {
			file := filepath.Join(folder, part.file())
			if err := machine.WriteFile(file, part.draw()); err != nil {
				return nil, fmt.Errorf("plots: %w", err)
			}
			files[g.Name] = append(files[g.Name], file)
		}
	}
	return files, nil
}

// Draw draws a group with one unit.
func Draw(g Group) []byte { return byUnit(g)[0].draw() }

// chart holds the results of a group in one unit.
type chart struct {
	Group   // results of this unit only
	unit    string
	several bool // the group also has other units
}

func byUnit(g Group) (all []*chart) {
	of := map[string]*chart{}
	for _, r := range g.Results {
		c := of[r.Unit]
		if c == nil {
			c = &chart{Group: g, unit: r.Unit}
			c.Results = nil
			of[r.Unit] = c
			all = append(all, c)
		}
		c.Results = append(c.Results, r)
	}
	for _, c := range all {
		c.several = len(all) > 1
	}
	return all
}

// file returns the name of the chart's file: small letters and digits, with dashes between words.
func (c *chart) file() string {
	name := c.Name
	if c.several {
		name += " " + c.unit
	}
	name = strings.NewReplacer("/", " per ", "µ", "u").Replace(strings.ToLower(name))
	words := strings.FieldsFunc(name,
		func(r rune) bool { return !strings.ContainsRune("abcdefghijklmnopqrstuvwxyz0123456789", r) })
	return strings.Join(words, "-") + ".svg"
}

// draw returns the whole picture: title, plot, legend and caption, one below the other.
func (c *chart) draw() []byte {
	p := &page{y: margin}
	p.paragraph(c.Heading, titleSize)
	plot := c.bars
	if c.curved() {
		plot = c.curves
	}
	how := plot(p)
	p.paragraph(strings.TrimSpace(c.About+" "+how), textSize)
	return p.svg(c.Heading)
}

// curved reports whether the chart has curves.
func (c *chart) curved() bool {
	for _, r := range c.Results {
		if r.Point == nil {
			return false
		}
	}
	return true
}

// measure returns the label of the axis of figures.
func (c *chart) measure() string {
	if c.Results[0].Lower {
		return c.unit + ", less is better"
	}
	return c.unit
}
