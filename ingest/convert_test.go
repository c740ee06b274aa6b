package ingest_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/ingest"
	"github.com/activepebbles/pebbles/pebble"
)

// Errors of the function have file and line, or the record is skipped. Places order the other records as the file does.
func TestConvert(t *testing.T) {
	name := filepath.Join(t.TempDir(), "a.csv")
	require.NoError(t, os.WriteFile(name, []byte("b,a\n1,x\n2,\"y\nz\"\n3,bad\n4,w\n"), 0o600))
	read := func(ranks int, opts ...ingest.Option) (rows []string, report ingest.Report, err error) {
		type row struct {
			at   [3]int64
			text string
		}
		var all []row
		var lock sync.Mutex
		err = pebble.Run(context.Background(), pebble.Config{Ranks: ranks}, func(r *pebble.Rank) error {
			var names []string
			to := func(at ingest.Place, fields [][]byte) (row, error) {
				if string(fields[1]) == "bad" {
					return row{}, errors.New("it is bad")
				}
				return row{[3]int64{int64(at.File), at.From, at.Record}, fmt.Sprintf("%s %q", names, fields)}, nil
			}
			in, err := ingest.Open(r, []string{name}, ingest.Convert(ingest.Rows(ingest.AllColumns(&names)), to), opts...)
			if err != nil {
				return err
			}
			for v := range in.All() {
				lock.Lock()
				all = append(all, v)
				lock.Unlock()
			}
			got, err := in.Report()
			if r.ID() == 0 {
				report = got
			}
			return err
		})
		slices.SortFunc(all, func(a, b row) int { return slices.Compare(a.at[:], b.at[:]) })
		for _, row := range all {
			rows = append(rows, row.text)
		}
		return rows, report, err
	}
	for _, ranks := range []int{1, 2, 4, 7} {
		_, _, err := read(ranks)
		require.ErrorContains(t, err, "a.csv: line 5: it is bad")
		rows, report, err := read(ranks, ingest.Skip(1))
		require.NoError(t, err)
		require.Equal(t, []string{`[b a] ["1" "x"]`, `[b a] ["2" "y\nz"]`, `[b a] ["4" "w"]`}, rows)
		require.EqualValues(t, []int64{3, 1}, []int64{report.Rows, report.Skipped})
	}
}
