package ingest

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/internal/dataset"
	"github.com/activepebbles/pebbles/pebble"
)

// onHosts makes ranks read as if they were on hosts a, b and so on, in turn. of returns the patterns of a host.
func onHosts(ranks, hosts int, of func(host int) []string, opts ...Option) (lines [][]string, err error) {
	lines = make([][]string, ranks)
	var lock sync.Mutex
	err = pebble.Run(context.Background(), pebble.Config{Ranks: ranks}, func(r *pebble.Rank) error {
		host := r.ID() % hosts
		as := option(func(o *options) { o.host = string(rune('a' + host)) })
		in, err := Open(r, of(host), Lines(), append([]Option{as}, opts...)...)
		if err != nil {
			return err
		}
		for line := range in.All() {
			lock.Lock()
			lines[r.ID()] = append(lines[r.ID()], string(line))
			lock.Unlock()
		}
		_, err = in.Report()
		return err
	})
	return lines, err
}

// With PerHost the ranks of each host read its files; otherwise all hosts must have the same files.
func TestHosts(t *testing.T) {
	folder := t.TempDir()
	var names [][]string
	for i := range 3 {
		text := ""
		for j := range 100 {
			text += fmt.Sprintf("host %d line %d\n", i, j)
		}
		plain, packed := filepath.Join(folder, fmt.Sprintf("%d.txt", i)), filepath.Join(folder, fmt.Sprintf("%d.zst", i))
		require.NoError(t, os.WriteFile(plain, []byte(text), 0o600))
		require.NoError(t, os.WriteFile(packed, zstdFrames(t, []byte(text), 50), 0o600))
		names = append(names, []string{plain, packed})
	}
	of := func(host int) []string { return names[host] }
	for _, ranks := range []int{3, 4, 7} {
		lines, err := onHosts(ranks, 3, of, PerHost())
		require.NoError(t, err)
		for rank, mine := range lines {
			require.NotEmpty(t, mine)
			for _, line := range mine {
				require.Contains(t, line, fmt.Sprintf("host %d ", rank%3))
			}
		}
		require.Len(t, slices.Concat(lines...), 600)
		_, err = onHosts(ranks, 3, of)
		require.ErrorContains(t, err, "0.txt: is on host a and not on host b: copy the files, or set ingest.PerHost")
	}
	_, err := onHosts(4, 2, func(host int) []string { return names[0][:2-host] })
	require.ErrorContains(t, err, "0.zst: is on host a and not on host b")
	_, err = onHosts(4, 2, func(host int) []string { return names[0][:1+host] })
	require.ErrorContains(t, err, "0.zst: is on host b and not on host a")
	there := []string{names[0][0], filepath.Join(folder, "nosuch")}
	_, err = onHosts(4, 2, func(host int) []string { return there[host : host+1] })
	require.ErrorContains(t, err, "nosuch: no such file")
	lines, err := onHosts(5, 2, func(int) []string { return names[0] })
	require.NoError(t, err)
	require.Len(t, slices.Concat(lines...), 200)
}

// Hosts with files of different sizes are an error.
func TestCompare(t *testing.T) {
	ranks1(t, func(r *pebble.Rank) {
		in := input{rank: r, files: []file{{Name: "x", Size: 10}}, group: dataset.Group{Hosts: []string{"a"},
			Members: []int{0}}}
		require.NoError(t, in.compare([]file{{Name: "x", Size: 10}}))
		require.ErrorContains(t, in.compare([]file{{Name: "x", Size: 12}}),
			"read x: has 12 bytes on host a, but 10 on host a")
	})
}

// All ranks read many small files, each file by one rank.
func TestManyFiles(t *testing.T) {
	folder := t.TempDir()
	for i := range 300 {
		require.NoError(t, os.WriteFile(filepath.Join(folder, fmt.Sprint(i)), []byte(strings.Repeat(fmt.Sprintln(i),
			i%5)), 0o600))
	}
	for _, ranks := range []int{1, 2, 7} {
		o, err := ingest(ranks, Lines(), text, []string{folder + "/*"})
		require.NoError(t, err)
		require.Len(t, o.all(), 600)
		for _, mine := range o.records {
			require.InDelta(t, 600/ranks, len(mine), 20)
		}
	}
}
