package main

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/activepebbles/pebbles/apps/appstest"
	"github.com/activepebbles/pebbles/pebble"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// written makes a text of words of all lengths, rare and frequent, with blanks of all kinds between them.
func written(seed uint64) string {
	random := rand.New(rand.NewPCG(seed, 1))
	var b strings.Builder
	for range 5000 {
		word := fmt.Sprintf("é%d", random.IntN(1+random.IntN(300)))
		b.WriteString(strings.Repeat(word, random.IntN(3)) + []string{" ", "\t", "\n", "\r\n", " \n\n"}[random.IntN(5)])
	}
	return b.String()
}

func TestCounts(t *testing.T) {
	text := written(1)
	files := []string{appstest.Write(t, "a.txt", text), appstest.Write(t, "b.txt", ""),
		appstest.Write(t, "c.txt", "no end")}
	want := map[string]uint64{}
	for word := range strings.FieldsSeq(text + " no end") {
		want[word]++
	}
	appstest.Few(t, func(t *testing.T, s appstest.Shape) {
		require.NoError(t, s.Run(t, func(r *pebble.Rank) error {
			counts := appstest.Must(run(r, files))
			all, err := counts.Gather(0)
			if r.ID() == 0 && err == nil {
				require.Len(t, all, len(want))
				for _, e := range all {
					require.Equal(t, want[e.Key], e.Value, e.Key)
				}
			}
			return err
		}))
	})
}

func TestShown(t *testing.T) {
	file := appstest.Write(t, "a.txt", "a rose is\na rose is a rose a")
	for n, want := range map[int]string{0: "", 2: "       4 a\n       3 rose\n",
		9: "       4 a\n       3 rose\n       2 is\n"} {
		w := &strings.Builder{}
		require.NoError(t, appstest.Mem(3).Run(t, func(r *pebble.Rank) error {
			counts, err := run(r, []string{file})
			require.NoError(t, err)
			return show(r, w, counts, n)
		}))
		require.Equal(t, want, w.String())
	}
}

func TestMissing(t *testing.T) {
	err := appstest.Mem(2).Run(t, func(r *pebble.Rank) error {
		_, err := run(r, []string{"nosuch.txt"})
		return err
	})
	require.ErrorContains(t, err, "nosuch.txt")
}
