package export_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/export"
)

// mounted mounts a file system until the test ends. It skips the test without permission to mount.
func mounted(t *testing.T, flags uintptr, options string) string {
	folder := t.TempDir()
	err := syscall.Mount("none", folder, "tmpfs", flags, options)
	if errors.Is(err, syscall.EPERM) {
		t.Skip("this user may not mount a file system")
	}
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, syscall.Unmount(folder, 0)) })
	return folder
}

// A full disk and a read-only one are errors with a remedy, and leave nothing.
func TestMounts(t *testing.T) {
	for name, c := range map[string]struct {
		flags   uintptr
		options string
		want    string
	}{
		"full":      {0, "size=64k", "no space left on device: make room, or write to another file system"},
		"read-only": {syscall.MS_RDONLY, "", "read-only file system: give the user of the job the right to write"},
	} {
		t.Run(name, func(t *testing.T) {
			folder := mounted(t, c.flags, c.options)
			for _, opts := range [][]export.Option{nil, {export.OneFile()}, {export.Zstd()}} {
				_, err := write(3, 20_000, filepath.Join(folder, "out"), export.Lines(), noise, opts...)
				require.ErrorContains(t, err, "write "+filepath.Join(folder, "out"))
				require.ErrorContains(t, err, c.want)
				alone(t, folder)
			}
		})
	}
}

// noise returns a line that compression does not shorten.
func noise(i int) []byte {
	line, x := make([]byte, 60), uint64(i)+1
	for j := range line {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
		line[j] = '!' + byte(x%90)
	}
	return line
}

// A folder without write permission is an error, even for root, if another user runs the job.
func TestNotWritable(t *testing.T) {
	if os.Getuid() == 0 { // root may write everywhere
		runAsNobody(t)
		return
	}
	folder := t.TempDir()
	require.NoError(t, os.Chmod(folder, 0o500))
	_, err := write(2, 1, filepath.Join(folder, "out"), export.Lines(), line)
	require.ErrorContains(t, err, "permission denied: give the user of the job the right to write there")
}

// runAsNobody runs a test again as an unprivileged user, from a copy of the program that this user may read.
func runAsNobody(t *testing.T) {
	const nobody = 65534
	program, err := os.ReadFile("/proc/self/exe")
	require.NoError(t, err)
	folder, err := os.MkdirTemp("/var/tmp", "export")
	require.NoError(t, err)
	defer os.RemoveAll(folder)
	require.NoError(t, os.Chown(folder, nobody, nobody))
	path := filepath.Join(folder, "test")
	require.NoError(t, os.WriteFile(path, program, 0o755))
	again := exec.Command(path, "-test.run", "^"+t.Name()+"$", "-test.v")
	again.Dir, again.Env = folder, []string{"TMPDIR=" + folder}
	again.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	told, err := again.CombinedOutput()
	require.NoError(t, err, "%s", told)
	require.Contains(t, string(told), "--- PASS: "+t.Name())
}
