package pages

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// plainDiff is diff, one unit at a time.
func plainDiff(page, twin []byte, grain int) (runs []run) {
	for at := 0; at < len(page); at += grain {
		if string(page[at:at+grain]) == string(twin[at:at+grain]) {
			continue
		}
		if n := len(runs); n > 0 && runs[n-1].to == at {
			runs[n-1].to += grain
		} else {
			runs = append(runs, run{at, at + grain})
		}
	}
	return runs
}

// pageOf draws a page and its twin: n bytes with some runs that differ.
func pageOf(random *rand.Rand, n int) (page, twin []byte) {
	words := make([]uint64, n/8+1) // aligns units
	twin = asBytes(words)[:n]
	for i := range twin {
		twin[i] = byte(random.Uint32())
	}
	page = asBytes(make([]uint64, n/8+1))[:n]
	copy(page, twin)
	for range random.IntN(6) {
		for i, left := random.IntN(n+1), 1+random.IntN(40); i < n && left > 0; i, left = i+1, left-1 {
			page[i] ^= byte(random.Uint32())
		}
	}
	return page, twin
}

func TestDiffEqualsPlainDiff(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 20_000 {
		grain := 1 << random.IntN(4)
		page, twin := pageOf(random, grain*(1+random.IntN(600)))
		want, got := plainDiff(page, twin, grain), diff(nil, page, twin, grain)
		require.Equal(t, want, got, "grain %d of %d bytes", grain, len(page))
	}
}

func FuzzDiff(f *testing.F) {
	f.Add([]byte("0123456789abcdef"), []byte("0123x5678yabcdef"), uint8(3))
	f.Fuzz(func(t *testing.T, a, b []byte, grain uint8) {
		unit := 1 << (grain % 4)
		n := min(len(a), len(b)) / unit * unit
		page, twin := asBytes(make([]uint64, n/8+1))[:n], asBytes(make([]uint64, n/8+1))[:n]
		copy(page, a)
		copy(twin, b)
		require.Equal(t, plainDiff(page, twin, unit), diff(nil, page, twin, unit))
	})
}

// Writes of two ranks to neighbouring elements never share a unit.
func TestGrain(t *testing.T) {
	for size, want := range map[int]int{1: 1, 2: 2, 3: 1, 4: 4, 6: 2, 8: 8, 12: 4, 16: 8, 24: 8, 9: 1} {
		require.Equal(t, want, grain(size), "elements of %d bytes", size)
	}
}

// The notices of an interval name its pages, and no others, at any place of the ring.
func TestNoticesNameTheirPages(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	l := logs{own: make([]uint64, logWords), time: make([]uint64, 1)}
	for range 400 {
		want, list := map[written]bool{}, []written(nil)
		for range random.IntN(20) {
			at := written{uint32(random.IntN(3)), uint32(random.IntN(3000))}
			for range 1 + random.IntN(2)*random.IntN(countMax/8) {
				list = append(list, at)
				want[at] = true
				at.page++
			}
		}
		from := l.time[0]
		list, n := l.file(list)
		require.Empty(t, list)
		require.Equal(t, l.time[0]-from, uint64(n))
		got := map[written]bool{}
		for place := from; place < l.time[0]; place++ {
			w := notice(l.own[place%logWords])
			require.True(t, w.at(place))
			require.False(t, w.at(place+logWords))
			for i := range w.count() {
				page := written{uint32(w.region()), uint32(w.page() + i)}
				require.False(t, got[page], "twice")
				got[page] = true
			}
		}
		require.Equal(t, want, got)
	}
}

func TestPieces(t *testing.T) {
	for _, c := range [][5]uint64{
		{0, 3, 0, 3, 0}, {logWords - 2, logWords, logWords - 2, 2, 0}, {logWords - 2, logWords + 3, logWords - 2, 2, 3},
		{5, logWords + 5, 5, logWords - 5, 5},
	} {
		lo, first, second := pieces(c[0], c[1])
		require.Equal(t, [3]uint64{c[2], c[3], c[4]}, [3]uint64{lo, first, second})
	}
}

func BenchmarkDiff(b *testing.B) {
	const bytes = 4096
	for name, change := range map[string]func(p []uint64){
		"equal": func([]uint64) {},
		"one":   func(p []uint64) { p[100]++ },
		"all": func(p []uint64) {
			for i := range p {
				p[i]++
			}
		},
		"alternate": func(p []uint64) {
			for i := 0; i < len(p); i += 2 {
				p[i]++
			}
		},
	} {
		b.Run(name, func(b *testing.B) {
			page, twin := make([]uint64, bytes/8), make([]uint64, bytes/8)
			change(page)
			runs := make([]run, 0, bytes)
			b.SetBytes(bytes)
			for b.Loop() {
				runs = diff(runs[:0], asBytes(page), asBytes(twin), 8)
			}
		})
	}
}
