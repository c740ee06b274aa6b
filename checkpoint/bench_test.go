package checkpoint_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/apps/appstest"
	"github.com/activepebbles/pebbles/checkpoint"
	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/pebble"
)

// savedWords is the state of a rank in words, 128 MiB.
const savedWords = 1 << 24

// BenchmarkSave saves the words of one rank, in memory if the system has a folder there. BenchmarkWrite writes and
// syncs the same bytes to a file. Their ratio is the cost of records and checksums.
func BenchmarkSave(b *testing.B) {
	s := appstest.Mem(1)
	s.Checkpoints.Folder = inMemory(b)
	require.NoError(b, s.Run(b, func(r *pebble.Rank) error {
		words := make([]uint64, savedWords)
		c := checkpoint.New(r, "words", checkpoint.Slice("words", distribution.Block(savedWords, 1), &words))
		if _, err := c.Restore(); err != nil {
			return err
		}
		b.SetBytes(savedWords * 8)
		b.ResetTimer()
		for range b.N {
			appstest.OK(c.Save())
		}
		b.StopTimer()
		return nil
	}))
}

func BenchmarkWrite(b *testing.B) {
	name, words := filepath.Join(inMemory(b), "words"), make([]byte, savedWords*8)
	b.SetBytes(savedWords * 8)
	for range b.N {
		f, err := os.Create(name)
		require.NoError(b, err)
		_, err = f.Write(words)
		require.NoError(b, err)
		require.NoError(b, f.Sync())
		require.NoError(b, f.Close())
		require.NoError(b, os.Remove(name))
	}
}

// inMemory returns a folder with files in memory, if the system has one, and removes it afterwards.
func inMemory(b *testing.B) string {
	if _, err := os.Stat("/dev/shm"); err != nil {
		return b.TempDir()
	}
	folder, err := os.MkdirTemp("/dev/shm", "saved-")
	require.NoError(b, err)
	b.Cleanup(func() { os.RemoveAll(folder) })
	return folder
}
