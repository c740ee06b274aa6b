package apps

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/activepebbles/pebbles/export"
	"github.com/activepebbles/pebbles/export/parquet"
	"github.com/activepebbles/pebbles/pebble"
)

// Output is the destination of a result's rows, beside the sums in a report. The zero value discards the rows.
type Output struct {
	Path    string // a file, or with a final slash a folder of parts; as for export.CreateTable
	Replace bool   // replace an existing one
	Top     int    // number of rows with the highest values to report; 0 is none
	Lines   bool   // rows have one column, and become lines whatever the extension; .gz and .zst compress them
}

// Check returns an error for a name with an unknown extension, and for other mistakes that need no job to find.
func (o Output) Check() error {
	switch {
	case o.Top < 0:
		return fmt.Errorf("%d rows of the highest values: give a positive number, or 0 for none", o.Top)
	case o.Path == "" && o.Replace:
		return errors.New("no output to replace is named: name one, or do not replace it")
	case o.Path == "":
		return nil
	}
	return export.CheckTable(o.Path, o.Options()...)
}

// Options returns the options of the file for package export.
func (o Output) Options() []export.Option {
	options := []export.Option{withParquet}
	if o.Replace {
		options = append(options, export.Replace())
	}
	if o.Lines {
		options = append(options, export.AsLines())
	}
	return options
}

// Wanted reports whether rows have a destination.
func (o Output) Wanted() bool { return o.Path != "" || o.Top > 0 }

// WriteTable writes a table of one rank to w, in the format of the name's extension.
func WriteTable(w io.Writer, name string, batch ...export.Column) error {
	return export.WriteTable(w, name, batch, withParquet)
}

var withParquet = export.Also(parquet.Table())

// Written describes the output file or folder in a report.
type Written struct {
	Path    string  `json:"path"`
	Rows    int64   `json:"rows"`
	Bytes   int64   `json:"bytes"`
	Seconds float64 `json:"seconds"` // from the first batch of rows, on the slowest rank
}

// A RowWriter writes the rows of a result to the destination of an [Output]. Ranks write their rows in the order of
// keys, and all keys of a rank precede those of the next one. It belongs to its rank's goroutine.
type RowWriter struct {
	output Output
	rank   *pebble.Rank
	sink   *export.Sink[[]export.Column] // nil without a path
	top    *highest                      // nil without Top
}

// NewRowWriter prepares the output before all work, so that a taken name or a folder without permission is an early
// error. by is the column that ranks rows for Output.Top. All ranks call it, between epochs; each defers Abort.
func NewRowWriter(r *pebble.Rank, o Output, by string) (w *RowWriter, err error) {
	w = &RowWriter{output: o, rank: r}
	if o.Top > 0 {
		w.top = &highest{by: by, most: o.Top}
	}
	if o.Path == "" {
		return w, nil
	}
	w.sink, err = export.CreateTable(r, o.Path, o.Options()...)
	return w, err
}

// Wanted reports whether rows have a destination. Without one, the caller need not make them.
func (w *RowWriter) Wanted() bool { return w.output.Wanted() }

// Announce declares the number of rows that this rank will write. All ranks call it, between epochs, before Write.
// Without it the bytes of compressed files, Avro and Parquet depend on the number of ranks.
func (w *RowWriter) Announce(rows uint64) error {
	if w.sink == nil {
		return nil
	}
	return export.Announce(w.sink, rows)
}

// Write writes rows of this rank. The caller owns them again when it returns. Each rank writes at least one batch,
// which may be empty, with the same columns. Close, too, returns the first error.
func (w *RowWriter) Write(batch ...export.Column) error {
	if w.top != nil {
		if err := w.top.offer(batch); err != nil {
			return err
		}
	}
	if w.sink == nil {
		return nil
	}
	return w.sink.Write(batch)
}

// Close gives the complete and synced file its name, and adds the output and the highest rows to the report. If the
// report has errors, no output remains. All ranks call it, between epochs.
func (w *RowWriter) Close(p *Report) (err error) {
	if w.top != nil && p.Errors == 0 {
		if p.TopRows, p.topTexts, err = w.top.gather(w.rank); err != nil {
			return err
		}
	}
	if w.sink == nil {
		return nil
	}
	if p.Errors > 0 {
		w.Abort()
		return nil
	}
	m, err := w.sink.Close()
	if err == nil {
		p.Output = &Written{Path: w.output.Path, Rows: m.Rows, Bytes: m.Bytes}
	}
	return err
}

// Keep writes rows that fit in memory, and closes w. rows returns those of this rank; it is called on all ranks or on
// none. All ranks call Keep, between epochs.
func (w *RowWriter) Keep(p *Report, rows func() ([]export.Column, error)) error {
	if !w.Wanted() || p.Errors > 0 {
		return w.Close(p)
	}
	seconds, err := Timed(w.rank, func() error {
		batch, err := rows()
		if err == nil && w.top != nil {
			err = w.top.offer(batch)
		}
		if err == nil && w.sink != nil {
			err = export.WriteWhole(w.sink, batch)
		}
		if err == nil {
			err = w.Close(p)
		}
		return err
	})
	if p.Output != nil {
		p.Output.Seconds = seconds
	}
	return err
}

// Abort removes the output unless it was closed.
func (w *RowWriter) Abort() {
	if w.sink != nil {
		w.sink.Abort()
	}
}

// OutputRows returns labels and values that show the output and the highest rows.
func (p Report) OutputRows() (rows [][2]string) {
	if o := p.Output; o != nil {
		rows = append(rows, [2]string{"output", fmt.Sprintf("%s: %d rows, %d bytes", o.Path, o.Rows, o.Bytes)})
	}
	label := "highest"
	for _, text := range p.topTexts {
		rows = append(rows, [2]string{label, text})
		label = ""
	}
	return rows
}

// topRow is one of the highest rows.
type topRow struct {
	Key  []byte // bytes in the order of values
	JSON json.RawMessage
	Text string
}

// highest keeps the rows with the highest values of a column. Among equal values it keeps the first rows.
type highest struct {
	by   string
	most int
	rows []topRow
	key  []byte
}

// higher orders rows, highest first. It returns 0 for equal values, which keep their order.
func higher(a, b topRow) int { return slices.Compare(b.Key, a.Key) }

// offer takes the rows of a batch that are among the highest.
func (h *highest) offer(batch []export.Column) error {
	at := slices.IndexFunc(batch, func(c export.Column) bool { return c.Name == h.by })
	if at < 0 {
		return fmt.Errorf("rows have no column %q to rank them by", h.by)
	}
	for row := range batch[at].Len() {
		h.key = appendKey(h.key[:0], batch[at], row)
		one := topRow{Key: h.key}
		full := len(h.rows) == h.most
		if full && higher(one, h.rows[h.most-1]) >= 0 {
			continue
		}
		if full {
			h.rows = h.rows[:h.most-1]
		}
		to, _ := slices.BinarySearchFunc(h.rows, one, func(a, b topRow) int {
			if c := higher(a, b); c != 0 {
				return c
			}
			return -1 // behind those of the same value
		})
		one.Key = slices.Clone(h.key)
		one.JSON, one.Text = shown(batch, row)
		h.rows = slices.Insert(h.rows, to, one)
	}
	return nil
}

// gather returns the highest rows of all ranks, as JSON and as text. All ranks call it.
func (h *highest) gather(r *pebble.Rank) (objects []json.RawMessage, texts []string, err error) {
	own, err := json.Marshal(h.rows)
	if err != nil {
		return nil, nil, err
	}
	gathered, err := r.AllGatherBytes(own)
	if err != nil {
		return nil, nil, err
	}
	var all []topRow
	for _, text := range gathered {
		var some []topRow
		if err := json.Unmarshal(text, &some); err != nil {
			return nil, nil, err
		}
		all = append(all, some...)
	}
	slices.SortStableFunc(all, higher)
	for _, row := range all[:min(len(all), h.most)] {
		objects, texts = append(objects, row.JSON), append(texts, row.Text)
	}
	return objects, texts, nil
}
