package apps

import (
	"math"

	"github.com/activepebbles/pebbles/ingest"
)

// Input is the part of a Config that names the input files of an application.
type Input struct {
	Files   []string // names and patterns, as ingest.Open takes them
	Lenient bool     // skip and count records that cannot be read; otherwise the first one fails the run
}

// Options returns the options of ingest.Open for these files.
func (i Input) Options() []ingest.Option {
	if !i.Lenient {
		return nil
	}
	return []ingest.Option{ingest.Skip(math.MaxInt64)}
}

// Read adds the records that a source has skipped, from the report after its loop. An application with two sources
// calls it for each.
func (p *Report) Read(r ingest.Report) {
	if p.Skipped == 0 {
		p.FirstSkipped = r.First
	}
	p.Skipped += r.Skipped
}
