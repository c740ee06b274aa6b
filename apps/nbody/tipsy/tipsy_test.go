package tipsy

import (
	"bytes"
	"encoding/binary"
	"math"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/apps/appstest"
	"github.com/activepebbles/pebbles/apps/nbody/gravity"
)

func open(b []byte) (*File, error) { return Open("file", bytes.NewReader(b), int64(len(b))) }

// some returns particles with numbers of 32 bits.
func some(n int) []gravity.Particle {
	all := make([]gravity.Particle, n)
	random := rand.New(rand.NewPCG(1, 0))
	for i := range all {
		number := func() float64 { return float64(random.Float32()) }
		all[i] = gravity.Particle{
			Mass: number(), Soft: number(),
			Pos: gravity.Vector{number(), number(), number()}, Vel: gravity.Vector{number(), number(), number()},
		}
	}
	return all
}

func written(t testing.TB, all []gravity.Particle) []byte {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, Write(&b, 1.5, all, make([]float64, len(all))))
	return b.Bytes()
}

// A written file can be read, from any particle on.
func TestWriteAndRead(t *testing.T) {
	want := some(10_000)
	f, err := open(written(t, want))
	require.NoError(t, err)
	require.Equal(t, 10_000, f.Particles())
	require.InDelta(t, 1.5, f.Time(), 0)
	require.Equal(t, "file", f.Name())
	got := make([]gravity.Particle, 10_000)
	require.NoError(t, f.Read(0, got))
	require.Equal(t, want, got)
	require.NoError(t, f.Read(777, got[:5000]))
	require.Equal(t, want[777:5777], got[:5000])
}

// Gas and stars are read with their sizes.
func TestAllKinds(t *testing.T) {
	b := make([]byte, headerSize)
	for i, n := range []uint32{6, 3, 1, 2, 3} {
		binary.BigEndian.PutUint32(b[8+4*i:], n)
	}
	put := func(i, size, soft int) {
		p := make([]byte, size)
		binary.BigEndian.PutUint32(p, math.Float32bits(float32(i)))
		binary.BigEndian.PutUint32(p[soft:], math.Float32bits(float32(10*i)))
		b = append(b, p...)
	}
	put(0, 48, 40)
	put(1, 36, 28)
	put(2, 36, 28)
	put(3, 44, 36)
	put(4, 44, 36)
	put(5, 44, 36)
	f, err := open(b)
	require.NoError(t, err)
	for first := range 6 {
		got := make([]gravity.Particle, 6-first)
		require.NoError(t, f.Read(first, got))
		for i, p := range got {
			require.InDelta(t, first+i, p.Mass, 0)
			require.InDelta(t, 10*(first+i), p.Soft, 0)
		}
	}
}

// Each error is one sentence.
func TestBadFiles(t *testing.T) {
	good := written(t, some(3))
	changed := func(at int, b ...byte) []byte {
		c := bytes.Clone(good)
		copy(c[at:], b)
		return c
	}
	little := make([]byte, 32)
	for i, n := range []uint32{3, 3, 0, 3, 0} {
		binary.LittleEndian.PutUint32(little[8+4*i:], n)
	}
	for says, b := range map[string][]byte{
		"begins with a header of 32":   good[:20],
		"it was cut short":             good[:len(good)-1],
		"not a TIPSY file":             append(bytes.Clone(good), 0),
		"byte order":                   little,
		"2 dimensions":                 changed(12, 0, 0, 0, 2),
		"of which 0 gas, 3 dark and 7": changed(24, 0, 0, 0, 7),
	} {
		_, err := open(b)
		require.ErrorContains(t, err, says)
	}
	for says, b := range map[string][]byte{
		"particle 0: its position is no number":      changed(36, 0x7f, 0xc0, 0, 0),
		"particle 1: its velocity is no number":      changed(32+36+16, 0x7f, 0x80, 0, 0),
		"particle 2: its mass is not 0 or more":      changed(32+72, 0xbf),
		"particle 2: its softening is not 0 or more": changed(32+72+28, 0xbf),
	} {
		f, err := open(b)
		require.NoError(t, err)
		require.ErrorContains(t, f.Read(0, make([]gravity.Particle, 3)), says)
	}
}

// ChaNGa's King model can be read, and is written byte by byte the same, except for its potentials.
func TestKing(t *testing.T) {
	path := appstest.Data(t, "changa/king_soft.bin")
	b, err := os.ReadFile(path)
	require.NoError(t, err)
	f, err := open(b)
	require.NoError(t, err)
	all := make([]gravity.Particle, f.Particles())
	require.Len(t, all, 36_000)
	require.NoError(t, f.Read(0, all))
	potentials := make([]float64, len(all))
	for i := range potentials {
		potentials[i] = float64(math.Float32frombits(binary.BigEndian.Uint32(b[headerSize+36*i+32:])))
	}
	var out bytes.Buffer
	require.NoError(t, Write(&out, f.Time(), all, potentials))
	require.Equal(t, b[headerSize:], out.Bytes()[headerSize:])
}

// FuzzOpen opens arbitrary bytes, and reads their particles.
func FuzzOpen(f *testing.F) {
	f.Add(written(f, some(3)))
	f.Add([]byte("no file of particles"))
	f.Fuzz(func(t *testing.T, b []byte) {
		file, err := open(b)
		if err != nil {
			return
		}
		if err := file.Read(0, make([]gravity.Particle, file.Particles())); err != nil {
			require.ErrorContains(t, err, "file")
		}
	})
}
