package distgraph

import (
	"compress/gzip"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/apps/appstest"
	"github.com/activepebbles/pebbles/export"
	"github.com/activepebbles/pebbles/export/parquet"
	"github.com/activepebbles/pebbles/ingest"
	"github.com/activepebbles/pebbles/pebble"
)

// shown returns a graph as text, a line for each vertex with the heads of its arcs and their weights, in the order of
// the source. The text does not depend on the number of ranks.
func shown(t *testing.T, ranks int, source Source) (lines []string, err error) {
	by := make([][]string, ranks)
	err = appstest.Job(t, pebble.Config{Ranks: ranks}, func(r *pebble.Rank) error {
		g, err := Build(r, source)
		if err == nil {
			by[r.ID()], err = rowsOf(g, g.Narrow)
		}
		return err
	})
	return slices.Concat(by...), err
}

func rowsOf(g *Graph, p *Part[uint32]) (lines []string, err error) {
	own := g.Own()
	var heads []uint64
	for _, index := range own {
		for _, head := range p.Row(uint32(index - g.First)) {
			heads = append(heads, uint64(head))
		}
	}
	tails, err := g.Labels(own)
	if err != nil {
		return nil, err
	}
	labels, err := g.Labels(heads)
	at := 0
	for i, index := range own {
		v, row := uint32(index-g.First), []string{}
		for j := range p.Row(v) {
			arc := labels.At(at).String()
			if at++; p.Weights != nil {
				arc += fmt.Sprintf(":%v", p.WeightsOf(v)[j])
			}
			row = append(row, arc)
		}
		slices.Sort(row)
		lines = append(lines, fmt.Sprintf("%v %d: %s", tails.At(i), p.Counts[v], strings.Join(row, " ")))
	}
	return lines, err
}

// packed writes a compressed file, which only one rank can read.
func packed(t *testing.T, name, text string) string {
	path := filepath.Join(t.TempDir(), name)
	f, err := os.Create(path)
	require.NoError(t, err)
	w := gzip.NewWriter(f)
	_, err = w.Write([]byte(text))
	require.NoError(t, err)
	require.NoError(t, w.Close())
	require.NoError(t, f.Close())
	return path
}

// twin is a graph in the form of shown, made from its edges serially.
type twin struct {
	counts map[string]int
	rows   map[string]map[string]string
}

func twinOf(vertices []string, edges [][3]string, undirected bool) []string {
	g := twin{map[string]int{}, map[string]map[string]string{}}
	for _, v := range vertices {
		g.rows[v] = map[string]string{}
	}
	for _, e := range edges {
		g.arc(e[0], e[1], e[2])
		if undirected {
			g.arc(e[1], e[0], e[2])
		}
	}
	var lines []string
	for _, v := range slices.Sorted(maps.Keys(g.rows)) {
		var arcs []string
		for head, weight := range g.rows[v] {
			if weight != "" {
				weight = ":" + weight
			}
			arcs = append(arcs, Label{Name: head, IsName: true}.String()+weight)
		}
		slices.Sort(arcs)
		lines = append(lines, fmt.Sprintf("%v %d: %s", Label{Name: v, IsName: true}, g.counts[v], strings.Join(arcs, " ")))
	}
	return lines
}

func (g *twin) arc(tail, head, weight string) {
	for _, v := range []string{tail, head} {
		if g.rows[v] == nil {
			g.rows[v] = map[string]string{}
		}
	}
	if g.counts[tail]++; tail != head {
		g.rows[tail][head] = weight
	}
}

// people are edges between diverse names.
var people = [][3]string{
	{"Zoë", "al", "1.5"}, {"al", "Zoë", "2"}, {"al", "\"q\"", "0.25"}, {"\"q\"", "al", "0.25"}, {"7", "07", "1"},
	{"07", "7", "3"}, {"b,c", "al", "4"}, {"al", "al", "1"}, {"日本", "b,c", "0"}, {"-1", "1e3", "0.5"},
	{"18446744073709551616", "7", "1"},
}

func edgeText(edges [][3]string, isWeighed bool) string {
	var text strings.Builder
	for _, e := range edges {
		fmt.Fprintf(&text, "%s\t%s", e[0], e[1])
		if isWeighed {
			text.WriteString(" " + e[2])
		}
		text.WriteString("\n")
	}
	return text.String()
}

// A graph of names is the same on any number of ranks, from one file or several, plain or compressed, with vertices
// without an edge.
func TestNames(t *testing.T) {
	half := len(people) / 2
	text := "# a comment\n" + edgeText(people, true)
	first := appstest.Write(t, "a.el", edgeText(people[:half], true))
	second := packed(t, "b.el.gz", edgeText(people[half:], true))
	list := appstest.Write(t, "all.v", "alone in the world\nZoë\nal\n\"q\"\n7\n07\nb,c\n日本\n-1\n1e3\n"+
		"18446744073709551616\n")
	adjacency := appstest.Write(t, "some.adj", "al Zoë \"q\"\nsolo\nZoë al\n\n al al\n")
	want := twinOf(nil, people, false)
	for ranks := 1; ranks <= 9; ranks++ {
		for _, c := range []struct {
			source Source
			want   []string
		}{
			{Source{Path: appstest.Write(t, "p.el", text), Weights: Given}, want},
			{Source{Path: packed(t, "p.el.gz", text), Weights: Given}, want},
			{Source{Path: first, More: []string{second}, Weights: Given}, want},
			{Source{Path: first, More: []string{second}, Weights: Given, Vertices: []string{list}},
				twinOf([]string{"alone in the world"}, people, false)},
			{Source{Path: adjacency}, twinOf([]string{"solo"}, [][3]string{
				{"al", "Zoë"}, {"al", "\"q\""}, {"Zoë", "al"}, {"al", "al"}}, false)},
			{Source{Path: appstest.Write(t, "p.el", text), Weights: Given, Undirected: true, Order: ByDegree}, nil},
		} {
			c.source.Names = true
			got, err := shown(t, ranks, c.source)
			require.NoError(t, err)
			if c.want == nil {
				c.want, err = shown(t, 1, c.source)
				require.NoError(t, err)
			}
			require.Equal(t, c.want, got, "%s, %d ranks", c.source.Path, ranks)
		}
	}
}

// Sparse ids of 64 bits are vertices like all others, from the file to the labels of results.
func TestSparseIDs(t *testing.T) {
	const most = "18446744073709551615"
	edges := [][3]string{{most, "0"}, {"9223372036854775808", most}, {"1", "9223372036854775807"}, {"1", "4294967296"}}
	list := appstest.Write(t, "all.v", "# LDBC\n5\n 12345678901234567890 \n0\n1\n9223372036854775807\n4294967296\n"+
		"9223372036854775808\n"+most)
	path := appstest.Write(t, "g.e", edgeText(edges, false))
	for ranks := 1; ranks <= 9; ranks++ {
		for _, order := range []Order{AsGiven, ByDegree} {
			lines, err := shown(t, ranks, Source{Path: path, Vertices: []string{list}, Undirected: true, Order: order})
			require.NoError(t, err)
			require.Equal(t, []string{
				"0 1: " + most, "1 2: 4294967296 9223372036854775807", "5 0: ", "4294967296 1: 1",
				"9223372036854775807 1: 1", "9223372036854775808 1: " + most, "12345678901234567890 0: ",
				most + " 2: 0 9223372036854775808",
			}, lines)
		}
	}
	require.NoError(t, appstest.Job(t, pebble.Config{Ranks: 4}, func(r *pebble.Rank) error {
		g := appstest.Must(Build(r, Source{Path: path}))
		indices := appstest.Must(g.Indices(IDs(1<<64-1, 1, 1<<32)))
		require.Equal(t, []uint64{5, 1, 2}, indices)
		require.Equal(t, IDs(1<<64-1, 1, 1<<32), appstest.Must(g.Labels(indices)))
		return nil
	}))
}

// A list of vertices, or names, that do not fit the graph are an error that names the file, line or vertex.
func TestMistakesOfVertices(t *testing.T) {
	edges := appstest.Write(t, "g.e", "1 2\n2 30\n")
	for says, source := range map[string]Source{
		"g.e: the edges name vertex 30, and the list": {Path: edges,
			Vertices: []string{appstest.Write(t, "few.v", "1\n2\n3\n")}},
		"the edges name vertex 2, and the list": {Path: edges, Names: true,
			Vertices: []string{appstest.Write(t, "few.v", "1\n30\n")}},
		`bad.v: line 2: found "x"; expected a vertex`: {Path: edges,
			Vertices: []string{appstest.Write(t, "bad.v", "1\nx\n")}},
		`two.v: line 1: found "2"; expected the end of the line`: {Path: edges,
			Vertices: []string{appstest.Write(t, "two.v", "1 2\n")}},
		"none.v: no such file": {Path: edges, Vertices: []string{"none.v"}},
		"road.gr: the format numbers its vertices": {Path: appstest.Write(t, "road.gr", "p tw 2 1\n1 2\n"),
			Vertices: []string{appstest.Write(t, "some.v", "1\n2\n")}},
		"files of format pace number their vertices": {Path: appstest.Write(t, "road.gr", "p tw 2 1\n1 2\n"), Names: true},
		"line 2: the line ends early; expected a vertex": {Path: appstest.Write(t, "g.el", "a b\nc\n"), Names: true,
			Format: ingest.EdgeList},
		"names, lists of vertices and columns are for files": {Generator: appstest.Kronecker(t, 4), Names: true},
	} {
		for _, ranks := range []int{1, 4} {
			_, err := shown(t, ranks, source)
			require.ErrorContains(t, err, says)
		}
	}
}

// Roots may be names, and an error names a missing one.
func TestRootsByName(t *testing.T) {
	source := Source{Path: appstest.Write(t, "p.el", edgeText(people, false)), Names: true, Format: ingest.EdgeList}
	require.NoError(t, appstest.Job(t, pebble.Config{Ranks: 3}, func(r *pebble.Rank) error {
		g := appstest.Must(Build(r, source))
		labels := Labels{Names: []string{"Zoë", "\"q\"", "07"}}
		indices := appstest.Must(g.Indices(labels))
		require.Equal(t, labels, appstest.Must(g.Labels(indices)))
		_, err := g.Indices(Labels{Names: []string{"al", "nobody"}})
		require.ErrorIs(t, err, ErrRoot)
		require.ErrorContains(t, err, `root nobody: graph `)
		require.ErrorContains(t, err, "names from \"\\\"q\\\"\" to 日本, and none is this one")
		_, err = g.Indices(IDs(7))
		require.ErrorContains(t, err, "the vertices have names")
		return nil
	}))
}

// An arcRow is a row of a table of edges, between other columns.
type arcRow struct {
	Note   string  `csv:"note" json:"note" parquet:"note"`
	To     string  `csv:"head" json:"head" parquet:"head"`
	Weight float64 `csv:"cost" json:"cost" parquet:"cost"`
	From   string  `csv:"tail" json:"tail" parquet:"tail"`
}

const arcSchema = `{"type": "record", "name": "arc", "fields": [
	{"name": "note", "type": {"type": "array", "items": "int"}}, {"name": "head", "type": "string"},
	{"name": "cost", "type": ["null", "double"]}, {"name": "tail", "type": "string"}]}`

// tables writes edges as tables of each format, from two ranks into folders, and returns the folders' names.
func tables(t *testing.T, edges [][3]string) (names []string) {
	var rows []arcRow
	var records []any
	for i, e := range edges {
		weight, err := strconv.ParseFloat(e[2], 64)
		require.NoError(t, err)
		rows = append(rows, arcRow{fmt.Sprintf("note\n%d,", i), e[1], weight, e[0]})
		records = append(records, map[string]any{"note": []any{i}, "head": e[1], "cost": map[string]any{"double": weight},
			"tail": e[0]})
	}
	folder := t.TempDir()
	avro, err := export.Avro(arcSchema, export.Null)
	require.NoError(t, err)
	require.NoError(t, appstest.Job(t, pebble.Config{Ranks: 2}, func(r *pebble.Rank) error {
		half := func(n int) (int, int) { return r.ID() * n / 2, (r.ID() + 1) * n / 2 }
		from, to := half(len(rows))
		written(r, filepath.Join(folder, "a.csv"), export.CSV[arcRow](','), rows[from:to], export.OneFile())
		written(r, filepath.Join(folder, "a.jsonl.zst"), export.JSONLines[arcRow](), rows[from:to], export.OneFile(),
			export.Zstd())
		written(r, filepath.Join(folder, "a.avro"), avro, records[from:to])
		written(r, filepath.Join(folder, "a.parquet"), parquet.Rows[arcRow](), rows[from:to])
		return nil
	}))
	for _, end := range []string{"csv", "jsonl.zst", "avro", "parquet"} {
		names = append(names, filepath.Join(folder, "a."+end))
	}
	tsv := "tail\tcost\thead\n"
	for _, e := range edges {
		tsv += quoted(e[0]) + "\t" + e[2] + "\t" + quoted(e[1]) + "\n"
	}
	return append(names, packed(t, "a.tsv.gz", tsv))
}

// quoted returns a field of CSV or TSV.
func quoted(text string) string { return `"` + strings.ReplaceAll(text, `"`, `""`) + `"` }

func written[T any](r *pebble.Rank, name string, format export.Format[T], rows []T, options ...export.Option) {
	sink := appstest.Must(export.Create(r, name, format, options...))
	defer sink.Abort()
	for _, row := range rows {
		appstest.OK(sink.Write(row))
	}
	appstest.Must(sink.Close())
}

// Edges of tables are the same graph in each format, on any number of ranks. Names have spaces, quotes and commas, or
// are empty; vertices may be ids.
func TestTables(t *testing.T) {
	odd := append(slices.Clone(people), [][3]string{{"", "al", "1"}, {"a b", "", "2"}, {" a b", "a b", "3"}}...)
	ids := [][3]string{{"18446744073709551615", "0", "1"}, {"5", "5", "2"}, {"5", "6", "0.5"}, {"5", "6", "0.25"}}
	columns := Columns{"tail", "head", "cost"}
	for name, edges := range map[string][][3]string{"names": odd, "ids": ids} {
		isNamed := name == "names"
		var want []string
		if isNamed {
			want = twinOf(nil, edges, false)
		} else {
			want = []string{"0 0: ", "5 3: 6:0.25", "6 0: ", "18446744073709551615 1: 0:1"}
		}
		for _, path := range tables(t, edges) {
			for ranks := 1; ranks <= 9; ranks++ {
				got, err := shown(t, ranks, Source{Path: path, Columns: columns, Names: isNamed, Weights: Given})
				require.NoError(t, err)
				require.Equal(t, want, got, "%s, %d ranks", path, ranks)
			}
		}
	}
}

// A damaged table, or one that lacks a column, is an error with file and line.
func TestMistakesOfTables(t *testing.T) {
	for _, c := range []struct{ name, text, says string }{
		{"a.csv", "source,target\n1,2\n1,x\n", `a.csv: line 3: column "target": found "x"; expected a vertex`},
		{"a.csv", "source,target\n1,-2\n", `line 2: column "target": found "-2"`},
		{"a.csv", "source,target\n1,\n", `line 2: column "target": found ""`},
		{"a.csv", "source,to\n1,2\n", `line 1: no column "target"; the file has "source", "to"`},
		{"a.csv", "source,target,source\n1,2,3\n", `line 1: two columns are called "source"`},
		{"a.csv", "source,target\n1,2,3\n", "line 2: the row has 3 fields"},
		{"a.csv", "source,target\n1,\"2\n", "line 2: "},
		{"a.csv", "", "the file is empty; expected the header"},
		{"a.tsv", "source\ttarget\n1 2\n", "line 2: the row has 1 fields"},
		{"a.jsonl", "{\"source\": 1, \"target\": 2}\n{\"source\": 1.5, \"target\": 2}\n",
			`line 2: column "source": found "1.5"`},
		{"a.jsonl", `{"from": 1}`, "line 1: the object has no key"}, {"a.jsonl", "[1, 2]", "line 1: "},
		{"a.jsonl", `{"source": [1], "target": 2}`, `line 1: column "source": it holds an array`},
		{"a.jsonl", `{"source": 1, "source": 2, "target": 2}`, `line 1: an object has the name "source" twice`},
		{"a.parquet", "PAR1", "a.parquet: the file is too short"}, {"a.avro", "Obj", "a.avro"},
	} {
		for _, ranks := range []int{1, 4} {
			_, err := shown(t, ranks, Source{Path: appstest.Write(t, c.name, c.text)})
			require.ErrorContains(t, err, c.says)
		}
	}
	path := appstest.Write(t, "a.csv", "source,target,weight,cost\n1,2,0.5,\n1,3,x,1\n")
	for says, source := range map[string]Source{
		`line 3: column "weight": found "x"; expected a weight`: {Path: path, Weights: Given},
		"line 2: the edge has no weight": {
			Path: path, Weights: Given, Columns: Columns{Weight: "cost"},
		},
		"leave the format out": {Path: path, Format: ingest.EdgeList, Columns: Columns{Source: "a"}},
		"columns are for files": {
			Generator: appstest.Kronecker(t, 4), Columns: Columns{Source: "a"},
		},
		"the name does not show the format of the table": {
			Path: appstest.Write(t, "a.txt", "1 2\n"), Columns: Columns{Source: "a"},
		},
	} {
		_, err := shown(t, 3, source)
		require.ErrorContains(t, err, says)
	}
	mixed := Source{Path: path, More: []string{appstest.Write(t, "b.jsonl", "{}")}}
	_, err := shown(t, 2, mixed)
	require.ErrorContains(t, err, "give files of one format")
}

// A graph whose vertices are numbers is the same in all formats, on any number of ranks, in one file or two.
func TestFormats(t *testing.T) {
	edges := [][3]string{{"2", "1", "0.5"}, {"3", "1", "2"}, {"4", "2", "1"}, {"4", "4", "3"}, {"6", "3", "0.25"}}
	lines := edgeText(edges, true)
	arcs := "a " + strings.ReplaceAll(strings.TrimSpace(lines), "\n", "\na ") + "\n"
	header := "%%MatrixMarket matrix coordinate real "
	list := appstest.Write(t, "all.v", "1\n2\n3\n4\n5\n6\n")
	half := appstest.Write(t, "half.gr", "p tw 6 2\n2 1 0.5\n3 1 2\n")
	rest := appstest.Write(t, "rest.gr", "p tw 6 3\n4 2 1\n4 4 3\n6 3 0.25\n")
	var want [2][]string
	for i, isUndirected := range []bool{false, true} {
		for _, line := range twinOf([]string{"5"}, edges, isUndirected) {
			want[i] = append(want[i], strings.ReplaceAll(line, `"`, ""))
		}
	}
	for ranks := 1; ranks <= 9; ranks++ {
		for i, sources := range [][]Source{
			{
				{Path: appstest.Write(t, "d.gr", "p sp 6 5\n"+arcs)},
				{Path: appstest.Write(t, "d.mtx", header+"general\n6 6 5\n"+lines)},
				{Path: appstest.Write(t, "d.e", lines), Vertices: []string{list}},
			}, {
				{Path: appstest.Write(t, "u.gr", "p tw 6 5\n"+lines)}, {Path: half, More: []string{rest}},
				{Path: appstest.Write(t, "u.mtx", header+"symmetric\n6 6 5\n"+lines)},
				{Path: appstest.Write(t, "u.metis", "6 5 1\n2 0.5 3 2\n1 0.5 4 1\n1 2 6 0.25\n2 1 4 3\n\n3 0.25\n")},
				{Path: appstest.Write(t, "u.e", lines), Vertices: []string{list}, Undirected: true},
			},
		} {
			for _, source := range sources {
				source.Weights = Given
				got, err := shown(t, ranks, source)
				require.NoError(t, err)
				require.Equal(t, want[i], got, "%s, %d ranks", source.Path, ranks)
			}
		}
	}
}
