package suite

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/lab"
)

var all = []string{"mem", "shm", "tcp", "auto"}

// names returns all cases by name.
func names(groups []lab.Group) map[string]lab.Case {
	rows := map[string]lab.Case{}
	for _, g := range groups {
		for _, c := range g.Cases {
			rows[c.Name] = c
		}
	}
	return rows
}

// The suite is valid, quick or not, for all sets of transports.
func TestSuite(t *testing.T) {
	for _, transports := range [][]string{nil, {"mem", "tcp", "auto"}, all} {
		for _, quick := range []bool{false, true} {
			groups := Groups(Options{Program: "pebbles", Quick: quick, Transports: transports})
			require.NoError(t, lab.Check(groups))
			for _, g := range groups {
				require.NotEmpty(t, g.About, g.Name)
				for _, c := range g.Cases {
					require.NotContains(t, c.Line, "%!")
					require.NotContains(t, c.Name, "%!")
					require.Equal(t, strings.Contains(c.Line, "pebbles-lab limit "), c.Limit(), c.Name)
				}
			}
		}
	}
}

// A transport that the program offers has rows; others have none.
func TestTransports(t *testing.T) {
	count := func(groups []lab.Group, transport string) (n int) {
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
	require.Equal(t, "limit-ring, messages of 64 KiB", rows["all-to-all of 32-byte items, 2 ranks, shm"].Against)
	require.NotEmpty(t, rows["RandomAccess, 2^22 words a rank, 2 ranks, HPCC's rule"].Work)
	require.Equal(t, rows["RandomAccess, 2^22 words a rank, 2 ranks, HPCC's rule"].Work,
		rows["RandomAccess, 2^22 words a rank, 2 processes over shm, 4,096 a buffer"].Work)
}

// Every measurement over TCP also has a row over shared memory, except those that are specific to TCP.
func TestSharedMemoryBesideTCP(t *testing.T) {
	alone := map[string]bool{"Credits": true}
	for _, g := range Groups(Options{Program: "pebbles", Transports: all}) {
		lines := map[string]bool{}
		for _, c := range g.Cases {
			lines[c.Line] = true
		}
		for line := range lines {
			// they are shorter over TCP, where they take longer
			fewer := strings.Contains(line, "epochs") || strings.Contains(line, "pointerchase")
			if strings.Contains(line, "--transport tcp") && !fewer && !alone[g.Name] {
				require.Contains(t, lines, strings.Replace(line, "--transport tcp", "--transport shm", 1))
			}
		}
	}
}

// The curves of the crossover have points at the same ranks, do the same work, and differ in topology and buffers.
func TestCrossover(t *testing.T) {
	groups, err := lab.Matching(Groups(Options{Program: "pebbles", Transports: all}), "^Crossover$")
	require.NoError(t, err)
	at := map[string][]float64{}
	for _, c := range groups[0].Cases {
		at[c.Point.Curve] = append(at[c.Point.Curve], c.Point.At)
		require.Equal(t, "updates", c.Work)
		require.Contains(t, c.Line, fmt.Sprintf("--ranks %.0f --topology %s", c.Point.At,
			strings.Split(c.Point.Curve, ",")[0]))
		require.Equal(t, strings.HasSuffix(c.Point.Curve, "1,024 a buffer"),
			strings.Contains(c.Line, "--coalesce 1024"), c.Line)
		log2 := regexp.MustCompile(`--log2-words (\d+)`).FindStringSubmatch(c.Line)[1]
		require.Equal(t, map[float64]string{8: "19", 16: "18", 64: "16"}[c.Point.At], log2, "tables of one size")
	}
	require.Len(t, at, 4)
	for _, ranks := range at {
		require.Equal(t, []float64{8, 16, 64}, ranks)
	}
}

// Resident memory is measured relative to the tables of a process.
func TestMemory(t *testing.T) {
	rows := names(Groups(Options{Program: "pebbles", Transports: all}))
	require.InEpsilon(t, 1, rows["RandomAccess, 2^25 words a rank, 2 ranks, resident"].Scale*(512<<20), 1e-9)
	require.InEpsilon(t, 1, rows["RandomAccess, 2^25 words a rank, 2 processes over shm, resident"].Scale*(256<<20),
		1e-9)
}

// The baseline is the same in a quick suite, on one core, and compares counters.
func TestBaseline(t *testing.T) {
	full, err := lab.Matching(Groups(Options{Program: "pebbles"}), "^"+Baseline+"$")
	require.NoError(t, err)
	quick, err := lab.Matching(Groups(Options{Program: "pebbles", Quick: true, Transports: all}), "^"+Baseline+"$")
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

// referred returns the names that a document refers to, as row `NAME`.
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
