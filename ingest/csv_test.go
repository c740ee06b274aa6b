package ingest

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func fields(row [][]byte) string { return fmt.Sprintf("%q", row) }

// plainEnds returns fields with \n for each \r\n, as encoding/csv does.
func plainEnds(row [][]byte) string { return strings.ReplaceAll(fields(row), `\r\n`, `\n`) }

// Line ends in quotes are part of the field.
func TestEndsOfLinesInQuotes(t *testing.T) {
	twin(t, []byte("a,b\r\n\"x\r\ny\",\"\r\n\"\"\n\"\r\n"), Rows(), fields, []string{`["x\r\ny" "\r\n\"\n"]`})
}

// quotedField matches a quoted field of a row that encoding/csv reads.
var quotedField = regexp.MustCompile(`"(?:[^"]|"")*"`)

// parsed returns the rows that encoding/csv reads. It skips and counts rows that encoding/csv cannot read, and rows
// with control characters outside of quotes.
func parsed(content []byte, comma rune) (rows []string, bad int64) {
	content = bytes.TrimPrefix(content, []byte("\xef\xbb\xbf"))
	r := csv.NewReader(bytes.NewReader(content))
	r.Comma, r.ReuseRecord = comma, true
	r.FieldsPerRecord = -1
	width := 0
	for {
		from := r.InputOffset()
		row, err := r.Read()
		raw := quotedField.ReplaceAllString(string(content[from:r.InputOffset()]), "")
		if int(r.InputOffset()) == len(content) {
			raw = strings.TrimSuffix(raw, "\r")
		}
		lone := strings.ContainsAny(strings.ReplaceAll(raw, "\r\n", ""), "\r\x00")
		switch {
		case err == io.EOF:
			return rows, bad
		case err == nil && !lone && (width == 0 || width == len(row)):
			width = len(row)
			rows = append(rows, fmt.Sprintf("%q", row))
		default:
			bad++
		}
	}
}

func TestCSV(t *testing.T) {
	for _, content := range []string{
		"", "a", "a,b\n1,2\n", "a,b\r\n1,2\r\n", "\"a\",\"b\"\n\"1\n2\",\"3,4\"\n", "\"a\"\"b\",c\n\"\"\"\",\"\"\n",
		"a,b\n\n\n1,2\n\n", ",\n,\n",
		"\xef\xbb\xbf\"a\nb\",c\n1,2\n", "\"\r\n\",x\n\"a\r\r\n\",y\n", "\"\"\n\"\"\n", "a\r", "\"a\"\r",
		"a,b\n\"1\",\"2\"", "\"a,\n\",\"\n\n\n\"\n1,2\n",
		"\"a\x00b\",\"\x00\"\n\"\x00\",\"\x00\"\n",
		"\"x\"\"\n\"\"y\",\"\"\"\"\"\"\n1,2\n", "ä,\"ö\n\"\nü,ß\n", "\r\na,b\n",
	} {
		t.Run(fmt.Sprintf("%q", content), func(t *testing.T) {
			want, bad := parsed([]byte(content), ',')
			require.Zero(t, bad)
			twin(t, []byte(content), Rows(NoHeader()), plainEnds, want)
		})
	}
}

// drawCSV draws bytes from the parts of rows, fields, quotes and mistakes.
func drawCSV(r *rand.Rand) []byte {
	var b bytes.Buffer
	if r.IntN(4) == 0 {
		b.WriteString("\xef\xbb\xbf")
	}
	for range r.IntN(60) {
		b.WriteString([]string{"\"", "\"", "\"\"", ",", ",", "\n", "\n", "\r\n", "\r", "a", "bb", "\",\"", "\"\n\"",
			"\xef"}[r.IntN(14)])
	}
	return b.Bytes()
}

// Rows and the number of unreadable rows equal those of encoding/csv for any bytes and any cut.
func TestCSVOfAnyBytes(t *testing.T) {
	r := random(t)
	for range 150 {
		content := drawCSV(r)
		if len(bytes.TrimRight(content, "\r\n")) == 0 {
			continue
		}
		want, bad := parsed(content, ',')
		for _, cut := range []Option{everywhere(), once(r.Int64N(int64(len(content)))), option(func(*options) {})} {
			o, err := ingest(1+r.IntN(3), Rows(NoHeader()), plainEnds, []string{write(t, "data", content)}, Skip(1000),
				cut)
			require.NoError(t, err, "%q", content)
			require.ElementsMatch(t, want, o.all(), "%q", content)
			require.Equal(t, bad, o.report.Skipped, "%q", content)
		}
	}
}

// Both ways to find the state agree.
func TestScan(t *testing.T) {
	r := random(t)
	d := dialect{',', true}
	for range 20000 {
		content := drawCSV(r)
		for s := range states {
			want := s
			for _, b := range content {
				want = d.step(want, b)
			}
			require.Equal(t, want, d.scan(s, content), "%d %q", s, content)
		}
		cut := r.IntN(len(content) + 1)
		require.Equal(t, d.through(stay(), content), d.through(d.through(stay(), content[:cut]), content[cut:]))
	}
}

func TestCSVCompressed(t *testing.T) {
	r := random(t)
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	require.NoError(t, w.Write([]string{"a", "b"}))
	for i := range 60 {
		require.NoError(t, w.Write([]string{fmt.Sprint(i), strings.Repeat("\"x\n,", r.IntN(5))}))
	}
	w.Flush()
	want, _ := parsed(b.Bytes(), ',')
	twin(t, zstdFrames(t, b.Bytes(), 20), Rows(), fields, want[1:])
	twin(t, bgzf(t, b.Bytes(), 20), Rows(), fields, want[1:])
	twin(t, gzipped1(t, b.Bytes()), Rows(), fields, want[1:])
}

type trip struct {
	City     string `csv:"city"`
	Miles    float64
	N        int8      `csv:"n,optional"`
	Missing  string    `csv:"missing,optional"`
	At       time.Time `csv:"at"`
	Raw      []byte
	Fits     bool `csv:"fits"`
	Left     int  `csv:"-"`
	internal int
}

func TestCSVOfStructs(t *testing.T) {
	content := []byte("at,fits,city,other,Miles,n,Raw\n" +
		"2026-11-26T00:00:00Z,true,\"New\nYork\",x,1.5,,raw\n2026-11-27T00:00:00Z,0,\"\",x,-1e3,-128,\"\"\"\"\n")
	day := time.Date(2026, 11, 26, 0, 0, 0, 0, time.UTC)
	want := []string{
		fmt.Sprint(trip{"New\nYork", 1.5, 0, "", day, []byte("raw"), true, 0, 0}),
		fmt.Sprint(trip{"", -1000, -128, "", day.Add(24 * time.Hour), []byte("\""), false, 0, 0}),
	}
	twin(t, content, CSV[trip](), func(v trip) string { return fmt.Sprint(v) }, want)
	twin(t, content, Rows(Columns("n", "city")), fields, []string{`["" "New\nYork"]`, `["-128" ""]`})
	type pair struct{ A, B uint16 }
	twin(t, []byte("1\t2\n3\t\"4\"\n"), CSV[pair](Comma('\t'), NoHeader()),
		func(v pair) string { return fmt.Sprint(v) }, []string{"{1 2}", "{3 4}"})
	twin(t, []byte("1\t\"2\n3\"\t4\n"), Rows(Comma('\t'), NoHeader(), NoQuotes()), fields, []string{`["1" "\"2"]`,
		`["3\"" "4"]`})
	twin(t, []byte("1,\"2,\"\n\"3\",4\n"), Rows(NoHeader(), LineRows()), fields, []string{`["1" "2,"]`, `["3" "4"]`})
}

func TestCSVMistakes(t *testing.T) {
	type A struct{ A int }
	type B struct{ A, B int }
	for _, c := range []struct {
		content string
		format  Format[A]
		want    string
	}{
		{"A\n1\nx\n", CSV[A](), `line 3: column "A": "x": invalid syntax`},
		{"A\n1\n99999999999999999999\n", CSV[A](), `line 3: column "A": "99999999999999999999": value out of range`},
		{"A\n\"1\n2\"\n3\n", CSV[A](), `line 2: column "A": "1\n2": invalid syntax`},
		{"\"A\n1\n", CSV[A](), "line 1: the header: extraneous"},
		{"A\n1\n", CSV[A](Comma('"')), `'"' cannot separate fields`},
		{"A\n1\n", CSV[A](Columns("A")), "ingest.Columns is for ingest.Rows"},
		{"1\n\"2\n3\n", CSV[A](NoHeader(), LineRows()), `line 2: extraneous or missing "`},
		{"", CSV[A](), "data: the file is empty; expected the header of a CSV file: write it again, or leave"},
		{"\xef\xbb\xbf", CSV[A](), "data: the file is empty; expected the header"},
		{"A\n", CSV[A](), ""}, {"A", CSV[A](), ""},
	} {
		for _, ranks := range []int{1, 3} {
			_, err := ingest(ranks, c.format, func(v A) A { return v }, []string{write(t, "data", []byte(c.content))})
			if c.want == "" {
				require.NoError(t, err, c.content)
				continue
			}
			require.ErrorContains(t, err, c.want, c.content)
		}
	}
	path := write(t, "data", []byte("1\n"))
	_, err := ingest(2, CSV[B](NoHeader()), func(v B) B { return v }, []string{path})
	require.ErrorContains(t, err, "the row has 1 fields, the struct has 2")
	_, err = ingest(2, Rows(NoHeader(), Columns("a")), fields, []string{path})
	require.ErrorContains(t, err, "without a header no column has a name")
	for _, err := range []error{
		opened[int](), opened[struct{ a int }](), opened[struct{ A chan int }](), opened[struct {
			A int `csv:"x"`
			B int `csv:"x"`
		}](), opened[struct {
			A int `csv:"x,must"`
		}](),
	} {
		require.Error(t, err)
		t.Log(err)
	}
}

// opened returns the error of a type that CSV does not support.
func opened[T any]() error {
	_, err := CSV[T]().open(nil)
	return err
}

// Unreadable rows are skipped, and counted over ranks.
func TestSkip(t *testing.T) {
	var b bytes.Buffer
	b.WriteString("N\n")
	for i := range 100 {
		fmt.Fprintf(&b, "%s\n", []string{"x", "1"}[min(i%10, 1)])
	}
	type N struct{ N int }
	path := write(t, "data", b.Bytes())
	for _, ranks := range []int{1, 2, 4, 7} {
		o, err := ingest(ranks, CSV[N](), func(v N) int { return v.N }, []string{path}, Skip(10))
		require.NoError(t, err)
		require.Len(t, o.all(), 90)
		require.Equal(t, Report{Bytes: int64(b.Len()), Rows: 90, Skipped: 10, First: o.report.First}, o.report)
		require.Contains(t, o.report.First, "data: line 2: column \"N\"")
		_, err = ingest(ranks, CSV[N](), func(v N) int { return v.N }, []string{path}, Skip(9))
		require.Error(t, err)
		require.ErrorContains(t, err,
			"data: line 2: column \"N\": \"x\": invalid syntax; more than 9 such records were found")
	}
}

// A row that is too long is skipped to its end, which without quotes is that of the line.
func TestLongRows(t *testing.T) {
	content := []byte("a\n\"" + strings.Repeat("x", 100) + "\n" + strings.Repeat("y",
		100) + "\"\nb\n\"" + strings.Repeat("z", 100) + "\nc\n")
	path := write(t, "data", content)
	for ranks := range 5 {
		o, err := ingest(ranks+1, Rows(NoHeader()), fields, []string{path}, RowLimit(50), Skip(9))
		require.NoError(t, err)
		require.Equal(t, []string{`["a"]`, `["b"]`}, o.all())
		require.Equal(t, int64(2), o.report.Skipped)
		o, err = ingest(ranks+1, Rows(NoHeader(), NoQuotes()), fields, []string{path}, RowLimit(50), Skip(9))
		require.NoError(t, err)
		require.Equal(t, []string{`["a"]`, `["b"]`, `["c"]`}, o.all())
		require.Equal(t, int64(3), o.report.Skipped)
	}
}

// An unreadable first row does not affect the others.
func TestFirstRowsThatCannotBeRead(t *testing.T) {
	for _, first := range []string{
		strings.Repeat("n", 200) + ",1\n", "\"" + strings.Repeat("n,\n", 50) + "\"\n", "a\"\n",
	} {
		path := write(t, "data", []byte(first+"a,b\nc,d\n"))
		for _, ranks := range []int{1, 3} {
			o, err := ingest(ranks, Rows(NoHeader()), fields, []string{path}, RowLimit(60), Skip(9))
			require.NoError(t, err)
			require.Equal(t, []string{`["a" "b"]`, `["c" "d"]`}, o.all())
			require.Equal(t, int64(1), o.report.Skipped)
			_, err = ingest(ranks, Rows(), fields, []string{path}, RowLimit(60), Skip(9))
			require.ErrorContains(t, err, "read "+path+": ")
		}
	}
}

func FuzzCSV(f *testing.F) {
	f.Add([]byte("a,b\n\"1\n\",\"\"\"\"\n"), uint16(3))
	f.Add([]byte("\"a\"b,\"\n\"\r\n"), uint16(5))
	f.Fuzz(func(t *testing.T, content []byte, cut uint16) {
		content = bytes.Clone(content) // the fuzzer owns the original
		replaceControls(content)       // encoding/csv accepts them anywhere
		d := dialect{',', true}
		at := int(cut) % (len(content) + 1)
		made := d.through(d.through(stay(), content[:at]), content[at:])
		for s := range states {
			want := s
			for _, b := range content {
				want = d.step(want, b)
			}
			require.Equal(t, want, made[s])
		}
		w := newWindow(&stream{reader: bytes.NewReader(content), edge: int64(len(content))}, 1<<20, make([]byte, 16))
		want, _ := parsed(append([]byte("\xef\xbb\xbf"), content...), ',')
		width, got := 0, []string(nil)
		for {
			row, quotes, err := w.row(d)
			if errors.Is(err, io.EOF) {
				break
			}
			require.NoError(t, err)
			if row = chomp(row); len(row) == 0 {
				continue
			}
			all, err := d.split(row, quotes, nil)
			if err == nil && (width == 0 || width == len(all)) {
				width, got = len(all), append(got, plainEnds(all))
			}
		}
		require.Equal(t, want, got)
	})
}

// replaceControls replaces control characters except tabs and line ends by letters.
func replaceControls(content []byte) {
	for i, b := range content {
		ends := b == '\n' || b == '\r' && i+1 < len(content) && content[i+1] == '\n'
		if (b < ' ' || b == 0x7f) && b != '\t' && !ends {
			content[i] = 'c'
		}
	}
}

func BenchmarkCSV(b *testing.B) {
	content := append([]byte("a,b,c\n"), lineOfText(64<<20)...)
	path := write(b, "csv", content)
	type row struct {
		A uint64 `csv:"a"`
		B string `csv:"b"`
	}
	measure := func(name string, read func(in *input) error) {
		b.Run(name, func(b *testing.B) {
			in := whole(b, path)
			b.SetBytes(int64(len(content)))
			b.ReportAllocs()
			for b.Loop() {
				require.NoError(b, read(in))
			}
		})
	}
	measure("rows", func(in *input) error { return readOne(in, Rows(Columns("a", "c"))) })
	measure("structs", func(in *input) error { return readOne(in, CSV[row]()) })
	measure("passage", func(in *input) error {
		c := csvFiles{input: in, csvOptions: csvOptions{dialect: dialect{',', true}}}
		_, err := c.passage(piece{0, 0, int64(len(content))})
		return err
	})
	measure("encoding/csv", func(in *input) error {
		r := csv.NewReader(bytes.NewReader(content))
		r.ReuseRecord = true
		for {
			if _, err := r.Read(); err == io.EOF {
				return nil
			} else if err != nil {
				return err
			}
		}
	})
}
