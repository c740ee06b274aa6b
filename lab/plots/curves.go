package plots

import (
	"cmp"
	"fmt"
	"image/color"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/activepebbles/pebbles/lab"
)

const (
	curvesHeight = 12 * vg.Centimeter
	curveWidth   = 0.06 * vg.Centimeter
	headroom     = 1.3 // of the largest figure: the legend stands above the lines
)

// hues are those of the first curves; further ones take them again, with other dashes.
var hues = []color.Color{ownColor, color.RGBA{0xc2, 0x5a, 0x2e, 0xff}, color.RGBA{0x3f, 0x8f, 0x4f, 0xff}, color.RGBA{0x80, 0x50, 0xa0, 0xff}}

// curve is one line: its results, from the left to the right.
type curve struct {
	name    string
	results []*lab.Result
}

// curves are the lines in the order in which the table names them.
func (c *chart) curves() (all []*curve) {
	at := map[string]*curve{}
	for _, r := range c.results {
		name := r.Point.Curve
		if at[name] == nil {
			at[name] = &curve{name: name}
			all = append(all, at[name])
		}
		at[name].results = append(at[name].results, r)
	}
	for _, one := range all {
		slices.SortStableFunc(one.results, func(a, b *lab.Result) int { return cmp.Compare(a.Point.At, b.Point.At) })
	}
	return all
}

// drawCurves draws medians as points that lines join, with a line through each from the lowest to the highest.
func (c *chart) drawCurves(p *plot.Plot) error {
	p.X.Label.Text, p.Y.Label.Text = c.results[0].Point.Axis, c.unit
	p.X.Scale, p.X.Tick.Marker = plot.LogScale{}, c.ticks()
	p.Legend.Top = true
	for i, one := range c.curves() {
		line, points, err := plotter.NewLinePoints(one)
		if err != nil {
			return err
		}
		across, err := plotter.NewYErrorBars(one)
		if err != nil {
			return err
		}
		hue := hues[i%len(hues)]
		line.Color, line.Width = hue, curveWidth
		if i >= len(hues) {
			line.Dashes = []vg.Length{vg.Points(6), vg.Points(3 * float64(i/len(hues)))}
		}
		points.Color, points.Shape, across.Color = hue, draw.CircleGlyph{}, hue
		p.Add(line, points, across)
		p.Legend.Add(one.name, line, points)
	}
	p.Y.Min, p.Y.Max = 0, headroom*p.Y.Max
	return nil
}

// ticks are where there are points, and nowhere else.
func (c *chart) ticks() (ticks plot.ConstantTicks) {
	for _, r := range c.results {
		ticks = append(ticks, plot.Tick{Value: r.Point.At, Label: fmt.Sprint(r.Point.At)})
	}
	slices.SortFunc(ticks, func(a, b plot.Tick) int { return cmp.Compare(a.Value, b.Value) })
	return slices.CompactFunc(ticks, func(a, b plot.Tick) bool { return a.Value == b.Value })
}

// Len, XY and YError are what plotter draws a line by.
func (c *curve) Len() int { return len(c.results) }

// XY is a median.
func (c *curve) XY(i int) (x, y float64) { return c.results[i].Point.At, c.results[i].Summary().Median }

// YError is how far samples go beyond it.
func (c *curve) YError(i int) (low, high float64) {
	s := c.results[i].Summary()
	return s.Min - s.Median, s.Max - s.Median
}
