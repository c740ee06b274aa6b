package checkpoint_test

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/apps/appstest"
	"github.com/activepebbles/pebbles/checkpoint"
	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/pebble"
)

// plan is a program of a few parts that may differ from the one that saved.
type plan struct {
	cells   uint64 // 0 is 1,000
	setting string
	merge   func(a, b int32) int32
	more    func(r *pebble.Rank) checkpoint.Part
}

// run restores, and saves some steps.
func (p plan) run(t *testing.T, s appstest.Shape, saves int) error {
	cells := cmp.Or(p.cells, 1000)
	return s.Run(t, func(r *pebble.Rank) error {
		step, own := 0, int32(r.ID())
		d := distribution.Cyclic(cells, r.Size())
		vs := make([]uint64, d.LocalLen(r.ID()))
		for i := range vs {
			vs[i] = d.Key(r.ID(), i)
		}
		parts := []checkpoint.Part{
			checkpoint.Argument("setting", p.setting), checkpoint.Value("step", &step), checkpoint.Slice("cells", d, &vs),
			checkpoint.PerRank("own", &own, p.merge),
		}
		if p.more != nil {
			parts = append(parts, p.more(r))
		}
		c := checkpoint.New(r, "small", parts...)
		if _, err := c.Restore(); err != nil {
			return err
		}
		for range saves {
			step++
			if err := c.Save(); err != nil {
				return err
			}
		}
		return nil
	})
}

// A harm damages two checkpoints of two ranks each, small-000001 and small-000002.
type harm func(t *testing.T, folder string)

// rewritten changes a file of the newest checkpoint.
func rewritten(name string, change func(content []byte) []byte) harm {
	return func(t *testing.T, folder string) {
		name := filepath.Join(folder, "small-000002", name)
		content, err := os.ReadFile(name)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(name, change(content), 0o600))
	}
}

// replaced changes text of a manifest.
func replaced(old, with string) harm {
	return rewritten("manifest.json", func(content []byte) []byte {
		return bytes.ReplaceAll(content, []byte(old), []byte(with))
	})
}

const (
	first, second = "part-00000-of-00002.avro", "part-00001-of-00002.avro"
	manifest      = "manifest.json"
)

// exchanged exchanges two files.
func exchanged(a, b string) harm {
	return func(t *testing.T, folder string) {
		a, b, spare := filepath.Join(folder, a), filepath.Join(folder, b), filepath.Join(folder, "spare")
		require.NoError(t, errors.Join(os.Rename(a, spare), os.Rename(b, a), os.Rename(spare, b)))
	}
}

// Damaged, truncated, exchanged, outdated and foreign checkpoints are errors on all ranks. The error names the
// checkpoint and the remedy.
func TestWrongCheckpointsAreRefused(t *testing.T) {
	sums := "it is damaged, or another file"
	for name, c := range map[string]struct {
		harm harm
		plan plan
		want []string
	}{
		"another byte": {harm: rewritten(second, func(b []byte) []byte { b[len(b)-40]++; return b }),
			want: []string{"small-000002", second, sums}},
		"truncated": {harm: rewritten(first, func(b []byte) []byte { return b[:len(b)/2] }), want: []string{first, sums}},
		"missing": {harm: func(t *testing.T, folder string) {
			require.NoError(t, os.Remove(filepath.Join(folder, "small-000002", first)))
		}, want: []string{"small-000002", first, "is missing", "or remove it, and the one before it is restored"}},
		"exchanged parts": {harm: exchanged("small-000002/"+first, "small-000002/"+second), want: []string{first, sums}},
		"a part of the one before": {harm: exchanged("small-000002/"+first, "small-000001/"+first),
			want: []string{first, sums}},
		"a part of the one before, with its checksum": {harm: func(t *testing.T, folder string) {
			exchanged("small-000002/"+first, "small-000001/"+first)(t, folder)
			exchangeSums(t, folder)
		}, want: []string{"the file of rank 0 is of another checkpoint", "the one before it is restored"}},
		"no manifest": {harm: func(t *testing.T, folder string) {
			require.NoError(t, os.Remove(filepath.Join(folder, "small-000002", manifest)))
		}, want: []string{"small-000002", "it has lost its manifest: remove it, and the one before it is restored"}},
		"a damaged manifest": {harm: rewritten(manifest, func(b []byte) []byte { return b[:99] }),
			want: []string{"small-000002", "it is damaged"}},
		"an export": {harm: replaced("Note", "Nota"), want: []string{"the folder is not a checkpoint"}},
		"another format": {harm: replaced(`"Version": 1`, `"Version": 7`),
			want: []string{"it has format 7, and this program reads format 1: use the build that wrote it"}},
		"another program": {harm: replaced(`"Program": "`, `"Program": "other/`),
			want: []string{"it is the checkpoint of the program other/"}},
		"renamed":         {harm: replaced(`"small"`, `"large"`), want: []string{`it is the checkpoint "large", not "small"`}},
		"another machine": {harm: replaced("little-endian", "big-endian"), want: []string{"with another byte order"}},
		"another setting": {plan: plan{setting: "b"},
			want: []string{`the part "setting" is the argument b, and in the checkpoint it is the argument : give the same`}},
		"another size": {plan: plan{cells: 999},
			want: []string{`the part "cells" is 999 elements of uint64`, "in the checkpoint it is 1000 elements"}},
		"one part more": {plan: plan{more: func(*pebble.Rank) checkpoint.Part {
			return checkpoint.Value("more", new(int))
		}}, want: []string{`it has the parts ["setting" "step" "cells" "own"], the program has`}},
		"a lost element": {harm: replaced(`"Elements": 1000`, `"Elements": 1001`),
			want: []string{`the part "cells" has 1000 elements instead of 1001`}},
	} {
		t.Run(name, func(t *testing.T) {
			s := appstest.Mem(2)
			s.Checkpoints.Folder = t.TempDir()
			require.NoError(t, plan{}.run(t, s, 2))
			if c.harm != nil {
				c.harm(t, s.Checkpoints.Folder)
			}
			err := c.plan.run(t, s, 0)
			for _, want := range append(c.want, "checkpoint: restore", s.Checkpoints.Folder) {
				require.ErrorContains(t, err, want)
			}
		})
	}
}

// exchangeSums exchanges the entries of part 0 in the manifests of both checkpoints.
func exchangeSums(t *testing.T, folder string) {
	var texts [2][]byte
	var of [2][]byte
	for i := range texts {
		name := filepath.Join(folder, fmt.Sprintf("small-%06d", i+1), manifest)
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		from := bytes.Index(text, []byte("crc32c:"))
		texts[i], of[i] = text, text[from:from+len("crc32c:00000000")]
	}
	for i, text := range texts {
		name := filepath.Join(folder, fmt.Sprintf("small-%06d", i+1), manifest)
		require.NoError(t, os.WriteFile(name, bytes.Replace(text, of[i], of[1-i], 1), 0o600))
	}
}

// PerRank without a function to merge values needs the same number of ranks as before.
func TestValuesOfRanksNeedAMerge(t *testing.T) {
	s := appstest.Mem(2)
	s.Checkpoints.Folder = t.TempDir()
	require.NoError(t, plan{}.run(t, s, 1))
	require.NoError(t, plan{}.run(t, s, 0))
	s.Ranks = 3
	require.ErrorContains(t, plan{}.run(t, s, 0), `part "own": 2 ranks have saved a value each, and it has no function `+
		`that joins them for 3: start the program with 2 ranks`)
	s.Ranks = 1
	require.NoError(t, plan{merge: func(a, b int32) int32 { return a + b }}.run(t, s, 0))
}

// A program whose parts cannot be saved gets an error before anything is read or written.
func TestWrongPartsAreRefused(t *testing.T) {
	values := func(n int) *[]uint64 { vs := make([]uint64, n); return &vs }
	for want, more := range map[string]func(r *pebble.Rank) checkpoint.Part{
		`make "small": part "f": derive schema of func()`: func(*pebble.Rank) checkpoint.Part {
			return checkpoint.Value("f", new(func()))
		},
		`two parts have the name "step": give each its own name`: func(*pebble.Rank) checkpoint.Part {
			return checkpoint.Value("step", new(int))
		},
		"a part is the zero Part": func(*pebble.Rank) checkpoint.Part { return checkpoint.Part{} },
		"its distribution is for 5 ranks, the job has 2": func(*pebble.Rank) checkpoint.Part {
			return checkpoint.Slice("more", distribution.Block(10, 5), values(2))
		},
		"it has no distribution": func(*pebble.Rank) checkpoint.Part {
			return checkpoint.Slice[uint64]("more", nil, values(2))
		},
		"the pointer to its variable is nil": func(*pebble.Rank) checkpoint.Part {
			return checkpoint.Value[int]("more", nil)
		},
		"the slice of rank 0 has 9 elements, and its distribution gives the rank 5": func(r *pebble.Rank) checkpoint.Part {
			return checkpoint.Slice("more", distribution.Block(10, 2), values(9-4*r.ID()))
		},
	} {
		t.Run(want, func(t *testing.T) {
			s := appstest.Mem(2)
			s.Checkpoints.Folder = t.TempDir()
			require.ErrorContains(t, plan{more: more}.run(t, s, 1), want)
			require.Empty(t, names(t, s.Checkpoints.Folder))
		})
	}
	for _, name := range []string{"", "a/b", ".a", ".."} {
		require.ErrorContains(t, appstest.Mem(1).Run(t, func(r *pebble.Rank) error {
			checkpoint.New(r, name)
			return nil
		}), "give one without slash")
	}
	require.ErrorContains(t, appstest.Mem(1).Run(t, func(r *pebble.Rank) error {
		checkpoint.New(appstest.Must(r.Split(0, 0, "half")).Rank, "a")
		return nil
	}), `its rank is of team "half": a checkpoint is of the whole job`)
}

// Save requires a previous Restore. Without a folder nothing is saved.
func TestOrderOfCalls(t *testing.T) {
	run := func(folder string) error {
		s := appstest.Mem(2)
		s.Checkpoints.Folder = folder
		return s.Run(t, func(r *pebble.Rank) error {
			c := checkpoint.New(r, "order")
			if c.Request(); folder == "" && c.Due() {
				return errors.New("it is due without a folder")
			}
			return c.Save()
		})
	}
	require.NoError(t, run(""))
	require.ErrorContains(t, run(t.TempDir()), "Restore was not called: call it once, before the loop")
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	s := appstest.Mem(2)
	s.Checkpoints.Folder = file
	require.ErrorContains(t, plan{}.run(t, s, 0), "checkpoint: restore small from "+file)
}
