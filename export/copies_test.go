package export

import (
	"hash/crc32"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/internal/disk"
)

// A part's copy is on the next host, and the copies of a host's parts are distributed over the ranks of that one.
func TestKeepers(t *testing.T) {
	for _, c := range []struct{ makers, keepers []int64 }{
		{[]int64{0, 0, 0}, nil},
		{[]int64{0, 1}, []int64{1, 0}},
		{[]int64{0, 0, 2, 2}, []int64{2, 3, 0, 1}},
		{[]int64{0, 0, 0, 3, 0}, []int64{3, 3, 3, 0, 3}},
		{[]int64{0, 1, 2, 0, 1, 2}, []int64{1, 2, 0, 4, 5, 3}},
	} {
		var all []int64
		for _, keeper := range (options{copies: true}).keepers(c.makers) {
			all = append(all, int64(keeper))
		}
		require.Equal(t, c.keepers, all)
		require.Nil(t, options{}.keepers(c.makers))
	}
}

// A copy with missing or other bytes, or one that cannot be written, is an error that names the part.
func TestDamagedCopies(t *testing.T) {
	text := []byte("abcdefgh")
	sent := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(sent, "part"), text, 0o600))
	p := Part{Name: "part", Bytes: 8, Checksum: checksum(crc32.Checksum(text, castagnoli))}
	for want, take := range map[string]func(c *copying, s shift){
		"": (*copying).take,
		"copy part to another host: ": func(c *copying, s shift) {
			s.Data[3]++
			c.take(s)
		},
		"has 0 bytes": func(*copying, shift) {},
		"file already closed": func(c *copying, s shift) {
			c.files[0].Close()
			c.take(s)
		},
	} {
		c := &copying{folder: t.TempDir(), parts: []Part{p}, files: map[uint64]disk.File{}}
		c.open(0)
		from := &copying{folder: sent, parts: c.parts}
		require.NoError(t, from.send(0, func(s shift) { take(c, s) }))
		err := c.finish()
		if c.close(); want == "" {
			require.NoError(t, err)
			continue
		}
		require.ErrorContains(t, err, want)
	}
	c := &copying{folder: filepath.Join(sent, "nosuch"), parts: []Part{p}, files: map[uint64]disk.File{}}
	c.open(0)
	c.take(shift{0, 0, text})
	require.ErrorContains(t, c.finish(), "copy part to another host: open ")
	require.ErrorContains(t, c.send(0, func(shift) {}), "no such file")
}
