package parquet_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	lib "github.com/parquet-go/parquet-go"

	"github.com/activepebbles/pebbles/ingest"
	"github.com/activepebbles/pebbles/ingest/parquet"
	"github.com/activepebbles/pebbles/pebble"
)

// every has a column of each type that Values reads, and two of types that it refuses.
type every struct {
	Yes     bool     `parquet:"yes"`
	Small   int32    `parquet:"small"`
	Large   int64    `parquet:"large"`
	U32     uint32   `parquet:"u32"`
	U64     uint64   `parquet:"u64"`
	F32     float32  `parquet:"f32"`
	F64     float64  `parquet:"f64"`
	Text    string   `parquet:"text"`
	Kind    string   `parquet:"kind,enum"`
	JSON    string   `parquet:"json,json"`
	Day     int32    `parquet:"day,date"`
	Milli   int64    `parquet:"milli,timestamp(millisecond)"`
	Micro   int64    `parquet:"micro,timestamp(microsecond)"`
	Nano    int64    `parquet:"nano,timestamp(nanosecond)"`
	Local   int64    `parquet:"local,timestamp(millisecond:local)"`
	Cents32 int32    `parquet:"cents32,decimal(2:9)"`
	Cents64 int64    `parquet:"cents64,decimal(3:18)"`
	Cents   [3]byte  `parquet:"cents,decimal(1:5)"`
	None    *int64   `parquet:"none,optional"`
	ID      [16]byte `parquet:"id,uuid"`
	List    []int64  `parquet:"list"`
}

// TestValues compares each type of column with the values that were written: decimals in all their forms and of both
// signs, and dates and times before and after 1970.
func TestValues(t *testing.T) {
	rows := []every{
		{
			Yes: true, Small: -7, Large: 1 << 40, U32: 1<<32 - 1, U64: 1<<64 - 1, F32: 0.5, F64: -2.25, Text: "Zürich",
			Kind: "warm", JSON: `{"a":1}`, Day: 20_787, Milli: 1_796_083_200_123, Micro: 1_796_083_200_000_456,
			Nano: 1_796_083_200_000_000_789, Local: 1_796_083_200_500, Cents32: 1234, Cents64: -5,
			Cents: [3]byte{0, 1, 2},
		},
		{
			Day: -1, Milli: -1, Micro: -1, Nano: -1, Local: -86_400_000, Cents32: -1234, Cents64: 1_000,
			Cents: [3]byte{255, 255, 254},
		},
	}
	want := [][]any{
		{
			true, int64(-7), int64(1 << 40), uint64(1<<32 - 1), uint64(1<<64 - 1), 0.5, -2.25, "Zürich", "warm",
			`{"a":1}`,
			"2026-11-30", "2026-12-01T00:00:00.123Z", "2026-12-01T00:00:00.000456Z", "2026-12-01T00:00:00.000000789Z",
			"2026-12-01T00:00:00.5", "12.34", "-0.005", "25.8", nil,
		},
		{
			false, int64(0), int64(0), uint64(0), uint64(0), 0.0, 0.0, "", "", "",
			"1969-12-31", "1969-12-31T23:59:59.999Z", "1969-12-31T23:59:59.999999Z", "1969-12-31T23:59:59.999999999Z",
			"1969-12-31T00:00:00", "-12.34", "1.000", "-0.2", nil,
		},
	}
	names := []string{
		"yes", "small", "large", "u32", "u64", "f32", "f64", "text", "kind", "json", "day", "milli", "micro", "nano",
		"local", "cents32", "cents64", "cents", "none",
	}
	path := filepath.Join(t.TempDir(), "every.parquet")
	f, err := os.Create(path)
	require.NoError(t, err)
	w := lib.NewGenericWriter[every](f)
	_, err = w.Write(rows)
	require.NoError(t, err)
	require.NoError(t, w.Close())
	require.NoError(t, f.Close())

	got, err := valuesOf(t, path, names...)
	require.NoError(t, err)
	require.Equal(t, want, got)
	got, err = valuesOf(t, path, "text", "yes") // in any order
	require.NoError(t, err)
	require.Equal(t, [][]any{{"Zürich", true}, {"", false}}, got)
	for _, name := range []string{"id", "list"} {
		_, err = valuesOf(t, path, name)
		require.ErrorContains(t, err, `column "`+name+
			`": it is not a number, text, truth value, date, timestamp or decimal`)
	}
	_, err = valuesOf(t, path, "text", "missing")
	require.ErrorContains(t, err, `the columns ["text" "missing"] are not all there`)
}

func valuesOf(t *testing.T, path string, names ...string) (all [][]any, err error) {
	err = pebble.Run(t.Context(), pebble.Config{Ranks: 1}, func(r *pebble.Rank) error {
		in, err := ingest.Open(r, []string{path}, parquet.Values(names...))
		if err != nil {
			return err
		}
		for row := range in.All() {
			all = append(all, append([]any(nil), row...))
		}
		_, err = in.Report()
		return err
	})
	return all, err
}
