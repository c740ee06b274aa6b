package table

import (
	"fmt"
	"iter"
	"path/filepath"
	"slices"
	"strings"

	"github.com/activepebbles/pebbles/ingest"
	"github.com/activepebbles/pebbles/ingest/parquet"
	"github.com/activepebbles/pebbles/pebble"
)

// A Source is one rank's share of the rows of tables in files.
type Source struct {
	Columns []string // of the first file, in its order; in JSON Lines all keys, in order of occurrence
	// Check returns an error for rows that must not be used, during All; the error gets file and line. It may be nil.
	Check func(values []Value) error

	met  []Column
	in   *ingest.Source[Record]
	keys *keys // of objects; nil in other formats
}

// A Record is a row as it is read. It is valid until the next one.
type Record struct {
	At     ingest.Place
	Values []Value // of the columns
}

// formats are the formats that Open reads, by extension.
var formats = map[string]func(r *pebble.Rank, files []string, s *Source) (ingest.Format[Record], error){
	".csv": openCSV(ingest.Comma(',')), ".tsv": openCSV(ingest.Comma('\t')),
	".jsonl": openJSON, ".ndjson": openJSON, ".avro": openAvro, ".parquet": openParquet,
}

// extension returns the extension of a file's name, without that of a compression.
func extension(name string) string {
	base := strings.ToLower(name)
	for _, packed := range []string{".gz", ".bgz", ".zst"} {
		base = strings.TrimSuffix(base, packed)
	}
	return filepath.Ext(base)
}

// Named reports whether the name of a file or a pattern has the extension of a table that Open reads.
func Named(name string) bool { return formats[extension(name)] != nil }

// Files returns the files that patterns name, and reports whether their extensions are those of tables that Open reads.
// It is collective.
func Files(r *pebble.Rank, patterns []string) (names []string, tables bool, err error) {
	lines, err := ingest.Open(r, patterns, ingest.Lines(), ingest.Unchecked())
	if err != nil {
		return nil, false, err
	}
	names = lines.Files()
	return names, Named(names[0]), nil
}

// Open opens tables: CSV, TSV, JSON Lines, Avro and Parquet files, by their extensions, plain or compressed. Patterns
// and the shares of ranks are those of [ingest.Open]. All files have one format. It is collective.
//
// All values of CSV and TSV files are Text, and empty ones are Null. Truth values, dates and timestamps of other
// formats are Text. A Parquet or Avro file with columns that are neither these nor numbers nor texts is an error.
func Open(r *pebble.Rank, patterns []string, opts ...ingest.Option) (*Source, error) {
	files, err := filesOf(r, patterns)
	if err != nil {
		return nil, err
	}
	s := &Source{}
	format, err := formats[extension(files[0])](r, patterns, s)
	if err != nil {
		return nil, err
	}
	checked := ingest.Convert(format, func(_ ingest.Place, row Record) (_ Record, err error) {
		if s.Check != nil {
			err = s.Check(row.Values)
		}
		return row, err
	})
	if s.in, err = ingest.Open(r, patterns, checked, opts...); err != nil {
		return nil, err
	}
	if s.keys != nil {
		return s, s.nameKeys(r)
	}
	return s, s.distinct(files[0])
}

// filesOf returns the files of patterns, and an error unless they are tables of one format. It is collective.
func filesOf(r *pebble.Rank, patterns []string) ([]string, error) {
	files, _, err := Files(r, patterns)
	if err != nil {
		return nil, err
	}
	for _, name := range files {
		switch end := extension(name); {
		case formats[end] == nil:
			return nil, fmt.Errorf("read %s: the name does not show the format of the table: it must end with "+
				".csv, .tsv, "+
				".jsonl, .avro or .parquet, and then .gz or .zst if the file is compressed", name)
		case end != extension(files[0]):
			return nil, fmt.Errorf("read %s: the name says another format than that of %s: give files of one format", name,
				files[0])
		}
	}
	return files, nil
}

// distinct returns an error if two columns have one name.
func (s *Source) distinct(file string) error {
	for i, name := range s.Columns {
		if slices.Contains(s.Columns[:i], name) {
			return fmt.Errorf("read %s: two columns are called %q: rename one of them", file, name)
		}
	}
	return nil
}

// All yields this rank's rows, as [ingest.Source] does.
func (s *Source) All() iter.Seq[Record] {
	return func(yield func(Record) bool) {
		s.met = nil
		for _, name := range s.Columns {
			s.met = append(s.met, Column{Name: name})
		}
		for record := range s.in.All() {
			for i := range s.met {
				s.met[i].Meet(record.Values[i])
			}
			if !yield(record) {
				return
			}
		}
	}
}

// Report ends a loop over all rows. It also returns the columns with the types that all ranks have met. It is
// collective.
func (s *Source) Report(r *pebble.Rank) ([]Column, ingest.Report, error) {
	report, err := s.in.Report()
	if err != nil {
		return nil, report, err
	}
	columns, err := Agreed(r, s.met)
	return columns, report, err
}

// Find returns the places of columns.
func (s *Source) Find(names []string) (places []int, err error) {
	for _, name := range names {
		at := slices.Index(s.Columns, name)
		if at < 0 {
			return nil, fmt.Errorf("read %s: %w", s.in.Files()[0], errNoColumn(name, s.Columns))
		}
		places = append(places, at)
	}
	return places, nil
}

func errNoColumn(name string, all []string) error {
	return fmt.Errorf("no column %q; the table has %s: name one of these", name, listed(all))
}

// listed returns the first columns as text.
func listed(names []string) string {
	const most = 20
	text := fmt.Sprintf("%.40q", names[:min(len(names), most)])
	if len(names) > most {
		text += fmt.Sprintf(" and %d more", len(names)-most)
	}
	return text
}

// openCSV opens files with rows of text.
func openCSV(options ...ingest.CSVOption) func(*pebble.Rank, []string, *Source) (ingest.Format[Record], error) {
	return func(_ *pebble.Rank, _ []string, s *Source) (ingest.Format[Record], error) {
		return textRows(append(options[:len(options):len(options)], ingest.AllColumns(&s.Columns))...), nil
	}
}

// textRows is the format of CSV and TSV files.
func textRows(options ...ingest.CSVOption) ingest.Format[Record] {
	var values []Value
	return ingest.Convert(ingest.Rows(options...), func(at ingest.Place, fields [][]byte) (Record, error) {
		values = values[:0]
		for _, field := range fields {
			v := Value{Kind: Null}
			if len(field) > 0 {
				v = TextOf(string(field))
			}
			values = append(values, v)
		}
		return Record{at, values}, nil
	})
}

func openParquet(r *pebble.Rank, files []string, s *Source) (ingest.Format[Record], error) {
	text, err := first(r, files, "parquet", func(f file, size int64) (string, error) {
		names, err := parquet.Names(f, size)
		return strings.Join(names, "\x00"), err
	})
	if err != nil {
		return ingest.Format[Record]{}, err
	}
	s.Columns = strings.Split(text, "\x00")
	return valueRows(parquet.Values(s.Columns...)), nil
}

// valueRows is the format of Parquet files.
func valueRows(rows ingest.Format[[]any]) ingest.Format[Record] {
	var values []Value
	return ingest.Convert(rows, func(at ingest.Place, row []any) (Record, error) {
		values = values[:0]
		for _, v := range row {
			values = append(values, valueOf(v))
		}
		return Record{at, values}, nil
	})
}

func valueOf(v any) Value {
	switch v := v.(type) {
	case bool:
		return TextOf(fmt.Sprint(v))
	case int64:
		return IntOf(v)
	case uint64:
		return UintOf(v)
	case float64:
		return FloatOf(v)
	case string:
		return TextOf(v)
	}
	return Value{}
}
