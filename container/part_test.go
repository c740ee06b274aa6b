package container

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"runtime"
	"testing"
	"unsafe"
	"weak"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/internal/codecs"
	"github.com/activepebbles/pebbles/pebble"
)

// loneDisk is a disk without a job, whose errors fail the test.
func loneDisk(t *testing.T) *disk {
	return &disk{folder: t.TempDir(), alive: func() {}, fail: func(err error) { require.NoError(t, err) }}
}

// Spilled rows leave memory, with all data that they point to: memory stays within the bound, and each row is written
// once.
func TestSpilledRowsLeaveMemory(t *testing.T) {
	const n, bytes, most = 50_000, 100, 1 << 20
	p := part[string]{disk: loneDisk(t), codec: codecs.Of[string](pebble.Strings{}), coded: true, most: most,
		each: int64(unsafe.Sizeof("")), random: rand.New(rand.NewPCG(1, 0))}
	const rowsMost = most/(16+bytes) + sampled
	var texts []weak.Pointer[byte]
	for i := range n {
		row := fmt.Sprintf("%0*d", bytes, i)
		texts = append(texts, weak.Make(unsafe.StringData(row)))
		addRow(&p, row)
		room := cap(p.rows.last)
		for _, block := range append(p.rows.full, p.rows.spare...) {
			room += cap(block)
		}
		require.LessOrEqual(t, p.rows.n, rowsMost, "after %d rows", i)
		require.LessOrEqual(t, room, 2*rowsMost, "after %d rows", i)
	}
	require.Equal(t, n, rowCount(&p))
	require.LessOrEqual(t, len(p.runs), n/(rowsMost-2*sampled)+1)
	require.GreaterOrEqual(t, len(p.runs), n/rowsMost)
	runtime.GC()
	alive := 0
	for _, text := range texts {
		if text.Value() != nil {
			alive++
		}
	}
	require.LessOrEqual(t, alive, p.rows.n+len(p.sample))
	for i, row := range rowsOf(&p) {
		require.Equal(t, fmt.Sprintf("%0*d", bytes, i), row)
	}
	clearRows(&p)
	require.Zero(t, rowCount(&p))
}

// Each level of a partition uses other bits of a hash: the rows of one part are spread over the parts of the next
// level.
func TestPartsOfPartsDiffer(t *testing.T) {
	for level := range levelsMax {
		p := partition{disk: loneDisk(t), codec: codecs.Value{Type: reflect.TypeFor[uint64]()}.OrPlain(), level: level}
		for part := range uint64(parts) {
			above, below := ^uint64(0), part<<(64-partBits*(level+1))
			if level > 0 {
				below |= above << (64 - partBits*level) // all in one part of each level before
			}
			p.add(below, unsafe.Pointer(&part))
		}
		p.end()
		for part := range parts {
			var got []uint64
			take(&p, part, func(vs []uint64) { got = append(got, vs...) })
			require.Equal(t, []uint64{uint64(part)}, got, "level %d", level)
		}
	}
}
