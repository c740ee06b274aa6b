package pebble_test

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/apps/appstest"
	"github.com/activepebbles/pebbles/internal/seeds"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/target/avro"
)

// matrix is a product that is associative but not commutative, of words that wrap.
type matrix [4]uint64

func (a matrix) times(b matrix) matrix {
	return matrix{a[0]*b[0] + a[1]*b[2], a[0]*b[1] + a[1]*b[3], a[2]*b[0] + a[3]*b[2], a[2]*b[1] + a[3]*b[3]}
}

// share is the argument of a rank in collectives.
type share struct {
	number int64
	flag   bool
	matrix matrix
	text   string
	counts map[string]int64
	slice  []matrix
	texts  []string
	empty  []struct{}
}

// shares draws the shares of all ranks, equal on each.
func shares(seed uint64, ranks int) []share {
	random := rand.New(rand.NewPCG(seed, uint64(ranks)))
	text := func() string { return strings.Repeat(string(rune('a'+random.IntN(26))), random.IntN(4)) }
	all := make([]share, ranks)
	for i := range all {
		s := &all[i]
		s.number, s.flag, s.text, s.counts = random.Int64N(1000)-500, random.IntN(2) == 0, text(), map[string]int64{}
		for range 1 + random.IntN(4) {
			s.counts[text()] += random.Int64N(9)
		}
		for j := range s.matrix {
			s.matrix[j] = random.Uint64()
		}
		for range random.IntN(3) * random.IntN(50) {
			s.slice = append(s.slice, matrix{random.Uint64(), uint64(i)})
		}
		for range random.IntN(4) {
			s.texts = append(s.texts, text())
		}
		s.empty = make([]struct{}, random.IntN(5))
	}
	return all
}

// column returns one field of all shares.
func column[T any](all []share, field func(share) T) []T {
	column := make([]T, len(all))
	for i, s := range all {
		column[i] = field(s)
	}
	return column
}

// folded merges one field of shares in the order of ranks.
func folded[T any](all []share, field func(share) T, merge func(a, b T) T) T {
	merged := field(all[0])
	for _, s := range all[1:] {
		merged = merge(merged, field(s))
	}
	return merged
}

var counting64 = avro.Must[map[string]int64]()

// merged adds to a, as a merge may with values that came through a codec.
func merged(a, b map[string]int64) map[string]int64 {
	for word, n := range b {
		a[word] += n
	}
	return a
}

// collected runs every collective on a rank, and compares each with the result of one loop over all shares.
func collected(r *pebble.Rank, seed uint64) (err error) {
	all := shares(seed, r.Size())
	own, upTo, below, root := all[r.ID()], all[:r.ID()+1], all[:r.ID()], int(seed%uint64(r.Size()))
	same := func(what string, want any) func(got any, failed error) {
		return func(got any, failed error) {
			if err == nil && failed != nil {
				err = fmt.Errorf("%s: %w", what, failed)
			}
			if err == nil && !reflect.DeepEqual(want, got) {
				err = fmt.Errorf("rank %d of %d: %s: want %v, got %v (%s=%d)", r.ID(), r.Size(), what, want, got,
					seeds.Variable, seed)
			}
		}
	}
	number := func(s share) int64 { return s.number }
	flag := func(s share) bool { return s.flag }
	text := func(s share) string { return s.text }
	product := func(s share) matrix { return s.matrix }
	counts := func(s share) map[string]int64 { return maps.Clone(s.counts) }
	join := func(a, b string) string { return a + b }
	bytes := func(s share) []byte { return []byte(s.text) }

	for _, op := range []func(a, b int64) int64{pebble.Sum[int64], pebble.Product[int64], pebble.Min[int64],
		pebble.Max[int64], pebble.And[int64], pebble.Or[int64], pebble.Xor[int64]} {
		same("AllReduce", folded(all, number, op))(pebble.AllReduce(r, own.number, op))
	}
	for _, op := range []func(a, b bool) bool{
		pebble.LogicalAnd[bool], pebble.LogicalOr[bool], pebble.LogicalXor[bool],
	} {
		same("AllReduce of flags", folded(all, flag, op))(pebble.AllReduce(r, own.flag, op))
	}
	same("AllReduce of maps", folded(all, counts, merged))(pebble.AllReduce(r, own.counts, merged, counting64))
	same("the own map", shares(seed, r.Size())[r.ID()].counts)(own.counts, nil)
	same("AllReduce of texts", folded(all, text, pebble.Min))(pebble.AllReduce(r, own.text, pebble.Min, words{}))

	same("Broadcast", all[root].matrix)(pebble.Broadcast(r, root, own.matrix))
	same("Broadcast of texts", all[root].text)(pebble.Broadcast(r, root, own.text, words{}))
	word, failed := r.BroadcastBytes(root, bytes(own))
	same("BroadcastBytes", all[root].text)(string(word), failed)
	same("Gather of maps", onRoot(r, root, column(all, counts)))(pebble.Gather(r, root, own.counts, counting64))
	same("Barrier", nil)(nil, r.Barrier())

	same("AllGather", column(all, product))(pebble.AllGather(r, own.matrix))
	same("AllGather of texts", column(all, text))(pebble.AllGather(r, own.text, words{}))
	same("AllGather of nothing", make([]struct{}, r.Size()))(pebble.AllGather(r, struct{}{}))
	same("AllGatherBytes", column(all, bytes))(r.AllGatherBytes(bytes(own)))

	filled := column(all, func(s share) []matrix { return append([]matrix{}, s.slice...) })
	worded := column(all, func(s share) []string { return append([]string{}, s.texts...) })
	nothing := column(all, func(s share) []struct{} { return s.empty })
	same("GatherSlice", onRoot(r, root, filled))(pebble.GatherSlice(r, root, own.slice))
	same("GatherSlice of texts", onRoot(r, root, worded))(pebble.GatherSlice(r, root, own.texts, words{}))
	same("AllGatherSlice", filled)(pebble.AllGatherSlice(r, own.slice))
	same("AllGatherSlice of texts", worded)(pebble.AllGatherSlice(r, own.texts, words{}))
	same("AllGatherSlice of nothing", nothing)(pebble.AllGatherSlice(r, own.empty))
	err = errors.Join(err, changed(r, own.slice)) // a caller's changes to its result touch no other
	same("AllGatherSlice again", filled)(pebble.AllGatherSlice(r, own.slice))

	same("Scan", folded(upTo, product, matrix.times))(pebble.Scan(r, own.matrix, matrix.times))
	same("Scan of texts", folded(upTo, text, join))(pebble.Scan(r, own.text, join, words{}))
	same("Scan of maps", folded(upTo, counts, merged))(pebble.Scan(r, own.counts, merged, counting64))
	before, line, table := matrix{7}, "first", map[string]int64{"first": 1}
	if len(below) > 0 {
		before, line = folded(below, product, matrix.times), folded(below, text, join)
		table = folded(below, counts, merged)
	}
	same("ExclusiveScan", before)(pebble.ExclusiveScan(r, own.matrix, matrix{7}, matrix.times))
	same("ExclusiveScan of texts", line)(pebble.ExclusiveScan(r, own.text, "first", join, words{}))
	same("ExclusiveScan of maps", table)(
		pebble.ExclusiveScan(r, own.counts, map[string]int64{"first": 1}, merged, counting64))
	return err
}

// onRoot returns the result of a rank if only the root gets one.
func onRoot[T any](r *pebble.Rank, root int, all []T) []T {
	if r.ID() != root {
		return nil
	}
	return all
}

// changed gathers slices, and changes each of them.
func changed(r *pebble.Rank, own []matrix) error {
	all, err := pebble.AllGatherSlice(r, own)
	before := make([][]matrix, len(all))
	for i := range all {
		before[i] = slices.Clone(all[i])
	}
	for i := range all {
		all[i] = append(all[i], matrix{1})
		clear(all[i])
		for j := i + 1; j < len(all); j++ {
			if !slices.Equal(all[j], before[j]) {
				return fmt.Errorf("slice %d changes with slice %d", j, i)
			}
		}
	}
	return err
}

func TestCollectivesAgainstOneLoop(t *testing.T) {
	seed := seeds.Of(t)
	for _, ranks := range []int{1, 2, 3, 5, 7, 8, 13, 16} {
		job(t, pebble.Config{Ranks: ranks}, func(r *pebble.Rank) error {
			for round := range uint64(5) {
				appstest.OK(collected(r, seed+round))
			}
			return nil
		})
	}
}

func TestCollectivesAcrossProcesses(t *testing.T) {
	t.Setenv(seeds.Variable, fmt.Sprint(seeds.Of(t)))
	for _, ranks := range []int{3, 7} {
		status, said := play(t, "collectives", 3, ranks)
		require.Zero(t, status, said)
		require.Empty(t, said)
	}
}

// collectivesBySeed is the role of these processes.
func collectivesBySeed(r *pebble.Rank) error {
	seed, err := strconv.ParseUint(os.Getenv(seeds.Variable), 10, 64)
	if err != nil {
		return err
	}
	return collected(r, seed)
}

// All ranks have the same bits of a floating-point sum.
func TestFloatSumsAreEqualOnAllRanks(t *testing.T) {
	seed := seeds.Of(t)
	for _, ranks := range []int{3, 7, 8, 13} {
		job(t, pebble.Config{Ranks: ranks}, func(r *pebble.Rank) error {
			random := rand.New(rand.NewPCG(seed, uint64(r.ID())))
			sum, err := pebble.AllReduce(r, random.ExpFloat64()*1e9, pebble.Sum)
			if err != nil {
				return err
			}
			sums, err := pebble.AllGather(r, sum)
			if err == nil && len(slices.Compact(sums)) != 1 {
				err = fmt.Errorf("sums differ: %v", sums)
			}
			return err
		})
	}
}

// Collectives cost what their comments say: on 13 = 8 + 4 + 1 ranks, of which 8 to 12 are folded into 0 to 4.
func TestCollectivesCost(t *testing.T) {
	exchanged := []uint64{4, 4, 4, 4, 4, 3, 3, 3, 1, 1, 1, 1, 1}
	for name, f := range map[string]func(r *pebble.Rank) error{
		"Barrier":        func(r *pebble.Rank) error { return r.Barrier() },
		"AllReduce":      func(r *pebble.Rank) error { return errorOf(pebble.AllReduce(r, 1, pebble.Sum)) },
		"AllGather":      func(r *pebble.Rank) error { return errorOf(pebble.AllGather(r, r.ID())) },
		"AllGatherBytes": func(r *pebble.Rank) error { return errorOf(r.AllGatherBytes(make([]byte, r.ID()))) },
		"AllGatherSlice": func(r *pebble.Rank) error { return errorOf(pebble.AllGatherSlice(r, make([]int, r.ID()))) },
		"Scan":           func(r *pebble.Rank) error { return errorOf(pebble.Scan(r, 1, pebble.Sum)) },
	} {
		var sent [13]uint64
		job(t, pebble.Config{Ranks: len(sent)}, func(r *pebble.Rank) error {
			before := r.Counters().ControlSent
			err := f(r)
			sent[r.ID()] = r.Counters().ControlSent - before
			return err
		})
		want := exchanged
		if name == "Scan" {
			want = []uint64{4, 4, 4, 4, 4, 3, 3, 3, 3, 2, 2, 2, 0}
		}
		require.Equal(t, want, sent[:], name)
	}
}

// broken is a codec that fails on request.
type broken struct{ append, decode bool }

var errBroken = errors.New("no ink")

func (b broken) Append(dst []byte, v int) ([]byte, error) {
	if b.append {
		return nil, errBroken
	}
	return append(dst, byte(v)), nil
}

func (b broken) Decode([]byte) (int, error) {
	if b.decode {
		return 0, errBroken
	}
	return 0, nil
}

// The error of a codec on one rank ends the job, on every rank, even on one that ignores it.
func TestCodecErrorsEndTheJob(t *testing.T) {
	one := []int{1}
	for name, f := range map[string]func(r *pebble.Rank, c pebble.Codec[int]) error{
		"AllReduce": func(r *pebble.Rank, c codec) error { return errorOf(pebble.AllReduce(r, 1, pebble.Sum, c)) },
		"Scan":      func(r *pebble.Rank, c codec) error { return errorOf(pebble.Scan(r, 1, pebble.Sum, c)) },
		"ExclusiveScan": func(r *pebble.Rank, c codec) error {
			return errorOf(pebble.ExclusiveScan(r, 1, 0, pebble.Sum, c))
		},
		"Broadcast":      func(r *pebble.Rank, c codec) error { return errorOf(pebble.Broadcast(r, 1, 1, c)) },
		"Gather":         func(r *pebble.Rank, c codec) error { return errorOf(pebble.Gather(r, 1, 1, c)) },
		"AllGather":      func(r *pebble.Rank, c codec) error { return errorOf(pebble.AllGather(r, 1, c)) },
		"GatherSlice":    func(r *pebble.Rank, c codec) error { return errorOf(pebble.GatherSlice(r, 1, one, c)) },
		"AllGatherSlice": func(r *pebble.Rank, c codec) error { return errorOf(pebble.AllGatherSlice(r, one, c)) },
	} {
		for _, b := range []broken{{append: true}, {decode: true}} {
			err := run(t, pebble.Config{Ranks: 3}, func(r *pebble.Rank) error {
				_ = f(r, b)
				return r.Barrier()
			})
			require.ErrorIs(t, err, errBroken, "%s %+v", name, b)
			require.Regexp(t, `^rank \d: `+name+`: (en|de)code a value: no ink$`, err.Error())
		}
	}
}

type codec = pebble.Codec[int]
