package main

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/activepebbles/pebbles/apps/appstest"
	"github.com/activepebbles/pebbles/ingest"
	"github.com/activepebbles/pebbles/pebble"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var pairs = strings.NewReplacer("A", "T", "C", "G", "G", "C", "T", "A")

func reversed(bases string) string {
	b := []byte(pairs.Replace(bases))
	slices.Reverse(b)
	return string(b)
}

// twin counts strings where the program counts numbers.
func twin(sequences []string) map[string]uint64 {
	counts := map[string]uint64{}
	for _, s := range sequences {
		for i := 0; i+k <= len(s); i++ {
			if kmer := strings.ToUpper(s[i : i+k]); strings.Trim(kmer, "ACGT") == "" {
				counts[min(kmer, reversed(kmer))]++
			}
		}
	}
	return counts
}

// drawn returns pieces of a short genome and of its reverse complement, some with unknown bases.
func drawn(seed uint64) (all []string) {
	random := rand.New(rand.NewPCG(seed, 1))
	genome := make([]byte, 500)
	for i := range genome {
		genome[i] = "ACGT"[random.IntN(4)]
	}
	for range 200 {
		from := random.IntN(len(genome))
		s := string(genome[from:min(from+random.IntN(120), len(genome))])
		switch random.IntN(4) {
		case 0:
			s = reversed(s)
		case 1:
			s = strings.ToLower(s)
		case 2:
			s = s[:len(s)/3] + "N" + s[len(s)/3:]
		}
		all = append(all, s)
	}
	return all
}

func TestCounts(t *testing.T) {
	sequences := drawn(1)
	want := twin(sequences)
	require.Greater(t, len(want), 300)
	var fasta, fastq strings.Builder
	for i, s := range sequences {
		fmt.Fprintf(&fasta, ">%d\n%s\n%s\n", i, s[:len(s)/2], s[len(s)/2:])
		fmt.Fprintf(&fastq, "@%d\n%s\n+\n%s\n", i, s, strings.Repeat("@", len(s)))
	}
	check := func(t *testing.T, s appstest.Shape, file string, format ingest.Format[ingest.Sequence]) {
		require.NoError(t, s.Run(t, func(r *pebble.Rank) error {
			counts := appstest.Must(run(r, []string{file}, format))
			all, err := counts.Gather(0)
			if r.ID() == 0 && err == nil {
				require.Len(t, all, len(want))
				for _, e := range all {
					require.Equal(t, want[string(basesOf(e.Key))], e.Value, "%s", basesOf(e.Key))
				}
			}
			return err
		}))
	}
	inFASTA, inFASTQ := appstest.Write(t, "a.fa", fasta.String()), appstest.Write(t, "a.fq", fastq.String())
	appstest.Few(t, func(t *testing.T, s appstest.Shape) {
		check(t, s, inFASTA, ingest.FASTA())
		check(t, s, inFASTQ, ingest.FASTQ())
	})
}

func TestShown(t *testing.T) {
	kmer := strings.Repeat("ACG", 10) + "A"
	file := appstest.Write(t, "a.fa", ">a\n"+kmer+"N"+reversed(kmer)+"\n>b\n"+kmer[1:]+"\n")
	w := &strings.Builder{}
	require.NoError(t, appstest.Mem(2).Run(t, func(r *pebble.Rank) error {
		counts, err := run(r, []string{file}, ingest.FASTA())
		require.NoError(t, err)
		return show(r, w, counts, 5)
	}))
	require.Equal(t, "       2 "+kmer+"\n", w.String())
}
