package main

import (
	"context"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/export"
	to "github.com/activepebbles/pebbles/export/parquet"
	"github.com/activepebbles/pebbles/ingest"
	"github.com/activepebbles/pebbles/ingest/parquet"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/target/avro"
)

// A trip is a row of a CSV or Parquet file, or a line of JSON.
type trip struct {
	City  string    `csv:"city" parquet:"city" json:"city"`
	Miles float64   `csv:"miles,optional" parquet:"miles" json:"miles"`
	At    time.Time `csv:"at" parquet:"at" json:"at"`
}

// A visit is a record of an Avro file.
type visit struct {
	Page string
	Time int64
}

// count1 counts the records of all ranks.
func count1[T any](t *testing.T, r *pebble.Rank, in *ingest.Source[T], err error) {
	require.NoError(t, err)
	for range in.All() {
	}
	report, err := in.Report()
	require.NoError(t, err)
	require.Equal(t, int64(2), report.Rows)
}

// written writes two records, by rank 0.
func written[T any](t *testing.T, r *pebble.Rank, name string, format export.Format[T], v T, opts ...export.Option) {
	out, err := export.Create(r, name, format, opts...)
	require.NoError(t, err)
	defer out.Abort()
	for range 2 * max(1-r.ID(), 0) {
		require.NoError(t, out.Write(v))
	}
	_, err = out.Close()
	require.NoError(t, err)
}

// TestFormats opens the guide's formats.
func TestFormats(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, text := range map[string]string{"table.tsv": "a\t\"\nb\t2\n",
		"reads_1.fastq": "@a\nA\n+\nI\n@b\nA\n+\nI\n", "road.gr": "p sp 2 2\na 1 2 3\na 2 1 3\n"} {
		require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
	}
	require.NoError(t, os.Mkdir("logs", 0o700))
	v := trip{"Bern", 1.5, time.Unix(0, 0).UTC()}
	require.NoError(t, pebble.Run(context.Background(), pebble.Config{Ranks: 2}, func(r *pebble.Rank) error {
		written(t, r, "logs/a.zst", export.Lines(), []byte("a line"), export.OneFile(), export.Zstd())
		written(t, r, "trips.csv", export.CSV[trip](','), v, export.OneFile())
		written(t, r, "trips.jsonl", export.JSONLines[trip](), v, export.OneFile())
		written(t, r, "trips", to.Rows[trip](), v)
		written(t, r, "visits.avro", export.AvroOf(avro.Must[visit](), export.Deflate), visit{"/", 7}, export.OneFile())

		lines, err := ingest.Open(r, []string{"logs/*.zst"}, ingest.Lines())
		count1(t, r, lines, err)
		trips, err := ingest.Open(r, []string{"trips.csv"}, ingest.CSV[trip]())
		count1(t, r, trips, err)
		table, err := ingest.Open(r, []string{"table.tsv"}, ingest.Rows(ingest.Comma('\t'), ingest.NoQuotes(),
			ingest.NoHeader()))
		count1(t, r, table, err)
		texts, err := ingest.Open(r, []string{"trips.jsonl"}, ingest.JSONLines[trip]())
		count1(t, r, texts, err)
		rides, err := ingest.Open(r, []string{"trips"}, parquet.Rows[trip]())
		count1(t, r, rides, err)
		visits, err := ingest.Open(r, []string{"visits.avro"}, ingest.AvroOf(avro.Must[visit]()))
		count1(t, r, visits, err)
		reads, err := ingest.Open(r, []string{"reads_1.fastq"}, ingest.FASTQ())
		count1(t, r, reads, err)
		edges, err := ingest.Open(r, []string{"road.gr"}, ingest.Edges(ingest.PACE))
		count1(t, r, edges, err)
		return nil
	}))
}
