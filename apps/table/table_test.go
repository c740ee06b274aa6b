package table_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/activepebbles/pebbles/apps/appstest"
	"github.com/activepebbles/pebbles/apps/table"
	"github.com/activepebbles/pebbles/export"
	"github.com/activepebbles/pebbles/export/parquet"
	"github.com/activepebbles/pebbles/ingest"
	"github.com/activepebbles/pebbles/internal/leaks"
	"github.com/activepebbles/pebbles/pebble"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(leaks.Main(m)) }

// read returns the rows of tables in the order of their places, as text, below the names of columns.
func read(t *testing.T, ranks int, files []string, opts ...ingest.Option) (rows []string, err error) {
	var lock sync.Mutex
	var all []string
	err = appstest.Job(t, pebble.Config{Ranks: ranks}, func(r *pebble.Rank) error {
		s, err := table.Open(r, files, opts...)
		if err != nil {
			return err
		}
		for record := range s.All() {
			row := table.Append(table.AppendPlace(nil, record.At), record.Values...)
			lock.Lock()
			all = append(all, string(row))
			lock.Unlock()
		}
		_, _, err = s.Report(r)
		if r.ID() == 0 {
			rows = []string{fmt.Sprintf("%q", s.Columns)}
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	slices.Sort(all)
	width := strings.Count(rows[0], " ") + 1
	for _, row := range all {
		values, rest := table.Values(nil, table.SkipPlace(row), width)
		require.Empty(t, rest)
		text := ""
		for _, v := range values {
			text += fmt.Sprintf("%d:%s ", v.Kind, v)
		}
		rows = append(rows, text)
	}
	return rows, nil
}

// zipped returns text compressed by gzip.
func zipped(t *testing.T, text string) string {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, err := z.Write([]byte(text))
	require.NoError(t, err)
	require.NoError(t, z.Close())
	return b.String()
}

type person struct {
	ID   int64    `parquet:"id"`
	Name string   `parquet:"name"`
	Big  uint64   `parquet:"big"`
	Paid *float64 `parquet:"paid,optional"`
	Well bool     `parquet:"well"`
	Born int32    `parquet:"born,date"`
	At   int64    `parquet:"at,timestamp(millisecond)"`
}

var ann, bob = 0.5, -3.0

var people = []person{
	{1, "Ann", 1 << 63, &ann, true, 0, 1500}, {-2, "", 7, nil, false, -1, 0}, {3, "B\x00b", 0, &bob, true, 365, -1},
}

// written returns a folder written by a job of two ranks.
func written[T any](t *testing.T, format export.Format[T], rows ...T) string {
	name := filepath.Join(t.TempDir(), "out")
	require.NoError(t, appstest.Job(t, pebble.Config{Ranks: 2}, func(r *pebble.Rank) error {
		sink, err := export.Create(r, name, format)
		if err != nil {
			return err
		}
		defer sink.Abort()
		for i, row := range rows {
			if min(i, 1) == r.ID() {
				appstest.OK(sink.Write(row))
			}
		}
		_, err = sink.Close()
		return err
	}))
	return name
}

func avroFiles(t *testing.T) string {
	format, err := export.Avro(`{"type":"record","name":"p","fields":[
		{"name":"id","type":"long"},{"name":"name","type":["null","string"]},{"name":"paid","type":"double"},
		{"name":"half","type":"float"},{"name":"well","type":"boolean"},{"name":"raw","type":"bytes"},
		{"name":"suit","type":{"type":"enum","name":"s","symbols":["heart","spade"]}},
		{"name":"born","type":{"type":"int","logicalType":"date"}}]}`, export.Snappy)
	require.NoError(t, err)
	var rows []any
	for i := range 3 {
		rows = append(rows, map[string]any{
			"id": i - 1, "name": map[string]any{"string": fmt.Sprint("n", i)}, "paid": 1.5, "half": float32(0.25),
			"well": i == 1, "raw": []byte{0, 255}, "suit": "spade", "born": time.Unix(0, 0),
		})
	}
	return written(t, format, rows...)
}

// Rows do not depend on the number of ranks, in every format, and are in the order of the files.
func TestFormats(t *testing.T) {
	objects := `{"b":1,"a":"x"}` + "\n\n" + `{"c":null,"a":1.5}` + "\n" + `{"b":18446744073709551615,"d":true}`
	text := "id,name\r\n1,\"a\nb\"\n2,\n\"3\",c\n"
	for name, c := range map[string]struct {
		content string
		want    []string
	}{
		"a.csv":    {text, []string{`["id" "name"]`, "4:1 4:a\nb ", "4:2 0: ", "4:3 4:c "}},
		"a.csv.gz": {zipped(t, text), []string{`["id" "name"]`, "4:1 4:a\nb ", "4:2 0: ", "4:3 4:c "}},
		"a.TSV":    {"x\ty\n1\t\"2\t\"\"\"\n", []string{`["x" "y"]`, "4:1 4:2\t\" "}},
		"a.jsonl": {objects, []string{
			`["b" "a" "c" "d"]`, "1:1 4:x 0: 0: ", "0: 3:1.5 0: 0: ", "2:18446744073709551615 0: 0: 4:true "}},
		"avro": {avroFiles(t), []string{`["id" "name" "paid" "half" "well" "raw" "suit" "born"]`,
			"1:-1 4:n0 3:1.5 3:0.25 4:false 4:\x00\xff 4:spade 4:1970-01-01 ",
			"1:0 4:n1 3:1.5 3:0.25 4:true 4:\x00\xff 4:spade 4:1970-01-01 ",
			"1:1 4:n2 3:1.5 3:0.25 4:false 4:\x00\xff 4:spade 4:1970-01-01 "}},
		"parquet": {written(t, parquet.Rows[person](), people...), []string{`["id" "name" "big" "paid" "well" "born" "at"]`,
			"1:1 4:Ann 2:9223372036854775808 3:0.5 4:true 4:1970-01-01 4:1970-01-01T00:00:01.5Z ",
			"1:-2 4: 1:7 0: 4:false 4:1969-12-31 4:1970-01-01T00:00:00Z ",
			"1:3 4:B\x00b 1:0 3:-3 4:true 4:1971-01-01 4:1969-12-31T23:59:59.999Z "}},
	} {
		path := c.content
		if strings.Contains(name, ".") {
			path = appstest.Write(t, name, c.content)
		}
		for _, ranks := range []int{1, 2, 4, 7} {
			got, err := read(t, ranks, []string{path})
			require.NoError(t, err, name)
			require.Equal(t, c.want, got, "%s, %d ranks", name, ranks)
		}
	}
}

// Columns of several files match by name. Rows are in the order of the files, although ranks read compressed files in
// another order.
func TestFiles(t *testing.T) {
	folder := t.TempDir()
	write := func(name, text string) {
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600))
	}
	write("1.csv", "a,b\n1,2\n")
	write("2.csv.gz", zipped(t, "b,a,c\n4,3,5\n"+strings.Repeat("6,5,7\n", 100)))
	write("3.csv.gz", zipped(t, "b,a\n8,9\n"))
	for _, ranks := range []int{1, 2, 4, 7} {
		got, err := read(t, ranks, []string{filepath.Join(folder, "*.csv*")})
		require.NoError(t, err)
		require.Equal(t, slices.Concat([]string{`["a" "b"]`, "4:1 4:2 ", "4:3 4:4 "},
			slices.Repeat([]string{"4:5 4:6 "}, 100), []string{"4:9 4:8 "}), got)
	}
}

// Unreadable input is an error with the place and the remedy.
func TestMistakes(t *testing.T) {
	for says, f := range map[string][2]string{
		`t.txt: the name does not show the format of the table`: {"t.txt", "a"},
		`two columns are called "a": rename one of them`:        {"t.csv", "a,a\n1,2\n"},
		"t.csv: line 3: the row has 1 fields":                   {"t.csv", "a,b\n1,2\n3\n"},
		"t.jsonl: line 2: the line is not a JSON object":        {"t.jsonl", "{}\n[1]\n"},
		`t.jsonl: line 1: an object has the name "a" twice`:     {"t.jsonl", `{"a":1,"a":2}`},
		`t.jsonl: line 1: column "a": it holds an array`:        {"t.jsonl", `{"a":[1]}`},
		"line 1: the text is not UTF-8":                         {"t.jsonl", "{\"a\":\"\xff\"}"},
		"name the file's format":                                {"t.avro", "nonsense"},
		"too short to be a Parquet file":                        {"t.parquet", "x"},
		"the file is empty":                                     {"t.csv", ""},
	} {
		for _, ranks := range []int{1, 3} {
			_, err := read(t, ranks, []string{appstest.Write(t, f[0], f[1])})
			require.ErrorContains(t, err, says)
		}
	}
	_, err := read(t, 2, []string{appstest.Write(t, "a.csv", "a\n"), appstest.Write(t, "a.tsv", "a\n")})
	require.ErrorContains(t, err, "give files of one format")
	type lists struct {
		L []int64 `parquet:"l,list"`
	}
	_, err = read(t, 2, []string{written(t, parquet.Rows[lists](), lists{[]int64{1}})})
	require.ErrorContains(t, err, `column "l": it is not a number`)
}

// A lenient run skips unreadable rows.
func TestLenient(t *testing.T) {
	path := appstest.Write(t, "a.jsonl", "{\"a\":1}\n{\"b\":\n{\"a\":{}}\n{\"c\":2}")
	got, err := read(t, 3, []string{path}, ingest.Skip(5))
	require.NoError(t, err)
	require.Equal(t, []string{`["a" "c"]`, "1:1 0: ", "0: 1:2 "}, got)
}
