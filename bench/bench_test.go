package main

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Every row has a name of its own, and a table has rows.
func TestFigures(t *testing.T) {
	seen := map[string]bool{}
	for _, g := range figures("pebbles", 22) {
		require.NotEmpty(t, g.series, g.name)
		require.NotEmpty(t, g.about, g.name)
		for _, s := range g.series {
			require.False(t, seen[s.name], "two rows are called %q", s.name)
			seen[s.name] = true
			require.NotContains(t, s.command, "%!")
		}
	}
}

var row = regexp.MustCompile("rows? (`[^`]+`(?:(?:,| and)\\s+`[^`]+`)*)")

// rows are the names that a document refers to, as row `NAME`.
func rows(document string) (names []string) {
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
	require.Equal(t, []string{"a b", "c", "d"}, rows("see row `a\nb` and rows `c`, `d`. `e`"))
	known := map[string]bool{}
	for _, g := range figures("pebbles", 22) {
		for _, s := range g.series {
			known[s.name] = true
		}
	}
	files, err := filepath.Glob("../docs/*.md")
	require.NoError(t, err)
	found := 0
	for _, file := range append(files, "../README.md") {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		for _, name := range rows(string(text)) {
			require.True(t, known[name], "%s refers to row %q, which is not measured", file, name)
			found++
		}
	}
	require.Positive(t, found)
}

func TestMatching(t *testing.T) {
	all := []group{
		{name: "one", series: []*series{{name: "a"}, {name: "b"}}},
		{name: "two", series: []*series{{name: "b c"}}},
	}
	for only, want := range map[string]string{"": "a b b c", "one": "a b", "^b": "b b c", "two|a": "a b c"} {
		some, err := matching(all, only)
		require.NoError(t, err)
		var names []string
		for _, g := range some {
			for _, s := range g.series {
				names = append(names, s.name)
			}
		}
		require.Equal(t, want, strings.Join(names, " "), only)
	}
	_, err := matching(all, "x")
	require.ErrorContains(t, err, "no row")
	_, err = matching(all, "(")
	require.Error(t, err)
}

func TestAPartIsNotWritten(t *testing.T) {
	require.NoError(t, options{repeats: 7, log2: 22, write: true}.check())
	require.NoError(t, options{repeats: 1, log2: 12, only: "x"}.check())
	require.ErrorContains(t, options{repeats: 1, log2: 12, only: "x", write: true}.check(), "-only")
	require.Error(t, options{repeats: 0, log2: 12}.check())
	require.Error(t, options{repeats: 1, log2: 60}.check())
}

func TestReport(t *testing.T) {
	base := &series{name: "base", unit: "M/s", values: []float64{4, 1, 2}}
	other := &series{name: "other", unit: "M/s", values: []float64{1, 1, 1}, command: "pebbles x"}
	third := &series{name: "third", unit: "M/s", values: []float64{3, 3, 3}, against: other}
	fourth := &series{name: "fourth", unit: "µs", values: []float64{3, 3, 3}}
	all := []group{{"G", "About G.", []*series{base, other, third, fourth}}}
	page := report(all, options{repeats: 3, log2: 22})
	require.Contains(t, page, "go run ./bench -write -repeats 3 -log2-words 22`")
	require.Contains(t, page, "## G\n\nAbout G.\n")
	require.Contains(t, page, "| base | 2 | 1 | 4 | M/s | 1.00 |  |\n")
	require.Contains(t, page, "| other | 1 | 1 | 1 | M/s | 0.50 | `pebbles x` |\n")
	require.Contains(t, page, "| third | 3 | 3 | 3 | M/s | 3.00 |  |\n")
	require.Contains(t, page, "| fourth | 3 | 3 | 3 | µs |  |  |\n")
	base.values = nil
	require.Empty(t, all[0].share(other), "the row it is held against was not measured")
}

// Epochs are right for each detector; a wrong count ends the measurement.
func TestEpochs(t *testing.T) {
	for _, detector := range []string{"skr", "nbx", "pcx", "pcx-neighbors", "ordered"} {
		micros, err := epochs{ranks: 5, topology: "hypercube", detector: detector, pebbles: 1, count: 50}.measure()
		require.NoError(t, err)
		require.Positive(t, micros)
	}
	_, err := epochs{ranks: 2, topology: "ring", detector: "ordered", count: 1}.measure()
	require.ErrorContains(t, err, "ordered needs a topology whose links have stages")
}

func TestAWrongAnswerEndsTheMeasurement(t *testing.T) {
	for text, why := range map[string]string{
		`{"errors": 0, "rate": 2}`: "",
		`{"errors": 1, "rate": 2}`: "errors are 1",
		`{"rate": 2}`:              "errors are <nil>",
		`{"errors": 0}`:            `"rate" is <nil>`,
		`no JSON`:                  "read its result",
	} {
		name := filepath.Join(t.TempDir(), "app")
		require.NoError(t, os.WriteFile(name, []byte("#!/bin/sh\necho '"+text+"'\n"), 0o700))
		v, err := app(name, "x", "M/s", "rate", 10, "a b").measure()
		if why == "" {
			require.NoError(t, err)
			require.Equal(t, 20.0, v)
			continue
		}
		require.ErrorContains(t, err, why)
	}
	failing := &series{name: "x", measure: func() (float64, error) { return 0, errors.New("wrong") }}
	require.ErrorContains(t, run([]group{{"G", "", []*series{failing}}}, 2), "wrong")
}
