package container_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/container"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/task"
)

func run(t *testing.T, ranks int, f func(r *pebble.Rank) error) {
	t.Helper()
	require.NoError(t, pebble.Run(context.Background(), pebble.Config{Ranks: ranks}, f))
}

func TestWords(t *testing.T) {
	for _, ranks := range []int{1, 2, 4, 7} {
		run(t, ranks, func(r *pebble.Rank) error {
			c := container.NewCounter[string](r, "words")
			if err := r.Epoch(func() error {
				buf := []byte("a rose is a rose is a rose")
				container.AddWords(c, slices.Collect(func(y func([]byte) bool) {
					for w := range strings.FieldsSeq(string(buf)) { y([]byte(w)) }
				}))
				c.Add("rose", 2)
				return nil
			}); err != nil {
				return err
			}
			top, err := c.Top(2)
			if err != nil {
				return err
			}
			if want := []container.Count[string]{{"rose", uint64(5 * ranks)}, {"a", uint64(3 * ranks)}}; !slices.Equal(top, want) {
				return fmt.Errorf("%v", top)
			}
			return nil
		})
	}
}

func TestMapAll(t *testing.T) {
	type key struct { A string; F float64; B [2]int8; C int64 }
	for _, ranks := range []int{1, 2, 4, 7} {
		run(t, ranks, func(r *pebble.Rank) error {
			s := task.New(r)
			m := container.NewMap[key, string](r, "m")
			reads := m.NewReads(s)
			k := func(i int) key { return key{A: fmt.Sprint(i), F: float64(i), C: int64(i)} }
			if err := r.Epoch(func() error {
				for i := r.ID(); i < 1000; i += r.Size() { m.Put(k(i), fmt.Sprint("v", i)) }
				return nil
			}); err != nil { return err }
			if n, err := m.Len(); n != 1000 || err != nil { return fmt.Errorf("%d %v", n, err) }
			if err := r.Epoch(func() error {
				for i := r.ID(); i < 1000; i += 2*r.Size() { m.Delete(k(i)) }
				return nil
			}); err != nil { return err }
			err := s.Run(func() {
				for i := range 100 {
					v, ok := reads.Get(k(i))
					if gone := i % (2*r.Size()) < r.Size(); ok == gone || ok && v != fmt.Sprint("v", i) { panic(fmt.Sprint(i, v, ok)) }
				}
			})
			return err
		})
	}
}

func TestDisjoint(t *testing.T) {
	for _, ranks := range []int{1, 2, 4, 7} {
		run(t, ranks, func(r *pebble.Rank) error {
			joins := 0
			d := container.NewDisjointSets[uint64](r, "d", func(a, b uint64) { joins++ })
			if err := r.Epoch(func() error {
				for i := uint64(r.ID()); i < 10000; i += uint64(r.Size()) { d.Union(i, i%100); d.Union(i, (i+100)%10000) }
				return nil
			}); err != nil { return err }
			n, err := d.Sets()
			all, err2 := pebble.AllReduce(r, joins, pebble.Sum)
			if n != 100 || all != 9900 { return fmt.Errorf("%d %d %v %v", n, all, err, err2) }
			if err := d.Compress(); err != nil { return err }
			roots := map[uint64]uint64{}
			for k, p := range d.LocalAll() { if q, ok := roots[k%100]; ok && q != p { return fmt.Errorf("%d %d %d", k, p, q) }; roots[k%100] = p }
			return nil
		})
	}
}
