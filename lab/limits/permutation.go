package limits

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/activepebbles/pebbles/internal/cpu"
)

// Permutation is the limit of the application of that name: out[perm[data[i]]] = i for arrays of the same size in one
// memory, by a goroutine for each share of i, without messages. data and perm are random permutations.
type Permutation struct {
	Log2Elements int    // of each share, 8 bytes in each of three arrays: 1 to 30
	Shares       int    // and number of goroutines
	Seed         uint64 // of data and perm
	Huge         bool   // ask the system for huge pages
}

const elementsMost = 1 << 36 // of all shares: 24 bytes each are more than any machine has

// Check returns an error for sizes that cannot be measured.
func (p Permutation) Check() error {
	if p.Log2Elements < 1 || p.Log2Elements > 30 || p.Shares < 1 || p.Shares > elementsMost>>p.Log2Elements {
		return fmt.Errorf("%d shares of 2^%d elements: give 1 to 30 for the logarithm, at least one share, and at "+
			"most %d elements in all",
			p.Shares, p.Log2Elements, elementsMost)
	}
	return nil
}

// Run permutes. It verifies that every i is in its place: perm and data may not lead two of them to one place.
func (p Permutation) Run() (Report, error) {
	if err := p.Check(); err != nil {
		return Report{}, err
	}
	a, free, err := p.arrays()
	defer free()
	if err != nil {
		return Report{}, err
	}
	start := time.Now()
	p.shared(func(first, end int) { a.permute(first, end) })
	took := time.Since(start)
	r := Report{App: "limit-permutation", Procs: 1, Checksum: checksum([][]uint64{a.out}), Seconds: took.Seconds()}
	r.Elements = uint64(len(a.out))
	r.ElementsPerSecond = float64(r.Elements) / r.Seconds
	r.Errors = a.misplaced()
	return r, nil
}

// shared runs work for each share concurrently, and waits for all.
func (p Permutation) shared(work func(first, end int)) {
	var running sync.WaitGroup
	for i := range p.Shares {
		running.Go(func() { work(i<<p.Log2Elements, (i+1)<<p.Log2Elements) })
	}
	running.Wait()
}

// arrays are the three arrays of Permutation.
type arrays struct{ data, perm, out []uint64 }

// unset marks elements of out that have not been written.
const unset = ^uint64(0)

// arrays makes them; free releases their memory, whatever the error.
func (p Permutation) arrays() (a arrays, free func(), err error) {
	var frees []func()
	free = func() {
		for _, f := range frees {
			f()
		}
	}
	for _, words := range []*[]uint64{&a.data, &a.perm, &a.out} {
		made, freeOne, err := memory(p.Shares<<p.Log2Elements, p.Huge)
		if err != nil {
			return a, free, err
		}
		*words, frees = made, append(frees, freeOne)
	}
	var running sync.WaitGroup
	running.Go(func() { shuffle(a.data, p.Seed, 1) })
	running.Go(func() { shuffle(a.perm, p.Seed, 2) })
	for i := range a.out {
		a.out[i] = unset
	}
	running.Wait()
	return a, free, nil
}

// shuffle makes words a random permutation of their indices.
func shuffle(words []uint64, seed, stream uint64) {
	random := rand.New(rand.NewPCG(seed, stream))
	for i := range words {
		j := random.IntN(i + 1)
		words[i] = words[j]
		words[j] = uint64(i)
	}
}

// permute writes a share of i, its end excluded.
func (a arrays) permute(first, end int) {
	perm, out := a.perm, a.out
	cpu.PrefetchEach(perm, a.data[first:end], func(data []uint64) {
		for _, index := range data {
			out[perm[index]] = uint64(first)
			first++
		}
	})
}

// misplaced returns the number of i that are not in their place.
func (a arrays) misplaced() (errors uint64) {
	for i, index := range a.data {
		if a.out[a.perm[index]] != uint64(i) {
			errors++
		}
	}
	return errors
}
