// Package plots draws results of package benchmark as SVG files.
package plots

import (
	"bytes"
	"fmt"
	"image/color"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"

	"github.com/activepebbles/pebbles/lab"
)

const (
	width     = 22 * vg.Centimeter
	barWidth  = 0.5 * vg.Centimeter
	rowHeight = 0.8 * vg.Centimeter
	frame     = 2.5 * vg.Centimeter // title and axis
)

var (
	ownColor   = color.RGBA{0x2f, 0x6f, 0xa7, 0xff}
	limitColor = color.RGBA{0xb0, 0xb0, 0xb0, 0xff}
)

// Write draws each group of the results into a folder, which is made if need be, and returns the files by group's name. A
// bar is a median, a line across its end goes from the lowest to the highest; limits are grey. A group whose results all have
// a [lab.Point] is drawn as lines instead. A group of several units gets a file for each.
func Write(folder string, r lab.Results) (files map[string][]string, err error) {
	files = map[string][]string{}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return nil, fmt.Errorf("plots: %w", err)
	}
	for _, g := range r.Groups {
		for _, part := range byUnit(g) {
			picture, err := part.svg()
			if err != nil {
				return nil, fmt.Errorf("plots: %s: %w", g.Name, err)
			}
			file := filepath.Join(folder, part.file())
			if err := lab.WriteFile(file, picture); err != nil {
				return nil, fmt.Errorf("plots: %w", err)
			}
			files[g.Name] = append(files[g.Name], file)
		}
	}
	return files, nil
}

// chart are the results of a group in one unit.
type chart struct {
	group, unit string
	several     bool // the group has other units too
	results     []*lab.Result
}

func byUnit(g lab.GroupResult) (all []*chart) {
	at := map[string]*chart{}
	for _, r := range g.Results {
		if at[r.Unit] == nil {
			at[r.Unit] = &chart{group: g.Name, unit: r.Unit}
			all = append(all, at[r.Unit])
		}
		at[r.Unit].results = append(at[r.Unit].results, r)
	}
	for _, c := range all {
		c.several = len(all) > 1
	}
	return all
}

// file is the name of the chart's file: small letters and digits, with dashes between words.
func (c *chart) file() string {
	name := c.group
	if c.several {
		name += " " + c.unit
	}
	name = strings.NewReplacer("/", " per ", "µ", "u").Replace(strings.ToLower(name))
	words := strings.FieldsFunc(name, func(r rune) bool { return !strings.ContainsRune("abcdefghijklmnopqrstuvwxyz0123456789", r) })
	return strings.Join(words, "-") + ".svg"
}

func (c *chart) svg() ([]byte, error) {
	p, height := plot.New(), frame+rowHeight*vg.Length(len(c.results))
	p.Title.Text = c.group
	draws := c.drawBars
	if c.lines() {
		draws, height = c.drawCurves, curvesHeight
	}
	if err := draws(p); err != nil {
		return nil, err
	}
	canvas := vgsvg.New(width, height)
	p.Draw(draw.New(canvas))
	var picture bytes.Buffer
	_, err := canvas.WriteTo(&picture)
	return picture.Bytes(), err
}

// lines tells whether the chart is one of lines.
func (c *chart) lines() bool {
	return !slices.ContainsFunc(c.results, func(r *lab.Result) bool { return r.Point == nil })
}

func (c *chart) drawBars(p *plot.Plot) error {
	p.X.Label.Text = c.unit
	p.X.Min = 0
	own, limits, names := c.bars()
	for _, bars := range []struct {
		values plotter.Values
		color  color.Color
	}{{own, ownColor}, {limits, limitColor}} {
		drawn, err := plotter.NewBarChart(bars.values, barWidth)
		if err != nil {
			return err
		}
		drawn.Horizontal, drawn.Color, drawn.LineStyle.Width = true, bars.color, 0
		p.Add(drawn)
	}
	across, err := plotter.NewXErrorBars(c)
	if err != nil {
		return err
	}
	p.Add(across)
	p.NominalY(names...)
	return nil
}

// bars are the medians, the first row of the table on top; those that are of the other color are 0.
func (c *chart) bars() (own, limits plotter.Values, names []string) {
	n := len(c.results)
	own, limits, names = make(plotter.Values, n), make(plotter.Values, n), make([]string, n)
	for i := range n {
		r := c.at(i)
		names[i] = r.Name
		if r.Limit() {
			limits[i] = r.Summary().Median
		} else {
			own[i] = r.Summary().Median
		}
	}
	return own, limits, names
}

// at is the result of the bar at a height.
func (c *chart) at(i int) *lab.Result { return c.results[len(c.results)-1-i] }

// Len, XY and XError are what plotter draws lines by.
func (c *chart) Len() int { return len(c.results) }

// XY is the end of a bar.
func (c *chart) XY(i int) (x, y float64) { return c.at(i).Summary().Median, float64(i) }

// XError is how far samples go beyond it.
func (c *chart) XError(i int) (low, high float64) {
	s := c.at(i).Summary()
	return s.Min - s.Median, s.Max - s.Median
}
