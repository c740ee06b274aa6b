package runs

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/internal/disk"
)

func write(t *testing.T, r *Run, records ...[]byte) {
	t.Helper()
	for _, record := range records {
		require.NoError(t, r.Append(func(dst []byte) ([]byte, error) { return append(dst, record...), nil }))
	}
	require.NoError(t, r.Flush())
}

func read(r *Run) (all [][]byte, err error) {
	from := r.Reader()
	for {
		record, err := from.Next()
		if err == io.EOF {
			return all, nil
		}
		if err != nil {
			return all, err
		}
		all = append(all, bytes.Clone(record))
	}
}

func made(t *testing.T) (*Run, string) {
	folder := t.TempDir()
	r, err := New(folder)
	require.NoError(t, err)
	t.Cleanup(func() { _ = r.Close() })
	return r, folder
}

func TestRecordsComeBackInOrder(t *testing.T) {
	r, folder := made(t)
	var want [][]byte
	for i := range 1000 {
		want = append(want, bytes.Repeat([]byte{byte(i)}, i*i%5000+i%2))
	}
	want = append(want, make([]byte, 3*blockBytes))
	write(t, r, want[:500]...)
	write(t, r, want[500:]...)
	require.Equal(t, len(want), r.Len())
	for range 2 {
		got, err := read(r)
		require.NoError(t, err)
		require.Len(t, got, len(want))
		for i := range want {
			require.True(t, bytes.Equal(want[i], got[i]), "record %d", i)
		}
	}
	names, err := os.ReadDir(folder)
	require.NoError(t, err)
	require.Empty(t, names, "a file with a name stays behind when its process is killed")
}

func TestRecordThatCantBeEncodedLeavesNothing(t *testing.T) {
	r, _ := made(t)
	cause := errors.New("no")
	require.ErrorIs(t, r.Append(func(dst []byte) ([]byte, error) { return append(dst, "half"...), cause }), cause)
	write(t, r, []byte("whole"))
	got, err := read(r)
	require.NoError(t, err)
	require.Equal(t, [][]byte{[]byte("whole")}, got)
}

// Each byte of a file is changed, and the file is cut at each length: no wrong record comes back.
func TestDamageIsTold(t *testing.T) {
	want := [][]byte{[]byte("one"), {}, []byte("three and more")}
	for at := range 1000 {
		r, _ := made(t)
		write(t, r, want...)
		if int64(at) == r.Bytes() {
			return
		}
		var b [1]byte
		_, err := r.file.ReadAt(b[:], int64(at))
		require.NoError(t, err)
		_, err = r.file.WriteAt([]byte{b[0] ^ 1<<(at%8)}, int64(at))
		require.NoError(t, err)
		_, err = read(r)
		require.ErrorIs(t, err, errDamaged, "byte %d", at)

		r, _ = made(t)
		write(t, r, want...)
		require.NoError(t, r.file.Truncate(int64(at)))
		_, err = read(r)
		require.ErrorIs(t, err, errDamaged, "cut at %d", at)
	}
	t.Fatal("the file has no end")
}

func TestFullDiskAndNoFolderAreTold(t *testing.T) {
	_, err := New(filepath.Join(t.TempDir(), "none"))
	require.ErrorContains(t, err, "name a writable folder")
	full, err := os.OpenFile("/dev/full", os.O_RDWR, 0)
	if err != nil {
		t.Skip("there is no /dev/full here: ", err)
	}
	r := &Run{file: disk.File{File: full}, block: make([]byte, headBytes)}
	require.NoError(t, r.Append(func(dst []byte) ([]byte, error) { return fmt.Append(dst, 1), nil }))
	err = r.Flush()
	require.ErrorIs(t, err, syscall.ENOSPC)
	require.ErrorContains(t, err, "name a folder with more room")
	require.NoError(t, r.Close())
}

// A run that is written holds no memory for records, and a reader holds one block.
func TestMemoryOfRuns(t *testing.T) {
	r, _ := made(t)
	write(t, r, make([]byte, blockBytes-100), make([]byte, 100), make([]byte, 3))
	require.Nil(t, r.block)
	from := r.Reader()
	for range r.Len() {
		_, err := from.Next()
		require.NoError(t, err)
	}
	require.Less(t, cap(from.block)+from.from.Size(), blockBytes+4096)
}
