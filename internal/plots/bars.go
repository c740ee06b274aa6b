package plots

import (
	"slices"
	"strings"
)

const (
	ownColor   = "#0072b2"
	limitColor = "#999999"
	gridColor  = "#e3e3e3"
	lineColor  = "#222222"
	barHeight  = 12
	valueRoom  = 70 // right of a bar, for its figure
)

// bars draws a row for each result: its name, and below that its median and spread. A logarithmic axis has dots instead
// of bars, since it does not begin at 0.
func (c *chart) bars(p *page) (how string) {
	a := axisOf(c.Results, margin, pageWidth-margin-valueRoom)
	for _, r := range c.Results {
		c.bar(p, a, r)
	}
	p.across(a, a.ticks(7))
	p.text((a.from+a.to)/2, p.y+textSize, textSize, middle, c.measure())
	p.y += 2*textSize + gap
	how = "Bars are medians; a line goes from the lowest to the highest run."
	if a.log {
		how = "Dots are medians; a line goes from the lowest to the highest run. The axis is logarithmic."
	}
	if slices.ContainsFunc(c.Results, func(r *Result) bool { return r.Limit }) {
		how += " Grey is what the machine can do at most."
	}
	return how
}

func (c *chart) bar(p *page, a axis, r *Result) {
	for _, line := range wrapped(strings.TrimPrefix(r.Name, c.Name+": "), textSize, pageWidth-2*margin) {
		p.text(margin, p.y+textSize, textSize, start, line)
		p.y += leading * textSize
	}
	y, color := p.y+barHeight/2, ownColor
	if r.Limit {
		color = limitColor
	}
	for _, v := range a.ticks(7) {
		p.line(a.at(v), p.y, a.at(v), p.y+barHeight, gridColor, 1)
	}
	if a.log {
		p.line(a.from, y, a.at(r.Median), y, gridColor, 1)
		p.mark(0, a.at(r.Median), y, color)
	} else {
		p.box(a.from, p.y, a.at(r.Median)-a.from, barHeight, color)
	}
	p.line(a.at(r.Min), y, a.at(r.Max), y, lineColor, 1.5)
	p.text(a.at(r.Max)+gap, p.y+barHeight, textSize, start, number(r.Median))
	p.y += barHeight + gap
}

// across draws an axis from left to right, and labels the ticks that have room.
func (p *page) across(a axis, ticks []float64) {
	p.line(a.from, p.y, a.to, p.y, lineColor, 1)
	taken := 0.0
	for _, v := range ticks {
		x, half := a.at(v), span(number(v), textSize)/2
		p.line(x, p.y, x, p.y+4, lineColor, 1)
		if x-half >= taken {
			p.text(x, p.y+6+textSize, textSize, middle, number(v))
			taken = x + half + gap
		}
	}
	p.y += 2*textSize + gap
}
