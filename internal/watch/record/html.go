package record

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"math"

	"github.com/activepebbles/pebbles/internal/watch/page"
)

//go:embed report.html
var pageText string

var pageTemplate = template.Must(template.New("report").Parse(pageText))

var pageBounds = bounds{facts: 64, problems: 64, ranks: 8, events: eventsKept, worst: 8, epochs: 24, processes: 24}

// HTML writes a page with the sections of the report and charts over time. It is one file below 4 MiB, which loads
// nothing. The chart library of the job's own page draws the charts.
func (k *Record) HTML(w io.Writer) error {
	sections := k.sections(pageBounds)
	view := struct {
		Style    template.CSS
		Library  template.JS
		Good     bool
		End      section
		Sections []section
		Series   [][]float64
	}{
		template.CSS(page.ChartStyle), template.JS(page.ChartLibrary),
		k.Ending.Kind == InOrder, sections[0], sections[1:], k.columns(),
	}
	if err := pageTemplate.Execute(w, view); err != nil {
		return fmt.Errorf("write the report: %w", err)
	}
	return nil
}

// columns returns the times and values of the charts, in the order of report.html.
func (k *Record) columns() [][]float64 {
	all := make([][]float64, 10)
	for _, p := range k.Series {
		spent := max(p.Compute+p.Handle+p.Credit+p.Idle, 1e-9) / 100
		for i, v := range []float64{
			p.At + p.Width, p.Handled, p.Bytes, p.Held, p.Bound, p.Resident,
			p.Compute / spent, p.Handle / spent, p.Credit / spent, p.Idle / spent,
		} {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				v = 0 // JSON cannot represent it
			}
			all[i] = append(all[i], v)
		}
	}
	return all
}
