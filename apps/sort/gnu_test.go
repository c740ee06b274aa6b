package sort

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/apps"
	"github.com/activepebbles/pebbles/apps/appstest"
	"github.com/activepebbles/pebbles/internal/seeds"
	"github.com/activepebbles/pebbles/pebble"
)

// gnu returns the output of GNU sort for a file.
func gnu(t *testing.T, path string, flags ...string) string {
	t.Helper()
	version, err := exec.Command("sort", "--version").Output()
	if err != nil || !strings.Contains(string(version), "GNU coreutils") {
		t.Skip("needs GNU sort, which is not installed")
	}
	command := exec.Command("sort", append(flags, path)...)
	command.Env = append(os.Environ(), "LC_ALL=C")
	text, err := command.Output()
	require.NoError(t, err)
	return string(text)
}

// linesOf makes lines of fields. Many fields are equal, or are the same number in another form.
func linesOf(random *rand.Rand, n int, fields []string) string {
	var b strings.Builder
	for range n {
		for i := range random.IntN(4) {
			b.WriteString(strings.Repeat(" ", min(i, 1+random.IntN(2))))
			b.WriteString(fields[random.IntN(len(fields))])
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// Lines are sorted as by GNU sort, with all flags that both have.
func TestGNUSort(t *testing.T) {
	random := rand.New(rand.NewPCG(seeds.Of(t), 0))
	words := []string{"a", "b", "B", "ab", "\xff", "a\x00", "\x00", "~", "10", "9", "\t"}
	numbers := []string{"1", "01", "-1", "1.0", "1e0", "10", "9", "-2.5e-3", ".5", "+7", "inf", "-INF", "0x10", "16",
		"3km", "1e400", "18446744073709551615", "18446744073709551614", "-0", "0", "1e-3"}
	texts := append([]string{"x", "-", "~"}, numbers...) // of two NaN either may be first
	turn := 0
	for _, c := range []struct {
		Config
		flags  string
		fields []string
	}{
		{Config{}, "", words}, {Config{Reverse: true}, "-r", words}, {Config{Unique: true}, "-u", words},
		{Config{Reverse: true, Unique: true}, "-r -u", words},
		{Config{Column: "2"}, "-b -k 2,2", words}, {Config{Column: "1", Reverse: true}, "-b -k 1,1 -r", words},
		{Config{Column: "2", Unique: true}, "-b -k 2,2 -u", words},
		{Config{Column: "3", Unique: true, Reverse: true}, "-b -k 3,3 -u -r", words},
		{Config{Numeric: true, Reverse: true}, "-g -r", texts},
		{Config{Column: "2", Numeric: true, Reverse: true}, "-g -r -k 2,2", texts},
		{Config{Column: "2", Numeric: true, Reverse: true, Unique: true}, "-g -r -u -k 2,2", texts},
		{Config{Numeric: true}, "-g", numbers}, {Config{Numeric: true, Unique: true}, "-g -u", numbers},
	} {
		text := linesOf(random, 500, c.fields)
		if c.Numeric && !c.Reverse { // GNU sort puts texts first
			text = strings.ReplaceAll("\n"+text, "\n\n", "\n0\n")[1:]
			text = strings.ReplaceAll(text, "\n\n", "\n0\n")
		}
		c.Files = []string{appstest.Write(t, "lines", text)}
		want := gnu(t, c.Files[0], strings.Fields(c.flags)...)
		for _, ranks := range []int{1, 2, 4, 7} {
			if turn++; turn%3 == 0 {
				c.Space.Memory = little
			}
			require.True(t, want == sorted(t, ranks, c.Config), "sort %s, %d ranks", c.flags, ranks)
		}
	}
}

// Public data, by lines and by a field of numbers.
func TestGNUSortOfPublicData(t *testing.T) {
	path := appstest.Data(t, "primaryschool.csv.gz")
	plain := filepath.Join(t.TempDir(), "plain")
	text, err := exec.Command("gzip", "-dc", path).Output()
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(plain, text, 0o600))
	c := Config{Input: apps.Input{Files: []string{plain}}, Column: "3", Numeric: true, Reverse: true}
	require.Equal(t, gnu(t, plain, "-g", "-r", "-k", "3,3"), sorted(t, 3, c))
}

// Rows of tables keep their columns and types. They are in the order of a column, and of the files for equal values.
func TestTables(t *testing.T) {
	csv := "id,name\n10,b\n9,\n010,a\n-1,\"x,y\"\n9,z\nnan,n\n"
	json := `{"id":10,"name":"b"}` + "\n" + `{"id":9.5}` + "\n" + `{"id":"t","name":"c"}` + "\n"
	for i, c := range []struct {
		Config
		from, text, to, want string
	}{
		{Config{Column: "id"}, "a.csv", csv, "b.csv", "id,name\n-1,\"x,y\"\n010,a\n10,b\n9,\n9,z\nnan,n\n"},
		{Config{Column: "id", Numeric: true}, "a.csv", csv, "b.tsv", "id\tname\n-1\tx,y\n9\t\n9\tz\n10\tb\n010\ta\nnan\tn\n"},
		{Config{Column: "1", Numeric: true, Reverse: true, Unique: true}, "a.csv", csv, "b.csv",
			"id,name\n10,b\n9,\n-1,\"x,y\"\nnan,n\n"},
		{Config{Column: "name", Reverse: true}, "a.csv", csv, "b.csv", "id,name\n9,z\n-1,\"x,y\"\nnan,n\n10,b\n010,a\n9,\n"},
		{Config{Column: "id"}, "a.jsonl", json, "b.csv", "id,name\n9.5,\n10,b\nt,c\n"},
		{Config{Column: "id", Reverse: true}, "a.jsonl", json, "b.csv", "id,name\nt,c\n10,b\n9.5,\n"},
		{Config{Column: "id", Numeric: true}, "a.jsonl", strings.Replace(json, `"t"`, "7", 1), "b.jsonl",
			`{"id":7,"name":"c"}` + "\n" + `{"id":9.5,"name":null}` + "\n" + `{"id":10,"name":"b"}` + "\n"},
	} {
		c.Files = []string{appstest.Write(t, c.from, c.text)}
		for _, ranks := range []int{1, 2, 4, 7} {
			c.Output.Path = filepath.Join(t.TempDir(), c.to)
			for _, result := range appstest.All(t, appstest.Mem(ranks), Run, c.Config) {
				require.Zero(t, result.Errors, result.Wrong)
				require.Equal(t, "rows", result.Of)
			}
			got, err := os.ReadFile(c.Output.Path)
			require.NoError(t, err)
			require.Equal(t, c.want, string(got), "%d, %d ranks", i, ranks)
		}
	}
}

// Numbers and lines become a column of a table if the output's name is that of a table.
func TestColumnOfOutput(t *testing.T) {
	for name, want := range map[string]string{
		"a.jsonl": `{"line":"a\"b"}` + "\n" + `{"line":"b"}` + "\n", "a.csv": "a\"b\nb\n", "a.txt": "a\"b\nb\n",
	} {
		c := file(t, "b\na\"b\n")
		c.Output.Path = filepath.Join(t.TempDir(), name)
		appstest.All(t, appstest.Mem(2), Run, c)
		got, err := os.ReadFile(c.Output.Path)
		require.NoError(t, err)
		require.Equal(t, want, string(got))
	}
	c := Config{Numbers: 3, Common: to(filepath.Join(t.TempDir(), "n.csv"), false)}
	appstest.All(t, appstest.Mem(2), Run, c)
	got, err := os.ReadFile(c.Output.Path)
	require.NoError(t, err)
	want := "number\n"
	for _, n := range Serial(c) {
		want += strconv.FormatUint(n, 10) + "\n"
	}
	require.Equal(t, want, string(got))
}

// An error about a key names the existing columns.
func TestMistakesOfKeys(t *testing.T) {
	csv := appstest.Write(t, "a.csv", "id,name\n1,2\n")
	for says, c := range map[string]Config{
		`no column "3"; the table has ["id" "name"]`: {Input: apps.Input{Files: []string{csv}}, Column: "3"},
		`column "name" of the lines of `: {Input: apps.Input{Files: []string{appstest.Write(t, "a.txt", "x")}},
			Column: "name"},
		"the extension does not name a format": {Input: apps.Input{Files: []string{csv}}, Column: "id",
			Common: to(filepath.Join(t.TempDir(), "a.txt"), false)},
	} {
		_, err := appstest.Results(t, pebble.Config{Ranks: 2}, Run, c)
		require.ErrorContains(t, err, says)
	}
	require.ErrorContains(t, Config{Column: "x"}.Check(1), "name files for another order")
	require.Contains(t, fmt.Sprint(Result{Count: 3, Kept: 2}.Rows()), "2 with different keys")
}
