package join

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/apps"
	"github.com/activepebbles/pebbles/apps/appstest"
	"github.com/activepebbles/pebbles/container"
	"github.com/activepebbles/pebbles/internal/seeds"
	"github.com/activepebbles/pebbles/pebble"
)

// between returns the configuration for two tables given as text.
func between(t *testing.T, left, right string) Config {
	return Config{Input: apps.Input{Files: []string{appstest.Write(t, "l.csv", left), appstest.Write(t, "r.csv", right)}}}
}

// joined returns the output of a run.
func joined(t *testing.T, ranks int, c Config, name string) string {
	c.Output.Path = filepath.Join(t.TempDir(), name)
	for _, result := range appstest.All(t, appstest.Mem(ranks), Run, c) {
		require.Zero(t, result.Errors, result.Wrong)
	}
	text, err := os.ReadFile(c.Output.Path)
	require.NoError(t, err)
	return string(text)
}

// serial joins rows of an id, a text and a key in two columns by two loops, in the order of keys, left rows and right
// rows.
func serial(left, right [][]string, kind Kind) string {
	type row struct {
		key      []string
		at, with int
		text     string
	}
	var all []row
	for i, l := range left {
		key, found := l[1:3], false
		for j, r := range right {
			if slices.Contains(key, "") || !slices.Equal(key, r[1:3]) {
				continue
			}
			if found = true; !kind.leftOnly() {
				all = append(all, row{key, i, j, strings.Join(append(slices.Clone(l), r[0]), ",")})
			}
		}
		switch text := strings.Join(l, ","); {
		case kind.outer() && !found:
			all = append(all, row{key, i, 0, text + ","})
		case kind == Semi && found, kind == Anti && !found:
			all = append(all, row{key, i, 0, text})
		}
	}
	for j, r := range right {
		key := r[1:3]
		one := slices.ContainsFunc(left, func(l []string) bool { return slices.Equal(key, l[1:3]) })
		if kind == Full && (!one || slices.Contains(key, "")) {
			all = append(all, row{key, len(left), j, "," + strings.Join(key, ",") + "," + r[0]})
		}
	}
	slices.SortStableFunc(all, func(a, b row) int {
		last := func(text string) string { return cmp.Or(text, "~") } // rows without a value come last
		return cmp.Or(cmp.Compare(last(a.key[0]), last(b.key[0])), cmp.Compare(last(a.key[1]), last(b.key[1])),
			cmp.Compare(a.at, b.at), cmp.Compare(a.with, b.with))
	})
	text := "id,a,b,id_right\n"
	if kind.leftOnly() {
		text = "id,a,b\n"
	}
	for _, r := range all {
		text += r.text + "\n"
	}
	return text
}

// Results equal those of two loops, in order, on all transports and for every kind.
func TestFilesEverywhere(t *testing.T) {
	random := rand.New(rand.NewPCG(seeds.Of(t), 0))
	rows := func(n int) (all [][]string, text string) {
		text = "id,a,b\n"
		for i := range n {
			row := []string{fmt.Sprint(i), "xyz "[random.IntN(4):][:1], ""}
			if row[1] = strings.TrimSpace(row[1]); random.IntN(9) > 0 {
				row[2] = fmt.Sprint(random.IntN(9))
			}
			all, text = append(all, row), text+strings.Join(row, ",")+"\n"
		}
		return all, text
	}
	left, leftText := rows(900)
	right, rightText := rows(300)
	for i, kind := range Kinds {
		c := between(t, leftText, rightText)
		if c.On, c.Kind = []string{"a", "b"}, kind; i%2 == 0 {
			c.Space = container.Budget{Memory: 4096}
		}
		want := serial(left, right, kind)
		t.Run(string(kind), func(t *testing.T) {
			c.Output = apps.Output{Path: filepath.Join(t.TempDir(), "joined.csv"), Replace: true}
			appstest.AllEverywhere(t, Run, c, func(t *testing.T, _ int, got Result) {
				require.Zero(t, got.Errors, got.Wrong)
				require.EqualValues(t, strings.Count(want, "\n")-1, got.Results)
				require.Equal(t, c.Space.Memory > 0, got.SpilledBytes > 0)
				require.NotNil(t, got.Output, "the file is of this job")
				text, err := os.ReadFile(c.Output.Path)
				require.NoError(t, err)
				require.Equal(t, want, string(text))
			})
		})
	}
}

// Columns keep their order and types. Keys are equal across formats, and may have two names. Equal names get a suffix.
func TestColumns(t *testing.T) {
	c := between(t, "key,v,w\n10,1,x\n9,2,y\n10,3,\nx,4,z\n,5,q\n", "")
	c.Files[1] = appstest.Write(t, "r.jsonl", `{"v":1.5,"k":10,"v_right":true}`+"\n"+`{"v":-7,"k":"x"}`+"\n"+`{"v":3}`)
	c.On = []string{"key=k"}
	for _, ranks := range []int{1, 2, 4, 7} {
		c.Kind = Left
		require.Equal(t, "key,v,w,v_right,v_right_right\n9,2,y,,\n10,1,x,1.5,true\n10,3,,1.5,true\nx,4,z,-7,\n,5,q,,\n",
			joined(t, ranks, c, "a.csv"))
		require.Equal(t, `{"key":"9","v":"2","w":"y","v_right":null,"v_right_right":null}`,
			strings.Split(joined(t, ranks, c, "a.jsonl"), "\n")[0])
		c.Kind = Full
		require.Equal(t, "key,v,w,v_right,v_right_right\n9,2,y,,\n10,1,x,1.5,true\n10,3,,1.5,true\nx,4,z,-7,\n,5,q,,\n"+
			",,,3,\n", joined(t, ranks, c, "a.csv"))
		c.Kind = Semi
		require.Equal(t, "key\tv\tw\n10\t1\tx\n10\t3\t\nx\t4\tz\n", joined(t, ranks, c, "a.tsv"))
	}
}

// The key of a result without a left row is that of the right one. Its column holds the values of both tables: numbers
// stay numbers if both have numbers, and become texts if one has a text.
func TestKeysOfBothTables(t *testing.T) {
	numbers := appstest.Write(t, "l.jsonl", `{"a":1,"k":7}`+"\n"+`{"a":2,"k":-1}`)
	for want, right := range map[string]string{
		`{"a":2,"k":-1.0,"b":null}{"a":null,"k":2.5,"b":"x"}{"a":1,"k":7.0,"b":"y"}`: `{"id":2.5,"b":"x"}{"id":7,"b":"y"}`,
		`{"a":2,"k":"-1","b":null}{"a":1,"k":"7","b":1}{"a":null,"k":"z","b":2}`:     `{"id":"7","b":1}{"id":"z","b":2}`,
		`{"a":2,"k":-1,"b":null}{"a":1,"k":7,"b":null}{"a":null,"k":null,"b":2}`:     `{"b":2}`,
	} {
		c := Config{On: []string{"k=id"}, Kind: Full}
		if !strings.Contains(right, "id") {
			right = `{"id":null,"b":2}`
		}
		c.Files = []string{numbers, appstest.Write(t, "r.jsonl", strings.ReplaceAll(right, "}{", "}\n{"))}
		for _, ranks := range []int{1, 3} {
			got := strings.ReplaceAll(joined(t, ranks, c, "a.jsonl"), "\n", "")
			require.Equal(t, strings.ReplaceAll(want, ".0", ""), got)
		}
	}
}

// Joins of tables without rows have results, too.
func TestNoRows(t *testing.T) {
	for _, ranks := range []int{1, 3} {
		c := between(t, "a,b\n", "a,c\n1,2\n")
		c.On = []string{"a"}
		require.Equal(t, "a,b,c\n", joined(t, ranks, c, "a.csv"))
		slices.Reverse(c.Files)
		c.Kind = Anti
		require.Equal(t, "a,c\n1,2\n", joined(t, ranks, c, "a.csv"))
		c.Kind = Full
		require.Equal(t, "a,c,b\n1,2,\n", joined(t, ranks, c, "a.csv"))
		slices.Reverse(c.Files)
		require.Equal(t, "a,b,c\n1,,2\n", joined(t, ranks, c, "a.csv"))
	}
}

// Mistakes in tables are errors, and leave no output.
func TestMistakesOfFiles(t *testing.T) {
	good := between(t, "a,b\n1,2\n", "a,c\n1,2\n")
	for says, spoil := range map[string]func(c *Config){
		"join: 1 tables: give two":                                  func(c *Config) { c.Files = c.Files[:1] },
		"join: no key: name the columns":                            func(c *Config) { c.On = nil },
		"join: the tables are files, and numbers of generated rows": func(c *Config) { c.Zipf = 1 },
		"generated rows have no columns":                            func(c *Config) { c.Files = nil },
		`no kind "outer": use one of inner, left, full, semi, anti`: func(c *Config) { c.Kind = "outer" },
		`no column "b"; the table has ["a" "c"]`:                    func(c *Config) { c.On = []string{"b"} },
		"the extension does not name a format":                      func(c *Config) { c.Output.Path += "x" },
		"no such file":                                              func(c *Config) { c.Files[1] += "x" },
		"line 2: the row has 1 fields": func(c *Config) {
			c.Files[1] = appstest.Write(t, "bad.csv", "a,c\n1\n")
		},
	} {
		c := good
		c.Files, c.On = slices.Clone(good.Files), []string{"a"}
		folder := t.TempDir()
		c.Output.Path = filepath.Join(folder, "out.csv")
		spoil(&c)
		_, err := appstest.Results(t, pebble.Config{Ranks: 2}, Run, c)
		require.ErrorContains(t, err, says)
		left, err := os.ReadDir(folder)
		require.NoError(t, err)
		require.Empty(t, left)
	}
	good.On, good.Files[1] = []string{"a"}, appstest.Write(t, "bad.csv", "a,c\n1\n1,3\n")
	good.Lenient = true
	require.Equal(t, "a,b,c\n1,2,3\n", joined(t, 2, good, "a.csv"))
}

// The sums of keys detect a lost or wrong result.
func TestSumsOfKeys(t *testing.T) {
	for says, spoil := range map[string]func(f *files){
		"1 results are wrong":   func(f *files) { f.all.Results++ },
		"1 checksum went wrong": func(f *files) { f.all.Sum++ },
		"number of results":     func(f *files) { f.results.Add(string([]byte{0x17, present, 0, 0, 0, absent})) },
	} {
		c := between(t, "a,b\n1,2\n1,3\n", "a,c\n1,2\n")
		c.On = []string{"a"}
		require.NoError(t, appstest.Mem(2).Run(t, func(r *pebble.Rank) (err error) {
			var result Result
			f := newFiles(r, c.complete())
			f.out = appstest.Must(apps.NewRowWriter(r, c.Output, ""))
			appstest.OK(f.load(&result))
			appstest.OK(f.join())
			appstest.OK(f.total(&result))
			spoil(f)
			err = f.verify(&result)
			require.Positive(t, result.Errors)
			require.Contains(t, fmt.Sprint(result.Wrong), says)
			return err
		}))
	}
}
