package command

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/apps/appstest"
	"github.com/activepebbles/pebbles/internal/seeds"
)

// duckdb reads a list of statements, and prints the rows of each as JSON.
const duckdb = `
const {DuckDBInstance} = require("@duckdb/node-api");
(async () => {
	const db = await (await DuckDBInstance.create(":memory:")).connect();
	const rows = [];
	for (const statement of JSON.parse(require("fs").readFileSync(0)))
		rows.push((await db.runAndReadAll(statement)).getRowsJson());
	console.log(JSON.stringify(rows));
})();
`

// duck is statements for DuckDB. At the end each must have found the one number that is expected of it.
type duck struct {
	statements []string
	wants      map[int]int64 // by the numbers of statements
	about      map[int]string
}

// newDuck skips the test if DuckDB for Node.js is not there.
func newDuck(t *testing.T) *duck {
	t.Helper()
	if nodePath() == "" {
		t.Skip("no DuckDB: npm install -g @duckdb/node-api")
	}
	return &duck{wants: map[int]int64{}, about: map[int]string{}}
}

// nodePath is the folder of global packages, if DuckDB is there.
func nodePath() string {
	folder, err := exec.Command("npm", "root", "-g").Output()
	path := strings.TrimSpace(string(folder))
	if err != nil {
		return ""
	}
	if _, err := os.Stat(filepath.Join(path, "@duckdb", "node-api")); err != nil {
		return ""
	}
	return path
}

func (d *duck) do(format string, values ...any) {
	d.statements = append(d.statements, fmt.Sprintf(format, values...))
}

// alike expects that two tables have the same rows, so many as rows says; -1 is any number.
func (d *duck) alike(about, want, got string, rows int64) {
	queries := []string{
		"select count(*) from (from " + want + " except all from " + got + ")",
		"select count(*) from (from " + got + " except all from " + want + ")",
		"select count(*) from " + got,
	}
	for i, number := range []int64{0, 0, rows} {
		if number >= 0 {
			d.wants[len(d.statements)], d.about[len(d.statements)] = number, about
			d.do("%s", queries[i])
		}
	}
}

// run runs the statements.
func (d *duck) run(t *testing.T) {
	t.Helper()
	text, err := json.Marshal(d.statements)
	require.NoError(t, err)
	node := exec.Command("node", "-e", duckdb)
	node.Env = append(os.Environ(), "NODE_PATH="+nodePath())
	node.Stdin = strings.NewReader(string(text))
	out, err := node.Output()
	if failed, ok := err.(*exec.ExitError); ok {
		t.Fatalf("%s", failed.Stderr)
	}
	require.NoError(t, err)
	var found [][][]any
	require.NoError(t, json.Unmarshal(out, &found))
	require.Len(t, found, len(d.statements))
	for i, want := range d.wants {
		require.Equal(t, fmt.Sprint(want), fmt.Sprint(found[i][0][0]), "%s: %s", d.about[i], d.statements[i])
	}
}

// fromAvro reads Avro files by Apache's library for Python, and writes lines of JSON.
const fromAvro = `
import json, sys
from avro.datafile import DataFileReader
from avro.io import DatumReader
for name in sys.argv[1:]:
    with DataFileReader(open(name, "rb"), DatumReader()) as rows, open(name + ".jsonl", "w") as out:
        for row in rows:
            print(json.dumps(row), file=out)
`

// DuckDB reads the file of each application, and finds the same rows in each format. Those of Avro, which DuckDB cannot
// read without an extension from its server, come by way of Apache's library.
func TestDuckDBReadsOutputs(t *testing.T) {
	d := newDuck(t)
	python := exec.Command("/usr/bin/python3", "-c", fromAvro)
	hasAvro := exec.Command("/usr/bin/python3", "-c", "import avro").Run() == nil
	for i, line := range append([]string{"pagerank --kronecker 8", "centrality --kronecker 7"}, written...) {
		folder, ranks := t.TempDir(), []int{1, 2, 4, 7}[i%4]
		if strings.HasPrefix(line, "centrality") {
			ranks = 1 // whose last digits depend on ranks and their order
		}
		write := func(name string) string {
			path := filepath.Join(folder, name)
			succeeds(t, append(toFile(line, path), "--ranks", fmt.Sprint(ranks))...)
			return path
		}
		d.do("create table a%d as from read_parquet('%s')", i, write("a.parquet"))
		others := []string{fmt.Sprintf("read_json('%s')", write("a.jsonl"))}
		if line != "sort command.go" { // whose text files are its lines, without a header
			others = append(others, fmt.Sprintf("read_csv('%s', header = true, all_varchar = true)", write("a.csv.gz")),
				fmt.Sprintf(`read_csv('%s', header = true, all_varchar = true, delim = '\t')`, write("a.tsv.zst")))
		}
		if hasAvro {
			name := write("a.avro")
			python.Args = append(python.Args, name)
			others = append(others, fmt.Sprintf("read_json('%s.jsonl')", name))
		}
		for j, other := range others {
			d.do("create table b%d_%d as from a%d limit 0", i, j, i)
			d.do("insert into b%d_%d from %s", i, j, other)
			d.alike(line, fmt.Sprint("a", i), fmt.Sprintf("b%d_%d", i, j), -1)
		}
	}
	if hasAvro {
		out, err := python.CombinedOutput()
		require.NoError(t, err, string(out))
	}
	d.run(t)
}

// randomRows are rows of a name, two columns of keys that may be missing, and a number with two exact digits.
func randomRows(random *rand.Rand, n int, name string) (asCSV, asJSON string) {
	var c, j strings.Builder
	fmt.Fprintf(&c, "%s,a,b,%sx\n", name, name)
	for i := range n {
		a, b, x := []string{"", "x", "y,z", `q"`}[random.IntN(4)], "", float64(random.IntN(1000)-500)/4
		bJSON, aJSON := "null", "null"
		if random.IntN(8) > 0 {
			b = fmt.Sprint(random.IntN(20))
			bJSON = b
		}
		if a != "" {
			text, _ := json.Marshal(a)
			aJSON = string(text)
		}
		fmt.Fprintf(&c, "%d,\"%s\",%s,%v\n", i, strings.ReplaceAll(a, `"`, `""`), b, x)
		fmt.Fprintf(&j, `{"%s":%d,"a":%s,"b":%s,"%sx":%v}`+"\n", name, i, aJSON, bJSON, name, x)
	}
	return strings.ReplaceAll(c.String(), `,"",`, ",,"), j.String()
}

// Joins of all kinds and groups are DuckDB's, of tables with keys that are missing and keys that come often.
func TestDuckDBJoinsAndGroups(t *testing.T) {
	d := newDuck(t)
	random := rand.New(rand.NewPCG(seeds.Of(t), 0))
	left, _ := randomRows(random, 400, "l")
	_, right := randomRows(random, 150, "r")
	leftFile, rightFile := appstest.Write(t, "left.csv", left), appstest.Write(t, "right.jsonl", right)
	folder := t.TempDir()
	d.do("create table l as from read_csv('%s', header = true, all_varchar = true)", leftFile)
	d.do("create table r as from read_json('%s', columns = {r: 'bigint', a: 'varchar', b: 'varchar', rx: 'double'})",
		rightFile)
	got := func(name, line, extension string, ranks int, rows string) {
		path := filepath.Join(folder, name+extension)
		o := object(t, append(strings.Fields(line), "--output", path, "--ranks", fmt.Sprint(ranks))...)
		d.do("create table %s as from want_%s limit 0", name, name)
		d.do("insert into %s from '%s'", name, path)
		d.alike(line, "want_"+name, name, int64(o[rows].(float64)))
	}
	for i, kind := range strings.Fields("inner left full semi anti") {
		d.do("create table want_%s as select * from l %s join r using (a, b)", "by"+kind, kind)
		got("by"+kind, fmt.Sprintf("join %s %s --on a,b --kind %s", leftFile, rightFile, kind), ".parquet",
			[]int{1, 2, 4, 7, 3}[i], "results")
	}
	aggregates := "count(*), sum(rx), avg(rx), min(rx), max(rx)"
	flags := "--count --sum=rx --mean=rx --min=rx --max=rx"
	d.do("create table want_groups as select b::bigint, a, %s from r group by b, a", aggregates)
	got("groups", fmt.Sprintf("group %s --by b,a %s", rightFile, flags), ".parquet", 4, "groups")
	d.do("create table want_whole as select b::bigint, %s from r group by b", aggregates)
	got("whole", fmt.Sprintf("group %s --by b %s", rightFile, flags), ".parquet", 7, "groups")
	d.run(t)
}
