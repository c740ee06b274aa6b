package suite

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/internal/benchmark"
)

var all = []string{"mem", "shm", "tcp", "auto"}

// names are those of all rows.
func names(groups []benchmark.Group) map[string]benchmark.Case {
	rows := map[string]benchmark.Case{}
	for _, g := range groups {
		for _, c := range g.Cases {
			rows[c.Name] = c
		}
	}
	return rows
}

// The suite can be run, quick or not, whatever transports there are.
func TestSuite(t *testing.T) {
	for _, transports := range [][]string{nil, {"mem", "tcp", "auto"}, all} {
		for _, quick := range []bool{false, true} {
			groups := Groups(Options{Program: "pebbles", Quick: quick, Transports: transports})
			require.NoError(t, benchmark.Check(groups))
			for _, g := range groups {
				require.NotEmpty(t, g.About, g.Name)
				for _, c := range g.Cases {
					require.NotContains(t, c.Line, "%!")
					require.NotContains(t, c.Name, "%!")
				}
			}
		}
	}
}

// A transport that the program offers has rows, and one that it does not has none.
func TestTransports(t *testing.T) {
	count := func(groups []benchmark.Group, transport string) (n int) {
		for _, c := range names(groups) {
			if strings.Contains(c.Line, "--transport "+transport) {
				n++
			}
		}
		return n
	}
	with := Groups(Options{Program: "pebbles", Transports: all})
	require.Greater(t, count(with, "shm"), 8)
	require.Greater(t, count(with, "tcp"), 8)
	require.Zero(t, count(Groups(Options{Program: "pebbles", Transports: []string{"mem", "tcp"}}), "shm"))
	rows := names(with)
	require.Equal(t, "limit-ring, ping-pong", rows["PointerChase, 2 ranks, shm"].Against)
	require.Equal(t, rows["RandomAccess, 2 ranks, HPCC's rule"].Work, rows["RandomAccess, 2 processes over shm, HPCC's rule"].Work)
}

// The baseline is the same in a quick suite, on one core, and compares counters.
func TestBaseline(t *testing.T) {
	full, err := benchmark.Matching(Groups(Options{Program: "pebbles"}), "^"+Baseline+"$")
	require.NoError(t, err)
	quick, err := benchmark.Matching(Groups(Options{Program: "pebbles", Quick: true, Transports: all}), "^"+Baseline+"$")
	require.NoError(t, err)
	require.Equal(t, full, quick)
	for _, c := range full[0].Cases {
		require.Equal(t, []string{"GOMAXPROCS=1"}, c.Env)
		require.True(t, c.PerCPU)
		require.Contains(t, c.Exact, c.Field)
		if !c.Limit() {
			require.Contains(t, c.Exact, "counters.pebbles_handled", c.Name)
			require.NotEmpty(t, c.Against, c.Name)
		}
	}
}

var row = regexp.MustCompile("rows? (`[^`]+`(?:(?:,| and)\\s+`[^`]+`)*)")

// referred are the names that a document refers to, as row `NAME`.
func referred(document string) (names []string) {
	for _, found := range row.FindAllStringSubmatch(document, -1) {
		for i, name := range strings.Split(found[1], "`") {
			if i%2 == 1 {
				names = append(names, strings.Join(strings.Fields(name), " "))
			}
		}
	}
	return names
}

// Rows of the measurements that documents refer to are measured.
func TestRowsThatDocumentsReferTo(t *testing.T) {
	require.Equal(t, []string{"a b", "c", "d"}, referred("see row `a\nb` and rows `c`, `d`. `e`"))
	known := names(Groups(Options{Program: "pebbles", Transports: []string{"mem", "tcp"}}))
	files, err := filepath.Glob("../../docs/*.md")
	require.NoError(t, err)
	found := 0
	for _, file := range append(files, "../../README.md") {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		for _, name := range referred(string(text)) {
			require.Contains(t, known, name, "%s refers to a row that is not measured", file)
			found++
		}
	}
	require.Greater(t, found, 5)
}
