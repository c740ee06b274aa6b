package sort

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/activepebbles/pebbles/apps"
	"github.com/activepebbles/pebbles/apps/appstest"
	"github.com/activepebbles/pebbles/container"
	"github.com/activepebbles/pebbles/ingest"
	"github.com/activepebbles/pebbles/internal/leaks"
	"github.com/activepebbles/pebbles/internal/seeds"
	"github.com/activepebbles/pebbles/pebble"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(leaks.Main(m)) }

// little is a memory limit for few rows.
const little = 4096

// Sorted numbers equal those of the serial twin, on all transports, whether or not they fit in memory.
func TestNumbersEverywhere(t *testing.T) {
	seed := seeds.Of(t)
	for name, c := range map[string]Config{
		"all differ":    {Numbers: 3000, Common: apps.Common{Seed: seed}},
		"few differ":    {Numbers: 3000, Distinct: 3, Common: apps.Common{Seed: seed}},
		"all are equal": {Numbers: 3000, Distinct: 1, Common: apps.Common{Seed: seed}},
		"one":           {Numbers: 1, Common: apps.Common{Seed: seed}},
		"spilled": {Numbers: 3000, Common: apps.Common{Seed: seed}, Space: container.Budget{Memory: little,
			Scratch: t.TempDir()}},
		"spilled and equal": {Numbers: 3000, Distinct: 1, Common: apps.Common{Seed: seed},
			Space: container.Budget{Memory: little}},
	} {
		var want []byte
		for _, number := range Serial(c) {
			want = append(strconv.AppendUint(want, number, 10), '\n')
		}
		t.Run(name, func(t *testing.T) { everywhere(t, c, want) })
	}
}

// everywhere sorts on all transports, and compares the output and the results of all ranks.
func everywhere(t *testing.T, c Config, want []byte) {
	appstest.Everywhere(t, func(t *testing.T, ranks int) (func(r *pebble.Rank) error, func(t *testing.T)) {
		c := c
		c.Output.Path = filepath.Join(t.TempDir(), "sorted")
		results := make([]Result, ranks)
		return func(r *pebble.Rank) (err error) {
				results[r.ID()], err = Run(r, c)
				return err
			}, func(t *testing.T) {
				got, err := os.ReadFile(c.Output.Path)
				require.NoError(t, err)
				require.True(t, bytes.Equal(want, got), "%d bytes in place of %d", len(got), len(want))
				for _, result := range results {
					require.Zero(t, result.Errors, result.Wrong)
					require.EqualValues(t, bytes.Count(want, []byte{'\n'}), result.Count)
					require.Equal(t, len(want), int(result.Written))
					require.Equal(t, results[0].Checksum, result.Checksum)
					require.Equal(t, c.Space.Memory > 0, result.Runs > 0)
					require.Equal(t, result.Runs > 0, result.SpilledBytes > 0)
					if result.Count > 1000 && c.Distinct != 3 { // with 3 keys the ranks get one each
						require.InDelta(t, 1, result.Fullest, 0.5)
					}
				}
			}
	})
}

// Lines of files are in the order of their bytes. Odd ones are empty, equal, long, or not text.
func TestLinesEverywhere(t *testing.T) {
	seed := seeds.Of(t)
	random := rand.New(rand.NewPCG(seed, 0))
	var many [][]byte
	for range 3000 {
		line := make([]byte, random.IntN(20))
		for i := range line {
			line[i] = "\x00\x01 AaZ~\x7f\x80\xff"[random.IntN(10)]
		}
		many = append(many, line)
	}
	many = append(many, bytes.Repeat([]byte{'x'}, 100_000))
	for name, files := range map[string][][][]byte{
		"many":           {many[:1000], many[1000:]},
		"equal ones":     {slices.Repeat([][]byte{[]byte("the same")}, 2000)},
		"empty ones":     {slices.Repeat([][]byte{nil}, 100)},
		"one":            {{[]byte("alone")}},
		"an empty file":  {nil},
		"an empty and b": {nil, {[]byte("b"), []byte("a")}},
	} {
		folder, c := t.TempDir(), Config{}
		for i, lines := range files {
			c.Files = append(c.Files, filepath.Join(folder, strconv.Itoa(i)))
			require.NoError(t, os.WriteFile(c.Files[i], joined(lines), 0o666))
		}
		want := slices.Concat(files...)
		slices.SortFunc(want, bytes.Compare)
		t.Run(name, func(t *testing.T) { everywhere(t, c, joined(want)) })
		if c.Space.Memory = little; name == "many" {
			t.Run(name+", spilled", func(t *testing.T) { everywhere(t, c, joined(want)) })
		}
	}
}

func joined(lines [][]byte) (all []byte) {
	for _, line := range lines {
		all = append(append(all, line...), '\n')
	}
	return all
}

// sorted returns the output of a run.
func sorted(t *testing.T, ranks int, c Config) string {
	c.Output.Path = filepath.Join(t.TempDir(), "sorted")
	for _, result := range appstest.All(t, appstest.Mem(ranks), Run, c) {
		require.Zero(t, result.Errors, result.Wrong)
	}
	got, err := os.ReadFile(c.Output.Path)
	require.NoError(t, err)
	return string(got)
}

// Line ends are not part of lines, and the last line needs none.
func TestEndsOfLines(t *testing.T) {
	require.Equal(t, "\na\nb\nc\n", sorted(t, 3, file(t, "b\r\na\r\n\r\nc")))
}

// file returns the configuration for a file with the given content.
func file(t *testing.T, content string) Config {
	return Config{Input: apps.Input{Files: []string{appstest.Write(t, "lines", content)}}}
}

// Numbers are in the order of their values, then NaN and texts, in either order of sorting.
func TestNumeric(t *testing.T) {
	c := file(t, "-1\n3.5\nx\n1e3\n-inf\n+2 m\nnan\n0\n18446744073709551616\n18446744073709551615\n\nInfinity")
	c.Numeric = true
	for _, ranks := range []int{1, 2, 4, 7} {
		c.Reverse = false
		require.Equal(t, "-inf\n-1\n0\n+2 m\n3.5\n1e3\n18446744073709551615\n18446744073709551616\nInfinity\nnan\n\nx\n",
			sorted(t, ranks, c))
		c.Reverse = true
		require.Equal(t, "Infinity\n18446744073709551616\n18446744073709551615\n1e3\n3.5\n+2 m\n0\n-1\n-inf\nnan\nx\n\n",
			sorted(t, ranks, c))
	}
}

// The numbers and their checksum depend on the seed, but not on the number of ranks.
func TestSeed(t *testing.T) {
	of := func(ranks int, seed uint64) string {
		return appstest.All(t, appstest.Mem(ranks), Run, Config{Numbers: 1000, Common: apps.Common{Seed: seed}})[0].Checksum
	}
	require.Equal(t, of(1, 5), of(3, 5))
	require.NotEqual(t, of(1, 5), of(1, 6))
}

// A job continues with the rows of a checkpoint, sorted or not, and writes the same file: of numbers, and of a table
// whose columns follow from all its rows, some of them unreadable.
func TestSortGoesOn(t *testing.T) {
	seed := seeds.Of(t)
	random := rand.New(rand.NewPCG(seed, 0))
	lines := "name,size\n"
	for i := range 2000 {
		lines += strconv.Itoa(random.IntN(500)) + "," + strconv.FormatFloat(random.NormFloat64(), 'g', 4, 64) + "\n"
		if i%500 == 99 {
			lines += "one field\n"
		}
	}
	path := appstest.Write(t, "rows.csv", lines)
	for name, c := range map[string]Config{
		"numbers": {Numbers: 3000, Common: apps.Common{Seed: seed}, Space: container.Budget{Memory: little}},
		"table":   {Input: apps.Input{Files: []string{path}, Lenient: true}, Column: "size", Numeric: true},
	} {
		t.Run(name, func(t *testing.T) {
			appstest.GoesOn(t, func(r *pebble.Rank, path string) error {
				c := c
				c.Output.Path = path
				got, err := Run(r, c)
				if want := int64(4); err == nil && c.Lenient && got.Skipped != want {
					err = fmt.Errorf("%d rows were left out, not %d", got.Skipped, want)
				}
				return err
			}, nil)
		})
	}
}

// No output remains when the job fails, or when the check finds a mistake.
func TestMistakes(t *testing.T) {
	there := appstest.Write(t, "there", "before")
	for says, c := range map[string]Config{
		"1 files, and numbers: give one or the other": {Input: apps.Input{Files: []string{there}}, Numbers: 3},
		"numbers: give 17592186044416 at most":        {Numbers: 1 << 45},
		"name files for another order":                {Numeric: true},
		"rows have -1 bytes of memory":                {Space: container.Budget{Memory: -1}},
		"name an output":                              {Common: apps.Common{Output: apps.Output{Replace: true}}},
		"nosuch":                                      {Input: apps.Input{Files: []string{there + "nosuch"}}},
		"it exists already":                           {Numbers: 10, Common: to(there, false)},
		"no such file or directory: name a writable folder": {Numbers: 5000, Space: container.Budget{Memory: little,
			Scratch: "/nosuch"}},
	} {
		_, err := appstest.Results(t, pebble.Config{Ranks: 2}, Run, c)
		require.ErrorContains(t, err, says)
	}
	left, err := os.ReadDir(filepath.Dir(there))
	require.NoError(t, err)
	require.Len(t, left, 1)
	_, err = appstest.Results(t, pebble.Config{Ranks: 2}, Run, Config{Numbers: 1, Common: to(there, true)})
	require.NoError(t, err)
}

// to returns the configuration of an output.
func to(path string, replace bool) apps.Common {
	return apps.Common{Output: apps.Output{Path: path, Replace: replace}}
}

// A number below the one before it is found, and nothing is written.
func TestNumbersAreReadOnceMore(t *testing.T) {
	for _, reverse := range []bool{false, true} {
		f := &runOfFiles{layout: layout{numeric: true, reverse: reverse}, last: math.NaN()}
		below := func(text string) bool { return f.below(string(f.line(nil, []byte(text), ingest.Place{}))) }
		require.False(t, below("1"))
		require.Equal(t, reverse, below("1.5"))
		require.Equal(t, !reverse, below("1"))
		require.False(t, below("x")) // it is not compared
		require.False(t, below("-1e300"))
	}
}

func TestProgress(t *testing.T) {
	told := appstest.Told(t, 2, 3*progressEvery, func(r *pebble.Rank, told apps.Progress) error {
		Config{Numbers: 6 * progressEvery, Distinct: 1, Common: apps.Common{Progress: told}}.loadNumbers(r, func(uint64) {})
		return nil
	})
	require.Len(t, told, 3)
}
