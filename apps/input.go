package apps

import (
	"math"

	"github.com/activepebbles/pebbles/ingest"
)

// Input is the part of a Config that names the files of records which an application reads.
type Input struct {
	Files   []string // names and patterns, as ingest.Open takes them
	Lenient bool     // leave out records that cannot be read, and count them; otherwise the first one fails the run
}

// Options returns the options of ingest.Open for these files.
func (i Input) Options() []ingest.Option {
	if !i.Lenient {
		return nil
	}
	return []ingest.Option{ingest.Skip(math.MaxInt64)}
}

// Read adds the records that a source has left out, by the report that ends its loop. An application that reads two
// sources calls it for each.
func (p *Report) Read(r ingest.Report) {
	if p.Skipped == 0 {
		p.FirstSkipped = r.First
	}
	p.Skipped += r.Skipped
}
