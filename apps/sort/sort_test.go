package sort

import (
	"bytes"
	"fmt"
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
	"github.com/activepebbles/pebbles/internal/seeds"
	"github.com/activepebbles/pebbles/pebble"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// little is memory for few rows.
const little = 4096

// Sorted numbers are those of the serial twin, wherever they are sorted and whether they have room in memory or not.
func TestNumbersEverywhere(t *testing.T) {
	seed := seeds.Of(t)
	for name, c := range map[string]Config{
		"all differ":    {Numbers: 3000, Common: apps.Common{Seed: seed}},
		"few differ":    {Numbers: 3000, Distinct: 3, Common: apps.Common{Seed: seed}},
		"all are equal": {Numbers: 3000, Distinct: 1, Common: apps.Common{Seed: seed}},
		"one":           {Numbers: 1, Common: apps.Common{Seed: seed}},
		"spilled": {Numbers: 3000, Common: apps.Common{Seed: seed}, Space: container.Space{Memory: little,
			Scratch: t.TempDir()}},
		"spilled and equal": {Numbers: 3000, Distinct: 1, Common: apps.Common{Seed: seed},
			Space: container.Space{Memory: little}},
	} {
		var want []byte
		for _, number := range Serial(c) {
			want = append(strconv.AppendUint(want, number, 10), '\n')
		}
		t.Run(name, func(t *testing.T) { everywhere(t, c, want) })
	}
}

// everywhere sorts everywhere, and compares the output and the results of all ranks.
func everywhere(t *testing.T, c Config, want []byte) {
	appstest.Everywhere(t, func(t *testing.T, ranks int) (func(r *pebble.Rank) error, func(t *testing.T)) {
		c := c
		c.Output = filepath.Join(t.TempDir(), "sorted")
		results := make([]Result, ranks)
		return func(r *pebble.Rank) (err error) {
				results[r.ID()], err = Run(r, c)
				return err
			}, func(t *testing.T) {
				got, err := os.ReadFile(c.Output)
				require.NoError(t, err)
				require.True(t, bytes.Equal(want, got), "%d bytes in place of %d", len(got), len(want))
				for _, result := range results {
					require.Zero(t, result.Errors, result.Wrong)
					require.EqualValues(t, bytes.Count(want, []byte{'\n'}), result.Count)
					require.Equal(t, len(want), int(result.Written))
					require.Equal(t, results[0].Checksum, result.Checksum)
					require.Equal(t, c.Space.Memory > 0, result.Runs > 0)
					require.Equal(t, result.Runs > 0, result.SpilledBytes > 0)
					if result.Count > 1000 && c.Distinct != 3 { // of which ranks get one each
						require.InDelta(t, 1, result.Fullest, 0.5)
					}
				}
			}
	})
}

// Lines of files are in the order of their bytes. Odd ones are empty, equal, long, or have bytes that are no text.
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

// What ends lines is not of them, and the last line needs no end.
func TestEndsOfLines(t *testing.T) {
	c := Config{Files: []string{appstest.Write(t, "dos", "b\r\na\r\n\r\nc")}, Output: filepath.Join(t.TempDir(), "sorted")}
	_, err := appstest.Results(t, pebble.Config{Ranks: 3}, Run, c)
	require.NoError(t, err)
	got, err := os.ReadFile(c.Output)
	require.NoError(t, err)
	require.Equal(t, "\na\nb\nc\n", string(got))
}

// Numbers of files are in the order of their values, and what is none is told with its line.
func TestNumeric(t *testing.T) {
	c := Config{
		Files:   []string{appstest.Write(t, "numbers", "10\n9\r\n18446744073709551615\n0\n9")},
		Numeric: true, Output: filepath.Join(t.TempDir(), "sorted"),
	}
	for _, ranks := range []int{1, 3} {
		c.Replace = ranks > 1
		results := appstest.All(t, appstest.Mem(ranks), Run, c)
		require.Equal(t, "numbers", results[0].Of)
		got, err := os.ReadFile(c.Output)
		require.NoError(t, err)
		require.Equal(t, "0\n9\n9\n10\n18446744073709551615\n", string(got))
	}
	for content, says := range map[string]string{
		"1\nx\n": `: line 2: strconv.ParseUint: parsing "x": invalid syntax`, "1\n\n": "line 2", "-1": "line 1",
		"18446744073709551616": "line 1: strconv.ParseUint: parsing \"18446744073709551616\": value out of range",
	} {
		bad := Config{Files: []string{appstest.Write(t, "bad", content)}, Numeric: true}
		_, err := appstest.Results(t, pebble.Config{Ranks: 2}, Run, bad)
		require.ErrorContains(t, err, says)
	}
}

// The numbers and their checksum do not depend on the ranks, but on the seed.
func TestSeed(t *testing.T) {
	of := func(ranks int, seed uint64) string {
		return appstest.All(t, appstest.Mem(ranks), Run, Config{Numbers: 1000, Common: apps.Common{Seed: seed}})[0].Checksum
	}
	require.Equal(t, of(1, 5), of(3, 5))
	require.NotEqual(t, of(1, 5), of(1, 6))
}

// Nothing is left of an output when the job fails, or the check finds something wrong.
func TestMistakes(t *testing.T) {
	there := appstest.Write(t, "there", "before")
	for says, c := range map[string]Config{
		"1 files, and numbers: give one or the other": {Files: []string{there}, Numbers: 3},
		"numbers: give 17592186044416 at most":        {Numbers: 1 << 45},
		"numbers are made, without files":             {Numeric: true},
		"rows have -1 bytes of memory":                {Space: container.Space{Memory: -1}},
		"name an output":                              {Replace: true},
		"nosuch":                                      {Files: []string{filepath.Join(t.TempDir(), "nosuch")}},
		"it exists already":                           {Numbers: 10, Output: there},
		"no such file or directory: name a folder": {Numbers: 5000, Space: container.Space{Memory: little,
			Scratch: "/nosuch"}},
	} {
		_, err := appstest.Results(t, pebble.Config{Ranks: 2}, Run, c)
		require.ErrorContains(t, err, says)
	}
	left, err := os.ReadDir(filepath.Dir(there))
	require.NoError(t, err)
	require.Len(t, left, 1)
	_, err = appstest.Results(t, pebble.Config{Ranks: 2}, Run, Config{Numbers: 1, Output: there, Replace: true})
	require.NoError(t, err)
}

// Each rule bites: rows that are out of order, lost, doubled or changed are found, and are not written.
func TestEachRule(t *testing.T) {
	for says, spoil := range map[string]func(s *sorter[uint64]){
		"": func(*sorter[uint64]) {},
		"2 rows are wrong: they come before the one ahead of them": func(s *sorter[uint64]) { s.disorder++ },
		"1 ranks are wrong": func(s *sorter[uint64]) {
			s.edges = []uint64{uint64(9 - s.rank.ID()), uint64(9 - s.rank.ID())}
		},
		"2 rows are wrong: they were lost or doubled": func(s *sorter[uint64]) { s.after.Count++ },
		"1 checksum went wrong":                       func(s *sorter[uint64]) { s.after.Sum++ },
	} {
		t.Run(says, func(t *testing.T) {
			require.NoError(t, appstest.Mem(2).Run(t, func(r *pebble.Rank) error {
				s := &sorter[uint64]{rank: r, edges: []uint64{uint64(r.ID())}}
				s.edges = append(s.edges, s.edges[0])
				spoil(s)
				s.table = container.NewTable[uint64](r, "rows", container.Space{})
				var result Result
				before, after, err := s.total(&result)
				if err == nil {
					err = s.judge(&result, before, after)
				}
				if wrong := fmt.Sprint(result.Wrong); err == nil {
					require.Contains(t, wrong, says)
					require.Equal(t, says == "", result.Errors == 0)
				}
				return err
			}))
		})
	}
}

func TestProgress(t *testing.T) {
	told := appstest.Told(t, 2, 3*progressEvery, func(r *pebble.Rank, told apps.Progress) error {
		Config{Numbers: 6 * progressEvery, Distinct: 1, Common: apps.Common{Progress: told}}.loadNumbers(r, func(uint64) {})
		return nil
	})
	require.Len(t, told, 3)
}
