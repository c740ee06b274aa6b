package graph

import (
	"bytes"
	"compress/gzip"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func pack(tb testing.TB, text []byte) []byte {
	tb.Helper()
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	_, err := z.Write(text)
	require.NoError(tb, err)
	require.NoError(tb, z.Close())
	return packed.Bytes()
}

// TestMagicDecides: names lie, first bytes do not.
func TestMagicDecides(t *testing.T) {
	plain := []byte("p tw 3 2\n1 2\n2 3\n")
	for _, name := range []string{"packed.gr", "packed.gr.gz", "packed"} {
		require.NoError(t, readText(string(pack(t, plain)), name))
		require.NoError(t, readText(string(plain), name))
	}
	members := append(pack(t, plain[:10]), pack(t, plain[10:])...)
	require.NoError(t, readText(string(members), "members.gr.gz"), "gzip files may be joined")
}

// TestGzipCutAnywhere cuts a compressed file at every byte.
func TestGzipCutAnywhere(t *testing.T) {
	whole, err := os.ReadFile(filepath.Join("testdata", "sparse.txt")) // its text tells no size, so only gzip can
	require.NoError(t, err)
	packed := pack(t, whole)
	require.NoError(t, readText(string(packed), "sparse.txt.gz"))
	for cut := 2; cut < len(packed); cut++ {
		require.ErrorIs(t, readText(string(packed[:cut]), "sparse.txt.gz"), ErrTruncated, "cut at %d of %d", cut, len(packed))
	}
}

// TestGzipDamagedAnywhere flips each bit after the header of a compressed file. Only the few bits that fill up the last
// byte of the data may go unnoticed.
func TestGzipDamagedAnywhere(t *testing.T) {
	packed := pack(t, bytes.Repeat([]byte("18 1844674\n"), 100))
	require.NoError(t, readText(string(packed), "g.el"))
	unnoticed := 0
	for bit := 10 * 8; bit < len(packed)*8; bit++ {
		bad := bytes.Clone(packed)
		bad[bit/8] ^= 1 << (bit % 8)
		if err := readText(string(bad), "g.el"); err == nil {
			unnoticed++
		} else {
			require.ErrorContains(t, err, "the gzip data ", "bit %d: it is no mistake in the graph", bit)
		}
	}
	require.Less(t, unnoticed, 8)
	require.ErrorIs(t, readText(string(append(packed, "and more that is no gzip"...)), "g.el"), ErrDamaged)
	require.ErrorContains(t, readText(string(append(packed, "and more that is no gzip"...)), "g.el"), "the gzip data is damaged, fetch the file again")
	require.NotContains(t, readText(string(pack(t, []byte("1 2\nwrong\n"))), "g.el").Error(), "gzip", "it is whole, and no graph")
	require.ErrorIs(t, readText("\x1f\x8bnothing like gzip", "g.el"), ErrDamaged)
	require.ErrorContains(t, readText(string(pack(t, nil)), "g.el"), "the file is empty")
}
