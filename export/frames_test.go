package export

import (
	"bytes"
	"io"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/require"
)

// magic begins a zstd frame.
var magic = []byte{0x28, 0xb5, 0x2f, 0xfd}

// Each frame takes input up to its bound, the second one like the first. Together they have all input.
func TestFramesAreLong(t *testing.T) {
	const each, piece, pieces = 1000, 300, 20 // 4 pieces per frame
	e, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithZeroFrames(true))
	require.NoError(t, err)
	var out, want bytes.Buffer
	f := &frames{to: &out, encoder: e, most: each}
	for i := range pieces {
		b := bytes.Repeat([]byte{byte('a' + i)}, piece)
		want.Write(b)
		_, err := f.Write(b)
		require.NoError(t, err)
	}
	require.NoError(t, f.close())
	require.Equal(t, pieces/4, bytes.Count(out.Bytes(), magic))
	d, err := zstd.NewReader(&out, zstd.WithDecoderConcurrency(1))
	require.NoError(t, err)
	defer d.Close()
	got, err := io.ReadAll(d)
	require.NoError(t, err)
	require.Equal(t, want.Bytes(), got)
}
