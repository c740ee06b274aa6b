package checkpoint_test

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/apps/appstest"
	"github.com/activepebbles/pebbles/checkpoint"
	"github.com/activepebbles/pebbles/internal/dataset"
	"github.com/activepebbles/pebbles/pebble"
)

// onHosts restores a state on some ranks and runs function. The ranks lie on hosts in blocks. Each host has a folder of
// its name below base.
func onHosts(t *testing.T, ranks int, base string, hosts []string,
	function func(r appstest.Rank, s *state, restored bool, c *checkpoint.Checkpoint)) {
	t.Helper()
	s := appstest.Mem(ranks)
	s.Checkpoints.Folder = base
	dataset.SetHost(func(r *pebble.Rank) string { return hosts[r.ID()*len(hosts)/r.Size()] })
	defer dataset.SetHost(nil)
	require.NoError(t, s.Run(t, appstest.Checked(func(r appstest.Rank) {
		state := newState(r.Rank)
		c := state.checkpoint().In(filepath.Join(base, dataset.Host(r.Rank)))
		function(r, state, appstest.Must(c.Restore()), c)
	})))
}

// savesOnHosts saves a state twice.
func savesOnHosts(t *testing.T, ranks int, base string, hosts []string) {
	onHosts(t, ranks, base, hosts, func(r appstest.Rank, s *state, restored bool, c *checkpoint.Checkpoint) {
		r.False(restored)
		s.fill(7)
		appstest.OK(c.Save())
		appstest.OK(c.Save())
	})
}

// restoresOnHosts restores that state, and reports whether a save is due at once.
func restoresOnHosts(t *testing.T, ranks int, base string, hosts []string) (due bool) {
	onHosts(t, ranks, base, hosts, func(r appstest.Rank, s *state, restored bool, c *checkpoint.Checkpoint) {
		r.True(restored)
		s.check(r, 7)
		if isDue := c.Due(); r.ID() == 0 {
			due = isDue
		}
	})
	return due
}

// Hosts that do not share the folder keep files of one another. After the loss of a host, other numbers of ranks
// restore the state, on the remaining hosts and on new ones. They soon save it again if only one host has some file.
func TestLostHosts(t *testing.T) {
	for _, n := range []int{2, 4} {
		hosts := strings.Split("abcd", "")[:n]
		saved := t.TempDir()
		savesOnHosts(t, 2*n-1, saved, hosts)
		for i, lost := range hosts {
			base := t.TempDir()
			require.NoError(t, os.CopyFS(base, os.DirFS(saved)))
			require.NoError(t, os.RemoveAll(filepath.Join(base, lost)))
			left := slices.Delete(slices.Clone(hosts), i, i+1)
			require.Equal(t, n > 2, restoresOnHosts(t, n-1+i, base, left))
			require.True(t, restoresOnHosts(t, 2*n+i, base, append(left, "new")))
		}
	}
}

// A file that is damaged or missing on one host, or lacks its manifest there, is read on the other host that has it. A
// file that no host has whole is an error.
func TestDamagedFilesOfAHost(t *testing.T) {
	hosts := []string{"a", "b", "c"}
	saved := t.TempDir()
	savesOnHosts(t, 6, saved, hosts)
	base := ""
	path := func(host, name string) string { return filepath.Join(base, host, "all-000002", name) }
	damage := func(host, name string) {
		content, err := os.ReadFile(path(host, name))
		require.NoError(t, err)
		content[len(content)-20]++
		require.NoError(t, os.WriteFile(path(host, name), content, 0o600))
	}
	const third = "part-00002-of-00006.avro" // of host b
	require.False(t, restoresOnHosts(t, 4, saved, hosts))
	for _, harm := range []func(){
		func() { damage("b", third) },
		func() { damage("c", third) },
		func() { require.NoError(t, os.Remove(path("b", third))) },
		func() { require.NoError(t, os.Truncate(path("c", third), 99)) },
		func() { require.NoError(t, os.Remove(path("b", "manifest.json"))) },
		func() { damage("a", "part-00000-of-00006.avro"); damage("c", third) },
	} {
		base = t.TempDir()
		require.NoError(t, os.CopyFS(base, os.DirFS(saved)))
		harm()
		restoresOnHosts(t, 4, base, hosts)
	}
	damage("b", third)
	damage("c", third)
	s := appstest.Mem(3)
	s.Checkpoints.Folder = base
	dataset.SetHost(func(r *pebble.Rank) string { return hosts[r.ID()] })
	defer dataset.SetHost(nil)
	require.ErrorContains(t, s.Run(t, func(r *pebble.Rank) error {
		_, err := newState(r).checkpoint().In(filepath.Join(base, hosts[r.ID()])).Restore()
		return err
	}), third)
}

// A returning host has checkpoints that the others lack, some with the same numbers as theirs.
func TestHostsThatComeBack(t *testing.T) {
	base := t.TempDir()
	savesOnHosts(t, 3, base, []string{"a", "b", "c"})
	require.NoError(t, os.RemoveAll(filepath.Join(base, "b")))
	other := t.TempDir()
	savesOnHosts(t, 3, other, []string{"x", "b", "y"})
	require.NoError(t, os.Rename(filepath.Join(other, "b"), filepath.Join(base, "b")))
	for range 2 {
		hosts := []string{"a", "b", "c"}
		onHosts(t, 4, base, hosts, func(r appstest.Rank, s *state, restored bool, c *checkpoint.Checkpoint) {
			r.True(restored)
			s.check(r, 7)
			appstest.OK(c.Save())
			appstest.OK(c.Save())
		})
	}
	for _, host := range []string{"a", "b", "c"} {
		require.Equal(t, []string{"all-000005", "all-000006"}, names(t, filepath.Join(base, host)))
	}
}

// Each file is on two hosts, with the same bytes. A single host has each file once.
func TestHostsKeepTwoOfEachFile(t *testing.T) {
	base := t.TempDir()
	savesOnHosts(t, 5, base, []string{"a", "b", "c"})
	files := map[string][][]byte{}
	for _, host := range []string{"a", "b", "c"} {
		folder := filepath.Join(base, host, "all-000002")
		for _, name := range names(t, folder) {
			content, err := os.ReadFile(filepath.Join(folder, name))
			require.NoError(t, err)
			files[name] = append(files[name], content)
		}
	}
	require.Len(t, files, 6)
	for name, contents := range files {
		if name == "manifest.json" {
			require.Len(t, contents, 3)
			continue
		}
		require.Len(t, contents, 2)
		require.True(t, bytes.Equal(contents[0], contents[1]))
	}
	alone := t.TempDir()
	savesOnHosts(t, 5, alone, []string{"a"})
	require.Len(t, names(t, filepath.Join(alone, "a", "all-000002")), 6)
}
