package graphtest

import (
	"encoding/csv"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// row is a vertex and a value, as text of a file.
type row struct{ vertex, value string }

func (w row) number(t *testing.T) float64 { return numberOf(t, w.value) }

func numberOf(t *testing.T, text string) float64 {
	t.Helper()
	number, err := strconv.ParseFloat(text, 64)
	require.NoError(t, err)
	return number
}

// readRows reads a column of a result.
func readRows(t *testing.T, name, column string) (rows []row) {
	t.Helper()
	file, err := os.Open(name)
	require.NoError(t, err)
	defer file.Close()
	records, err := csv.NewReader(file).ReadAll()
	require.NoError(t, err)
	vertex, value := slices.Index(records[0], "vertex"), slices.Index(records[0], column)
	for _, record := range records[1:] {
		rows = append(rows, row{record[vertex], record[value]})
	}
	return rows
}

// readReference reads a file of LDBC Graphalytics with a vertex and a value in each line.
func readReference(t *testing.T, name string) map[string]string {
	t.Helper()
	text, err := os.ReadFile(name)
	require.NoError(t, err)
	values := map[string]string{}
	for line := range strings.Lines(string(text)) {
		fields := strings.Fields(line)
		require.Len(t, fields, 2, line)
		values[fields[0]] = fields[1]
	}
	return values
}

// requireMatch requires that a result matches the reference. Vertices that are not reached have no row.
func requireMatch(t *testing.T, c ldbcCase, rows []row) {
	t.Helper()
	wanted, seen := readReference(t, c.reference), map[string]string{}
	require.NotEmpty(t, wanted)
	numbers := func(text string) float64 { return numberOf(t, text) }
	for _, got := range rows {
		want, known := wanted[got.vertex]
		require.True(t, known, "%s of %s has a vertex %s", c.algorithm.name, c.graph, got.vertex)
		require.True(t, c.algorithm.match.holds(want, got.value, numbers, seen),
			"%s of %s: vertex %s has %s, expected %s", c.algorithm.name, c.graph, got.vertex, got.value, want)
		delete(wanted, got.vertex)
	}
	for vertex, value := range wanted {
		require.Contains(t, []string{"9223372036854775807", "Infinity"}, value,
			"%s of %s: no vertex %s", c.algorithm.name, c.graph, vertex)
	}
}
