package table_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/activepebbles/pebbles/apps/table"
	"github.com/activepebbles/pebbles/pebble"
)

// The ranks sum a column of a file, whatever its format.
func Example() {
	folder, err := os.MkdirTemp("", "trips")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(folder)
	name := filepath.Join(folder, "trips.jsonl")
	text := `{"city":"Bonn","fare":2.5}` + "\n" + `{"city":"Köln","fare":4}` + "\n"
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		fmt.Println(err)
		return
	}
	err = pebble.Run(context.Background(), pebble.Config{Ranks: 2}, func(r *pebble.Rank) error {
		trips, err := table.Open(r, []string{name})
		if err != nil {
			return err
		}
		fare, err := trips.Find([]string{"fare"})
		if err != nil {
			return err
		}
		sum := 0.0
		for trip := range trips.All() {
			x, _ := trip.Values[fare[0]].Number()
			sum += x
		}
		columns, report, err := trips.Report(r)
		if err != nil {
			return err
		}
		if sum, err = pebble.AllReduce(r, sum, pebble.Sum); r.ID() == 0 {
			fmt.Println(columns[0].Name, columns[1].Name, report.Rows, sum)
		}
		return err
	})
	fmt.Println(err)
	// Output:
	// city fare 2 6.5
	// <nil>
}
