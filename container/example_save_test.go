package container_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/activepebbles/pebbles/container"
	"github.com/activepebbles/pebbles/pebble"
)

// Three ranks save a map, and two load it.
func ExampleSave() {
	dir, err := os.MkdirTemp("", "ages")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	folder := filepath.Join(dir, "saved")

	fmt.Println(pebble.Run(context.Background(), pebble.Config{Ranks: 3}, func(r *pebble.Rank) error {
		ages := container.NewMap[string, int64](r, "ages")
		if err := r.Epoch(func() error {
			ages.Put(fmt.Sprint("rank ", r.ID()), int64(40+r.ID()))
			return nil
		}); err != nil {
			return err
		}
		return container.Save(ages.View, folder)
	}))
	fmt.Println(pebble.Run(context.Background(), pebble.Config{Ranks: 2}, func(r *pebble.Rank) error {
		ages := container.NewMap[string, int64](r, "ages")
		if err := container.Load(ages, folder); err != nil {
			return err
		}
		for name, age := range ages.LocalAll() {
			fmt.Println(name, age)
		}
		return nil
	}))
	// Unordered output:
	// <nil>
	// rank 0 40
	// rank 1 41
	// rank 2 42
	// <nil>
}
