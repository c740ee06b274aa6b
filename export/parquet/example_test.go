package parquet_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/activepebbles/pebbles/export"
	to "github.com/activepebbles/pebbles/export/parquet"
	"github.com/activepebbles/pebbles/ingest"
	"github.com/activepebbles/pebbles/ingest/parquet"
	"github.com/activepebbles/pebbles/pebble"
)

// Each rank writes a part; a job of another size reads all of them.
func Example() {
	type point struct {
		X, Y int64
	}
	folder, err := os.MkdirTemp("", "points")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(folder)
	name := filepath.Join(folder, "points")
	err = pebble.Run(context.Background(), pebble.Config{Ranks: 3}, func(r *pebble.Rank) error {
		out, err := export.Create(r, name, to.Rows[point]())
		if err != nil {
			return err
		}
		defer out.Abort()
		if err := out.Write(point{int64(r.ID()), 1}); err != nil {
			return err
		}
		_, err = out.Close()
		return err
	})
	fmt.Println(err)
	err = pebble.Run(context.Background(), pebble.Config{Ranks: 1}, func(r *pebble.Rank) error {
		in, err := ingest.Open(r, []string{name}, parquet.Rows[point]())
		if err != nil {
			return err
		}
		for p := range in.All() {
			fmt.Println(p.X, p.Y)
		}
		return in.Err()
	})
	fmt.Println(err)
	// Output:
	// <nil>
	// 0 1
	// 1 1
	// 2 1
	// <nil>
}
