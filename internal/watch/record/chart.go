package record

import (
	"fmt"
	"strings"

	"github.com/activepebbles/pebbles/internal/values"
)

// Size of a chart's drawing; it is stretched to the width of the page, so texts are beside it.
const (
	chartWide = 1000.0
	chartHigh = 120.0
)

// curve is one thing that a chart shows.
type curve struct {
	Name, Says string
	Points     string // of a polygon when the chart is stacked, else of a polyline
}

// chart is a drawing over the time of a job.
type chart struct {
	Title   string
	Most    string // what its top stands for
	Curves  []curve
	Stacked bool
}

// measure is one thing of all points.
type measure struct {
	name string
	of   func(Point) float64
}

// newChart draws measures as lines, from 0 to the most that any of them has.
func newChart(title string, points []Point, end float64, says func(float64) string, measures ...measure) chart {
	c := chart{Title: title}
	most := 0.0
	for _, p := range points {
		for _, m := range measures {
			most = max(most, m.of(p))
		}
	}
	for _, m := range measures {
		var all strings.Builder
		highest, last := 0.0, 0.0
		for _, p := range points {
			last = m.of(p)
			highest = max(highest, last)
			y := chartHigh * (1 - share(last, most))
			fmt.Fprintf(&all, "%.4g,%.4g %.4g,%.4g ", across(p.At, end), y, across(p.At+p.Width, end), y)
		}
		text := fmt.Sprintf("at most %s, at the end %s", says(highest), says(last))
		c.Curves = append(c.Curves, curve{m.name, text, all.String()})
	}
	c.Most = says(most)
	return c
}

// newStack draws measures on top of each other, as shares of all of them.
func newStack(title string, points []Point, end float64, measures ...measure) chart {
	c := chart{Title: title, Most: "100%", Stacked: true}
	below := make([]float64, len(points))
	whole, all := make([]float64, len(points)), 0.0
	for i, p := range points {
		for _, m := range measures {
			whole[i] += max(m.of(p), 0)
		}
		all += whole[i] * p.Width
	}
	for _, m := range measures {
		var up, down []string
		sum := 0.0
		for i, p := range points {
			v := max(m.of(p), 0)
			sum += v * p.Width
			left, right := across(p.At, end), across(p.At+p.Width, end)
			low := chartHigh * (1 - share(below[i], whole[i]))
			below[i] += v
			high := chartHigh * (1 - share(below[i], whole[i]))
			up = append(up, fmt.Sprintf("%.4g,%.4g %.4g,%.4g", left, high, right, high))
			down = append(down, fmt.Sprintf("%.4g,%.4g %.4g,%.4g", left, low, right, low))
		}
		for i := range len(down) {
			up = append(up, reversed(down[len(down)-1-i]))
		}
		c.Curves = append(c.Curves, curve{m.name, fmt.Sprintf("%.0f%%", 100*share(sum, all)), strings.Join(up, " ")})
	}
	return c
}

// reversed is two places in the other order.
func reversed(two string) string {
	left, right, _ := strings.Cut(two, " ")
	return right + " " + left
}

func share(of, whole float64) float64 {
	if whole <= 0 {
		return 0
	}
	return min(max(of/whole, 0), 1)
}

// across is where a time is in a drawing.
func across(at, end float64) float64 { return chartWide * share(at, end) }

// charts are what a job did over time.
func (k *Record) charts() []chart {
	end := k.end()
	bytes := func(n float64) string { return values.BytesText(int64(n)) }
	rate := func(n float64) string { return bytes(n) + " a second" }
	return []chart{
		newChart("Pebbles handled a second", k.Series, end, countText,
			measure{"pebbles", func(p Point) float64 { return p.Handled }}),
		newChart("Bytes sent a second", k.Series, end, rate, measure{"bytes", func(p Point) float64 { return p.Bytes }}),
		newChart("Memory held for pebbles, against its bound", k.Series, end, bytes,
			measure{"held", func(p Point) float64 { return p.Held }},
			measure{"bound", func(p Point) float64 { return p.Bound }}),
		newChart("Memory of the processes", k.Series, end, bytes,
			measure{"resident", func(p Point) float64 { return p.Resident }}),
		newStack("Time of the ranks", k.Series, end,
			measure{"computing", func(p Point) float64 { return p.Compute }},
			measure{"handling", func(p Point) float64 { return p.Handle }},
			measure{"waiting for credit", func(p Point) float64 { return p.Credit }},
			measure{"other waits", func(p Point) float64 { return p.Idle }}),
	}
}

// end is the right edge of all charts, in seconds since the start.
func (k *Record) end() float64 {
	end := k.Seconds()
	if n := len(k.Series); n > 0 {
		end = max(end, k.Series[n-1].At+k.Series[n-1].Width)
	}
	return max(end, 0.001)
}

// bar is an epoch in the drawing of all.
type bar struct {
	X, Width float64
	Even     bool
	Title    string
}

// bars are the last epochs, at most n.
func (k *Record) bars(n int) (all []bar) {
	end := k.end()
	for _, e := range k.Epochs[max(0, len(k.Epochs)-n):] {
		to := e.End
		if e.End == 0 {
			to = end
		}
		x := across(e.Begin, end)
		all = append(all, bar{x, max(across(to, end)-x, 1), e.Number%2 == 0, e.Title() + ": " + e.Says()})
	}
	return all
}
