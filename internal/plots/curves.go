package plots

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

const plotHeight = 330

// Curves use these in turn. Colour-blind people can distinguish the colors (Okabe and Ito 2008); the gaps of dashes
// show a curve below.
var (
	colors = []string{"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000"}
	dashes = []string{"none", "9 4", "2 3", "9 3 2 3"}
	marks  = []string{ // a disc, a square, a triangle, a diamond
		"m-4.5,0a4.5,4.5 0 1,0 9,0a4.5,4.5 0 1,0 -9,0", "m-4,-4h8v8h-8z", "m0,-5.5l5,9h-10z",
		"m0,-5.5l5.5,5.5l-5.5,5.5l-5.5,-5.5z",
	}
)

// curve is one line: its results, from left to right.
type curve struct {
	name    string
	results []*Result
}

// byCurve returns the curves in the order of the table.
func (c *chart) byCurve() (all []*curve) {
	of := map[string]*curve{}
	for _, r := range c.Results {
		name := r.Point.Curve
		if of[name] == nil {
			of[name] = &curve{name: name}
			all = append(all, of[name])
		}
		of[name].results = append(of[name].results, r)
	}
	for _, one := range all {
		slices.SortStableFunc(one.results, func(a, b *Result) int { return cmp.Compare(a.Point.At, b.Point.At) })
	}
	return all
}

// curves draws medians as marks joined by lines, and at each mark a line from the lowest to the highest sample.
func (c *chart) curves(p *page) (how string) {
	var places []float64
	for _, r := range c.Results {
		places = append(places, r.Point.At)
	}
	slices.Sort(places)
	places = slices.Compact(places)

	p.text(margin, p.y+textSize, textSize, start, c.measure())
	p.y += textSize + 2*gap
	top := p.y
	p.y += plotHeight
	up := axisOf(c.Results, p.y, top)
	left := float64(margin)
	for _, v := range up.ticks(9) {
		left = max(left, margin+span(number(v), textSize)+gap)
	}
	last := places[len(places)-1]
	along := axis{low: places[0] / 1.2, high: last * 1.2, from: left,
		to: pageWidth - margin - span(number(last), textSize)/2, log: true}
	labels := places
	if places[0] <= 0 { // 0 has no logarithm
		along.low, along.high, along.log = places[0], max(last, places[0]+1), false
		labels = along.ticks(9)
	}
	for _, v := range up.ticks(9) {
		p.line(along.from, up.at(v), along.to, up.at(v), gridColor, 1)
		p.text(left-gap/2, up.at(v)+textSize/3, textSize, end, number(v))
	}
	all := c.byCurve()
	for i, one := range all {
		one.draw(p, i, along, up)
	}
	p.across(along, labels)
	p.text((along.from+along.to)/2, p.y+textSize, textSize, middle, c.Results[0].Point.Axis)
	p.y += textSize + 2*gap
	p.legend(all)
	switch {
	case up.log && along.log:
		return "Both axes are logarithmic."
	case up.log:
		return "The axis upwards is logarithmic."
	case along.log:
		return "The axis across is logarithmic."
	}
	return ""
}

// marksMost is the largest number of results for which a curve has marks: more would hide it.
const marksMost = 40

// draw draws the curve with number i.
func (o *curve) draw(p *page, i int, along, up axis) {
	var way []string
	for _, r := range o.results {
		way = append(way, fmt.Sprintf("%.1f,%.1f", along.at(r.Point.At), up.at(r.Median)))
	}
	p.stroke(i, "M"+strings.Join(way, "L"))
	for _, r := range o.results {
		x := along.at(r.Point.At)
		if r.Min < r.Max {
			p.line(x, up.at(r.Min), x, up.at(r.Max), colors[i%len(colors)], 1.5)
		}
		if len(o.results) <= marksMost {
			p.mark(i, x, up.at(r.Median), colors[i%len(colors)])
		}
	}
}

// stroke draws a path in the style of curve i.
func (p *page) stroke(i int, path string) {
	fmt.Fprintf(&p.body, `<path d="%s" fill="none" stroke="%s" stroke-width="2" stroke-dasharray="%s"/>`+"\n", path,
		colors[i%len(colors)], dashes[i%len(dashes)])
}

// mark draws the mark of curve i.
func (p *page) mark(i int, x, y float64, color string) {
	fmt.Fprintf(&p.body, `<path d="M%.1f,%.1f%s" fill="%s"/>`+"\n", x, y, marks[i%len(marks)], color)
}

// legend names the curves below the plot, in rows.
func (p *page) legend(all []*curve) {
	const sample = 34 // of a curve
	x := float64(margin)
	for i, one := range all {
		width := sample + gap + span(one.name, textSize) + 2*gap
		if x > margin && x+width > pageWidth {
			x, p.y = margin, p.y+leading*textSize
		}
		y := p.y + textSize*2/3
		p.stroke(i, fmt.Sprintf("M%.1f,%.1fh%d", x, y, sample))
		p.mark(i, x+sample/2, y, colors[i%len(colors)])
		p.text(x+sample+gap, p.y+textSize, textSize, start, one.name)
		x += width
	}
	p.y += leading*textSize + gap
}
