package command

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/apps/appstest"
)

// TestPictureOfContagion requires that the page's picture is the output of its command: a simulation has one result.
func TestPictureOfContagion(t *testing.T) {
	file := filepath.Join(t.TempDir(), "curve.svg")
	succeeds(t, "contagion", "--people", "20000", "--days", "100", "--curve", file, "--ranks", "3")
	got, err := os.ReadFile(file)
	require.NoError(t, err)
	want, err := os.ReadFile(filepath.Join("..", "..", "..", "docs", "pictures", "contagion.svg"))
	require.NoError(t, err)
	require.Equal(t, string(want), string(got), "docs/pictures/contagion.svg is out of date")
}

// TestContagionFiles requires that the command reproduces Loimos's own curve, to the line, and writes the same files
// from two processes as from one.
func TestContagionFiles(t *testing.T) {
	disease := appstest.Data(t, "loimos/covid19_onepath.textproto")
	want, err := os.ReadFile(appstest.Data(t, "loimos/test-syn.csv"))
	require.NoError(t, err)
	files := []string{"curve.csv", "curve.json", "curve.svg", "tree.csv"}
	var first []string
	for _, procs := range []string{"1", "2"} {
		folder := t.TempDir()
		in := func(name string) string { return filepath.Join(folder, name) }
		succeeds(t, "contagion", "--loimos", "--seed", "0", "--disease", disease, "--procs", procs, "--curve",
			in("curve.csv"),
			"--curve", in("curve.json"), "--curve", in("curve.svg"), "--curve", in("curve.avro"), "--infections", in("tree.csv"))
		var all []string
		for _, name := range files {
			text, err := os.ReadFile(in(name))
			require.NoError(t, err)
			require.NotEmpty(t, text)
			all = append(all, string(text))
		}
		require.Equal(t, string(want), all[0])
		if first == nil {
			first = all
		}
		require.Equal(t, first, all)
		require.FileExists(t, in("curve.avro"))
	}
	tree := filepath.Join(t.TempDir(), "tree.json")
	succeeds(t, "contagion", "--people", "300", "--days", "4", "--infections", tree)
	require.FileExists(t, tree)
}

// pagesLines are command lines of all programs on shared pages, of a few milliseconds each.
var pagesLines = []string{
	"pages barrier --rounds 3", "pages lock --rounds 3", "pages page --size 4 --rounds 2",
	"pages diff --size 4 --rounds 2",
	"pages jacobi --size 30 --rounds 3", "pages tsp --size 8 --rounds 2",
	"pages jacobi --size 30 --rounds 3 --by array",
}

// TestPages requires that programs on shared pages verify wherever they run, and print the counts of pages.
func TestPages(t *testing.T) {
	processes := []string{
		"--ranks 3 --procs 2 --transport tcp --page-size 64", "--ranks 4 --procs 2 --transport shm --copies",
	}
	for i, line := range pagesLines {
		t.Run(line, func(t *testing.T) {
			words := strings.Fields(line)
			program := words[1]
			for _, where := range []string{
				"--ranks 2", processes[i%2], "--ranks 3 --checked", "sim --ranks 7",
				"sim --ranks 4 --network odin --copies --page-cache 1MiB",
			} {
				o, _ := objectAt(t, words, where)
				own := []string{"pages_fetched", "twins", "diff_bytes", "lock_waits", "microseconds", "page_bytes", "copies", "by"}
				for _, f := range append(own, fields...) {
					require.Contains(t, o, f)
				}
				require.Equal(t, "pages-"+program, o["app"])
				require.Zero(t, o["errors"], where)
				require.Positive(t, o["microseconds"], where)
				if strings.Contains(where, "tcp") && line == pagesLines[4] {
					require.NotZero(t, o["pages_fetched"])
				}
				if strings.Contains(where, "copies") && program == "diff" {
					require.NotZero(t, o["twins"])
					require.NotZero(t, o["diff_bytes"])
				}
				if program == "lock" {
					require.Contains(t, o["cases"], "direct")
					require.Equal(t, fmt.Sprint(o["ranks"]) != "2", o["cases"].(map[string]any)["indirect"] != nil)
				}
			}
		})
	}
}

// objectAt returns the output of a command line at a place: with flags, or in a simulation with those after "sim ".
func objectAt(t *testing.T, line []string, where string) (o map[string]any, simulated bool) {
	t.Helper()
	flags, simulated := strings.CutPrefix(where, "sim ")
	all := with(line, strings.Fields(flags)...)
	if simulated {
		all = with([]string{"sim"}, all...)
	}
	return object(t, all...), simulated
}

// stressmarks are command lines of all stressmarks, of a few milliseconds each, with their fields.
var stressmarks = map[string][]string{
	"stressmark pointer --words 1000 --hops 50": {"words", "window", "hops", "ended",
		"seconds_per_hop"},
	"stressmark update --words 1000 --hops 50 --window 3 --stop 1": {"words", "window", "hops", "ended",
		"seconds_per_hop"},
	"stressmark neighborhood --side 30 --bits 7 --long 9": {"side", "bits", "pairs",
		"pairs_per_second", "textures"},
	"stressmark neighborhood --side 5 --short 2 --long 4 --lines 3 --bits 15": {"textures"},
}

// TestStressmarks requires that a stressmark finds the same wherever it runs, and counts near and remote accesses.
func TestStressmarks(t *testing.T) {
	processes := []string{"--ranks 2 --procs 2 --transport shm", "--ranks 3 --procs 2 --transport tcp"} // one per line
	for line, own := range stressmarks {
		t.Run(line, func(t *testing.T) {
			var texture, tokens any
			for _, where := range []string{
				"--ranks 1", "--ranks 2 --procs 1", "--ranks 3", "--ranks 4", "--ranks 7", processes[len(line)%2],
				"sim --ranks 1", "sim --ranks 4", "sim --ranks 7",
			} {
				o, sim := objectAt(t, strings.Fields(line), where)
				for _, f := range append(append(own, "near", "remote", "hits", "misses", "hit_rate", "address_cache"), fields...) {
					require.Contains(t, o, f)
				}
				require.LessOrEqual(t, o["hit_rate"], 1.0)
				require.Equal(t, "stressmark-"+strings.Fields(line)[1], o["app"])
				require.Contains(t, where, fmt.Sprint("--ranks ", o["ranks"]))
				require.Zero(t, o["errors"])
				require.NotZero(t, o["near"])
				switch {
				case !sim && !strings.Contains(where, "--procs 2"):
					require.Zero(t, o["remote"])
					require.Zero(t, o["misses"])
				case strings.Contains(where, "shm"):
					require.Equal(t, o["misses"], o["remote"])
				}
				if texture == nil {
					texture, tokens = o["textures"], o["tokens"]
				}
				require.Equal(t, texture, o["textures"])
				require.Equal(t, tokens, o["tokens"])
			}
		})
	}
	remote := object(t, strings.Fields("stressmark pointer --procs 2 --ranks 2 --transport tcp --stop 1 --hops 200")...)
	require.NotZero(t, remote["remote"])
}

// TestTablesOfGroups requires that groups of programs print tables and explain themselves like applications.
func TestTablesOfGroups(t *testing.T) {
	for _, group := range []struct {
		name, row string
		lines     []string
	}{
		{"pages", `(?m)^pages +\d+ fetched in \d+ transfers, of 4096 bytes$`, pagesLines},
		{"stressmark", `(?m)^accesses +\d+ near, 0 remote: 0.0 %$`, slices.Collect(maps.Keys(stressmarks))},
	} {
		for _, line := range group.lines {
			two := with(strings.Fields(line), "--ranks", "2")
			stdout := succeeds(t, two...)
			require.Regexp(t, `^`+group.name+`-\w+ +2 ranks in 1 process, mem transport`, stdout)
			require.Regexp(t, group.row, stdout)
			require.Regexp(t, `(?m)^verified +yes$`, stdout)
			require.Contains(t, succeeds(t, with(two, "--explain")...), "2 ranks in 1 process, mem transport\n")
		}
	}
	for line, says := range map[string]string{
		"pages": "jacobi", "stressmark": "neighborhood", "sim pages": "pebbles sim pages jacobi",
		"sim stressmark": "pebbles sim stressmark pointer --ranks 64",
	} {
		require.Contains(t, succeeds(t, strings.Fields(line)...), says)
	}
}

// TestStressmarkAddressCaches requires the same result with each size of the address cache, and counts of its hits.
func TestStressmarkAddressCaches(t *testing.T) {
	line := strings.Fields("stressmark pointer --words 1000 --hops 200 --stop 1 --ranks 4 --procs 4")
	for _, transport := range []string{"shm", "tcp"} {
		rates := map[string]float64{}
		for _, cache := range []string{"0", "1", "100"} {
			o := object(t, with(line, "--transport", transport, "--address-cache", cache)...)
			require.Zero(t, o["errors"])
			require.Equal(t, cache, fmt.Sprint(o["address_cache"]))
			rates[cache] = o["hit_rate"].(float64)
		}
		require.Zero(t, rates["0"])
		require.Greater(t, rates["1"], 0.1)
		require.Greater(t, rates["100"], 0.95)
	}
	require.Regexp(t, `(?m)^accesses .*; \d+ addresses were in the cache of 100, \d+ were not: \d+\.\d % hits$`,
		succeeds(t, strings.Fields("stressmark update --words 1000 --hops 50 --ranks 2 --procs 2 --transport tcp")...))
}

// TestPublicGraphs compares with known results for public graphs, one entry per root.
func TestPublicGraphs(t *testing.T) {
	for _, known := range []struct {
		file, roots          string
		reached, depths, sum []any
		flags                []string
	}{
		{"cnr-2000.el.gz", "--root 217849 --root 0", []any{325557., 311.}, []any{35., 8.}, []any{5426851., 1502.}, []string{
			"--mode level --procs 4 --transport tcp --topology hypercube", "--mode async --ranks 4",
		}},
		{"soc-Epinions1.txt.gz", "--root 0", []any{47676.}, []any{9.}, []any{170249.}, []string{
			"--mode level --ranks 2 --topology hypercube", "--mode async --ranks 5", "--mode direction --procs 2",
		}},
		{"wiki-Vote.txt.gz", "--root 30", []any{2316.}, []any{5.}, []any{6920.}, []string{
			"--mode level --ranks 3", "--mode async --procs 2", "--mode direction --ranks 5 --topology hypercube",
		}},
		{"road-NY.gr.gz", "--root 1", []any{264346.}, []any{619.}, []any{90771609.}, []string{"--mode level"}},
	} {
		for _, flags := range known.flags {
			t.Run(known.file+" "+flags, func(t *testing.T) {
				line := []string{"bfs", "--graph", appstest.Data(t, known.file)}
				o := object(t, with(line, strings.Fields(known.roots+" "+flags)...)...)
				require.EqualValues(t, 0, o["errors"])
				require.Equal(t, true, o["validated"])
				require.Equal(t, known.reached, o["reached"])
				require.Equal(t, known.depths, o["depths"])
				require.Equal(t, known.sum, o["distance_sums"])
			})
		}
	}
}

// TestOutputThatCannotBeWritten lets commands print onto a full disk in all ways.
func TestOutputThatCannotBeWritten(t *testing.T) {
	for _, line := range []string{
		"", "--help", "--version", "version", "help bfs", "bfs --help", "tune --help", "tune randomaccess --help",
		"completion bash",
		"completion --help", "__complete bfs --", "epochs --count 2", "epochs --count 2 --json", "epochs --count 2 --procs 2",
		"epochs --count 2 --explain", "epochs --count 2 --explain --json", "epochs --count 2 --procs 2 --explain",
		"sim epochs --count 2 --ranks 2 -q", "k8s --name a --image b -n 2", "k8s --dockerfile .",
		"run -n 1 -- " + binary + " version", "run -n 2 -- echo lost", "run -n 2 --prefix -- echo lost",
		"run -n 2 --no-prefix -- echo lost", "randomaccess --log2-words 10 --json", "randomaccess --log2-words 10 --quiet",
	} {
		t.Run(line, func(t *testing.T) {
			stderr := run.IntoFull(t, strings.Fields(line)...)
			if strings.HasPrefix(line, "randomaccess") {
				require.Contains(t, stderr, "write the result")
			}
		})
	}
}

// TestFilesThatCannotBeWritten lets commands write their other files onto a full disk.
func TestFilesThatCannotBeWritten(t *testing.T) {
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Skip("this system has no /dev/full")
	}
	fails(t, 1, strings.Fields("tune -q --runs 1 --out /dev/full epochs --count 2"), "/dev/full")
}

type broken struct{ left int }

func (b *broken) Write(text []byte) (int, error) {
	if b.left--; b.left < 0 {
		return 0, errors.New("it broke")
	}
	return len(text), nil
}

// TestChecked requires that the first error is kept even if later writes succeed.
func TestChecked(t *testing.T) {
	b := &broken{1}
	c := &checked{to: b}
	_, err := io.WriteString(c, "good")
	require.NoError(t, err)
	require.NoError(t, c.err)
	_, err = io.WriteString(c, "lost")
	require.EqualError(t, err, "it broke")
	b.left = 1
	_, err = io.WriteString(c, "good")
	require.NoError(t, err)
	require.EqualError(t, c.err, "it broke")
	require.Same(t, b, unchecked(&checked{to: c}))
}
