package export_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/activepebbles/pebbles/export"
	"github.com/activepebbles/pebbles/pebble"
)

// Three ranks write one file.
func Example() {
	folder, err := os.MkdirTemp("", "export")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(folder)
	name := filepath.Join(folder, "squares.csv")
	type square struct {
		N      int `csv:"n"`
		Square int `csv:"square"`
	}
	err = pebble.Run(context.Background(), pebble.Config{Ranks: 3}, func(r *pebble.Rank) error {
		out, err := export.Create(r, name, export.CSV[square](','), export.OneFile())
		if err != nil {
			return err
		}
		defer out.Abort()
		if err := out.Write(square{r.ID(), r.ID() * r.ID()}); err != nil {
			return err
		}
		_, err = out.Close()
		return err
	})
	fmt.Println(err)
	content, err := os.ReadFile(name)
	fmt.Print(string(content), err)
	// Output:
	// <nil>
	// n,square
	// 0,0
	// 1,1
	// 2,4
	// <nil>
}
