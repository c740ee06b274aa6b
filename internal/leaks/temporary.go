package leaks

import (
	"cmp"
	"fmt"
	"os"
	"strings"
	"syscall"
)

// memory is a file system in memory, and roomMin is the space that tests need there, in bytes.
const (
	memory  = "/dev/shm"
	roomMin = 1 << 30
)

// within names a folder in memory that .ci/run removes: tests that crash leave theirs.
const within = "CI_TEST_FILES"

// Temporary returns the tests of a package, with a failure if temporary files are left. They have a folder of their own
// for these, which TMPDIR names. It is in memory if there is room: tests that make thousands of small files take
// several times as long on a disk.
func Temporary(m Tests) Tests { return temporary{m} }

type temporary struct{ Tests }

// Run implements Tests.
func (t temporary) Run() int {
	outer, base := os.Getenv("TMPDIR"), os.TempDir()
	if !strings.HasPrefix(base, memory+"/") && room(memory) >= roomMin { // a parent's folder is in memory already
		base = cmp.Or(os.Getenv(within), memory)
	}
	folder, err := os.MkdirTemp(base, "pebbles-tests-")
	if err != nil {
		fmt.Println("leaks: making a folder for temporary files:", err)
		return 1
	}
	_ = os.Setenv("TMPDIR", folder) // it fails for other names alone
	defer func() {
		_ = os.Setenv("TMPDIR", outer)
		_ = os.RemoveAll(folder)
	}()
	code := t.Tests.Run()
	if code != 0 {
		return code // a failed test may leave anything
	}
	entries, err := os.ReadDir(folder)
	if err != nil || len(entries) > 0 {
		fmt.Println("leaks: the tests leave temporary files:", entries, err)
		return 1
	}
	return 0
}

// room returns the bytes that are free on a file system; 0 if there is none.
func room(at string) uint64 {
	var s syscall.Statfs_t
	if err := syscall.Statfs(at, &s); err != nil {
		return 0
	}
	return uint64(s.Bavail) * uint64(s.Bsize) //nolint:unconvert // their types differ by system
}
