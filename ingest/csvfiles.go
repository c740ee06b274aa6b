package ingest

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/activepebbles/pebbles/internal/dataset"
	"github.com/activepebbles/pebbles/pebble"
)

// csvFiles is the state of a rank before it reads rows of CSV files.
type csvFiles struct {
	*input
	csvOptions
	columns []dataset.Column // of a struct
	layouts map[int]layout   // of the files that this rank reads
	begins  map[piece]state  // at the beginning of this rank's pieces
}

// A layout is the places of the columns in one file.
type layout struct {
	width int      // fields in its first row
	at    []int    // place of each wanted column, -1 if it is missing; nil: all columns as they stand
	names []string // names of all columns, where they are wanted and not known yet
}

func (c *csvFiles) set(opts []CSVOption) error {
	c.csvOptions = csvOptions{dialect: dialect{comma: ',', quotes: true}, header: true}
	for _, opt := range opts {
		opt.apply(&c.csvOptions)
	}
	switch {
	case c.comma == '"' || c.comma == '\n' || c.comma == '\r' || c.comma >= 0x80:
		return fmt.Errorf("%q cannot separate fields: choose another ASCII character", rune(c.comma))
	case c.names != nil && c.columns != nil:
		return errors.New("ingest.Columns is for ingest.Rows: name the columns of a struct by tags")
	case c.every != nil && (c.names != nil || c.columns != nil):
		return errors.New("ingest.AllColumns is for ingest.Rows without ingest.Columns: use one of them")
	case (c.names != nil || c.every != nil) && !c.header:
		return errors.New("without a header no column has a name: leave ingest.Columns or ingest.NoHeader out")
	}
	return nil
}

// rowDialect returns the dialect that finds the ends of rows.
func (c *csvFiles) rowDialect() dialect { return dialect{c.comma, c.quotes && !c.lineRows} }

// fieldsOf splits a row into fields. quotes is whether rowDialect has found quotes in it.
func (c *csvFiles) fieldsOf(row []byte, quotes bool, fields [][]byte) ([][]byte, error) {
	return c.split(row, quotes || c.lineRows && c.quotes, fields)
}

// prepare reads the first rows of this rank's files, and finds the state at the beginning of its pieces. It is
// collective.
func (c *csvFiles) prepare() error {
	c.layouts = map[int]layout{}
	var err error
	if c.header {
		err = c.headed("CSV")
	}
	if c.every != nil {
		if err = c.nameAll(err); err != nil {
			return err
		}
	}
	for _, p := range c.mine() {
		if _, known := c.layouts[p.file]; !known && err == nil {
			c.layouts[p.file], err = c.layout(p.file)
		}
	}
	if err := dataset.Agree(c.rank, err); err != nil || c.lineRows {
		return err
	}
	c.begins = map[piece]state{}
	return passOver(c.input, c.passage, func(p piece, before []passage) {
		s := fileBegin
		for _, made := range before {
			s = made[s]
		}
		c.begins[p] = s
	})
}

// nameAll reads the first header on the first of the ranks that share files, unless err is set. It is collective.
func (c *csvFiles) nameAll(err error) error {
	var first layout
	if err == nil && c.rank.ID() == c.all[0] {
		first, err = c.layout(0)
	}
	if err := dataset.Agree(c.rank, err); err != nil {
		return err
	}
	names, err := pebble.AllGatherSlice(c.rank, first.names, pebble.Strings{})
	if err == nil {
		c.names = names[c.all[0]]
		*c.every = c.names
	}
	return err
}

// layout reads the first row of a file.
func (c *csvFiles) layout(file int) (l layout, err error) {
	err = c.readStream(piece{file, 0, c.files[file].Size}, func(p *part) error {
		var row []byte
		for len(row) == 0 {
			raw, quotes, err := p.row(c.rowDialect())
			if err == errLong && !c.header {
				p.dropRow(c.rowDialect())
				continue // reported when the row is read
			} else if err == io.EOF && c.header {
				return errNoHeader("CSV")
			} else if err != nil {
				return err
			}
			if row = chomp(raw); len(row) == 0 && c.header {
				return errors.New("line 1: the line is empty; expected the header. Remove the line, or set ingest.NoHeader")
			}
			fields, err := c.fieldsOf(row, quotes, nil)
			if err != nil && c.header {
				return fmt.Errorf("line 1: the header: %w", err)
			}
			if err != nil {
				row = nil // reported when the row is read
				continue
			}
			if l, err = c.find(fields); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil && !strings.HasPrefix(err.Error(), "read ") {
		err = fmt.Errorf("read %s: %w", c.files[file].Name, err)
	}
	return l, err
}

// find finds the wanted columns in a first row.
func (c *csvFiles) find(fields [][]byte) (l layout, err error) {
	l.width = len(fields)
	if !c.header {
		return l, c.inOrder(&l)
	}
	if c.every != nil && c.names == nil {
		for _, field := range fields {
			l.names = append(l.names, string(field))
		}
		return l, nil
	}
	for _, name := range c.names {
		if err := l.column(fields, name, false); err != nil {
			return l, err
		}
	}
	for _, column := range c.columns {
		if err := l.column(fields, column.Name, column.Optional); err != nil {
			return l, err
		}
	}
	return l, nil
}

// inOrder maps the fields of a struct to the columns in order.
func (c *csvFiles) inOrder(l *layout) error {
	if c.columns == nil {
		return nil
	}
	if len(c.columns) > l.width {
		return fmt.Errorf("line 1: the row has %d fields, the struct has %d: remove fields of the struct, or set "+
			"ingest.Comma", l.width, len(c.columns))
	}
	for i := range c.columns {
		l.at = append(l.at, i)
	}
	return nil
}

// column finds one column in a header.
func (l *layout) column(header [][]byte, name string, optional bool) error {
	at := -1
	for i, field := range header {
		if string(field) != name {
			continue
		}
		if at >= 0 {
			return fmt.Errorf("line 1: two columns are called %q: rename one of them", name)
		}
		at = i
	}
	if at < 0 && !optional {
		return fmt.Errorf("line 1: no column %q; the file has %s. Rename the column, or set ingest.Comma", name,
			listed(header))
	}
	l.at = append(l.at, at)
	return nil
}

// listed returns the names of the first columns of a header.
func listed(header [][]byte) string {
	var b strings.Builder
	for i, field := range header {
		if i == 20 || b.Len() > 400 {
			return fmt.Sprintf("%s and %d more", b.String(), len(header)-i)
		}
		fmt.Fprintf(&b, "%s%.40q", []string{"", ", "}[min(i, 1)], field)
	}
	return b.String()
}

// passage scans a piece, and nothing behind it.
func (c *csvFiles) passage(p piece) (passage, error) {
	s, err := openStream(c.files, p)
	if err != nil {
		return passage{}, err
	}
	defer func() { s.close() }()
	s.then = nil
	made, limited, buf := stay(), io.LimitReader(s, s.edge), c.buffer()
	for {
		n, err := limited.Read(buf)
		made = c.through(made, buf[:n])
		if err == io.EOF {
			return made, nil
		}
		if err != nil {
			return made, err
		}
	}
}
