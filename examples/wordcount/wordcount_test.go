package main

import (
	"bytes"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/activepebbles/pebbles/apps/appstest"
	"github.com/activepebbles/pebbles/internal/seeds"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/route"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// texts writes random files: words of skewed frequency, blank lines, long lines, no newline at the end.
func texts(t *testing.T) (files []string) {
	random := rand.New(rand.NewPCG(seeds.Of(t), 0))
	for i := range 3 {
		var text strings.Builder
		for range random.IntN(3000) {
			fmt.Fprintf(&text, "Word%d", int(random.ExpFloat64()*50))
			text.WriteString([]string{" ", ", ", "\n", "\n\n", "-", " Älter\t"}[random.IntN(6)])
		}
		if i == 0 {
			text.WriteString(strings.Repeat("long ", 20_000))
		}
		name := filepath.Join(t.TempDir(), "text")
		require.NoError(t, os.WriteFile(name, []byte(text.String()), 0o600))
		files = append(files, name)
	}
	empty := filepath.Join(t.TempDir(), "empty")
	require.NoError(t, os.WriteFile(empty, nil, 0o600))
	return append(files, empty)
}

// serial counts the words of files without the code of the program.
func serial(t *testing.T, files []string) map[string]uint64 {
	counts := map[string]uint64{}
	for _, name := range files {
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		word := ""
		for _, c := range string(text) + " " {
			if unicode.IsLetter(c) || unicode.IsDigit(c) {
				word += string(unicode.ToLower(c))
				continue
			}
			if word != "" {
				counts[word]++
			}
			word = ""
		}
	}
	return counts
}

func TestCountsAreThoseOfASerialProgram(t *testing.T) {
	files := texts(t)
	want := serial(t, files)
	require.Greater(t, len(want), 50)
	for _, s := range []appstest.Shape{
		{Ranks: 1, Procs: 1, Transport: "mem", New: route.Direct},
		{Ranks: 2, Procs: 1, Transport: "mem", New: route.Direct, Coalesce: 1},
		{Ranks: 3, Procs: 1, Transport: "mem", New: route.Direct, Coalesce: 7},
		{Ranks: 5, Procs: 1, Transport: "mem", New: route.Hypercube},
		{Ranks: 8, Procs: 1, Transport: "mem", New: appstest.Ring},
		{Ranks: 2, Procs: 2, Transport: "tcp", New: route.Direct},
		{Ranks: 5, Procs: 3, Transport: "tcp", New: route.Hypercube},
	} {
		t.Run(fmt.Sprintf("%d ranks over %s", s.Ranks, s.Transport), func(t *testing.T) {
			owned := make([]map[string]uint64, s.Ranks)
			merged := make([]uint64, s.Ranks)
			require.NoError(t, s.Run(t, func(r *pebble.Rank) (err error) {
				owned[r.ID()], err = countWords(r, files)
				merged[r.ID()] = r.Counters().Merged
				return err
			}))
			got := map[string]uint64{}
			for _, counts := range owned {
				for word := range counts {
					require.NotContains(t, got, word, "a word has one owner")
				}
				maps.Copy(got, counts)
			}
			require.Equal(t, want, got)
			if s.Ranks > 1 {
				var sum uint64
				for _, n := range merged {
					sum += n
				}
				require.NotZero(t, sum, "pebbles are merged on the way")
			}
		})
	}
}

// The output does not depend on the ranks, and rank 0 alone prints.
func TestPrintsTheMostFrequent(t *testing.T) {
	files := texts(t)
	want := ""
	counts := serial(t, files)
	var all []count
	for word, n := range counts {
		all = append(all, count{word, n})
	}
	for _, c := range top(all) {
		want += fmt.Sprintf("%8d  %s\n", c.N, c.Word)
	}
	require.Contains(t, want, "   20000  long\n")
	want += fmt.Sprintf("%8d  different words\n", len(counts))
	for _, ranks := range []int{1, 2, 9} {
		out := make([]strings.Builder, ranks)
		require.NoError(t, pebble.Run(t.Context(), pebble.Config{Ranks: ranks}, func(r *pebble.Rank) error {
			return run(r, &out[r.ID()], files)
		}))
		require.Equal(t, want, out[0].String())
		for _, other := range out[1:] {
			require.Empty(t, other.String())
		}
	}
}

func TestTop(t *testing.T) {
	require.Empty(t, top(nil))
	require.Equal(t, []count{{"c", 9}, {"a", 1}, {"b", 1}}, top([]count{{"b", 1}, {"c", 9}, {"a", 1}}))
	require.Len(t, top(make([]count, shown+1)), shown)
}

func TestMissingFileEndsTheJob(t *testing.T) {
	err := pebble.Run(t.Context(), pebble.Config{Ranks: 3}, func(r *pebble.Rank) error {
		return run(r, &strings.Builder{}, []string{"no such file"})
	})
	require.ErrorIs(t, err, os.ErrNotExist)
	require.ErrorContains(t, err, "open text: open no such file")
}

func TestEqualHashesAreTold(t *testing.T) {
	require.PanicsWithValue(t, `wordcount: "a" and "b" have the same hash`, func() { merge(count{"a", 1}, count{"b", 1}) })
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte("\x01word"))
	f.Add([]byte("\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80"))
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, src []byte) {
		c, err := codec{}.Decode(bytes.Clone(src))
		if err != nil {
			return
		}
		packed, err := codec{}.Append([]byte("before"), c)
		require.NoError(t, err)
		again, err := codec{}.Decode(packed[len("before"):])
		require.NoError(t, err)
		require.Equal(t, c, again)
	})
}
