//go:build linux && (amd64 || arm64)

package command

import (
	"debug/elf"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// without returns an environment in which the loader finds a file instead of libfabric.
func without(t *testing.T, file []byte) []string {
	folder := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(folder, "libfabric.so.1"), file, 0o600))
	return []string{"LD_LIBRARY_PATH=" + folder}
}

// refused runs a small job that must end with status 1. Each line about the reason has these words.
func refused(t *testing.T, environment []string, says []string, line ...string) {
	t.Helper()
	r := process(t, environment, line...)
	require.Equal(t, 1, r.Status, r.Stderr)
	require.Empty(t, r.Stdout)
	for _, words := range says {
		require.Contains(t, r.Stderr, words)
	}
	require.NotContains(t, r.Stderr, "goroutine")
}

// TestWithoutLibfabric requires that the command starts without the library, and names its package when asked for it.
func TestWithoutLibfabric(t *testing.T) {
	absent, two := without(t, nil), with(small["randomaccess"], "--procs", "2")
	r := process(t, absent, two...)
	require.Zero(t, r.Status, r.Stderr)
	refused(t, absent, []string{"load libfabric.so.1", "install it", "libfabric1"}, with(two, "--transport", "ofi")...)
}

// TestAutoLoadsNothing inspects processes of a job without flags for libfabric.
func TestAutoLoadsNothing(t *testing.T) {
	if devices, _ := filepath.Glob("/sys/class/infiniband/*"); len(devices) > 0 {
		t.Skip("this host has a device")
	}
	job := begin(t, 2, "--procs", "2", "--transport", "auto")
	require.False(t, mapsLibfabric(t, job.Process.Pid)) // this process may have loaded it for other tests
	for _, m := range job.members {
		require.False(t, mapsLibfabric(t, m.pid))
	}
}

func mapsLibfabric(t *testing.T, pid int) bool {
	maps, err := os.ReadFile(fmt.Sprintf("/proc/%d/maps", pid))
	require.NoError(t, err)
	require.NotEmpty(t, maps)
	return strings.Contains(string(maps), "libfabric")
}

// TestStaticProgram inspects the command without libfabric. It needs no loader and no files of the system.
func TestStaticProgram(t *testing.T) {
	static := os.Getenv("PEBBLES_STATIC")
	if static == "" {
		t.Skip("name in PEBBLES_STATIC the command that was built with -tags static, as .ci/static does")
	}
	root := filepath.Dir(static)
	require.False(t, needsLoader(t, static))
	require.True(t, needsLoader(t, binary), "which shows that the look tells them apart")
	if os.Getuid() != 0 {
		t.Skip("only root may enter another root folder")
	}
	c := exec.Command("/"+filepath.Base(static), with(small["randomaccess"], "--ranks", "2")...)
	c.SysProcAttr, c.Dir = &syscall.SysProcAttr{Chroot: root}, "/"
	out, err := c.CombinedOutput()
	require.NoError(t, err, "%s", out)
}

func needsLoader(t *testing.T, program string) bool {
	f, err := elf.Open(program)
	require.NoError(t, err)
	defer f.Close()
	for _, p := range f.Progs {
		if p.Type == elf.PT_INTERP {
			name, err := io.ReadAll(p.Open())
			require.NoError(t, err)
			return len(name) > 0
		}
	}
	return false
}

// TestFabricMistakes is for hosts with libfabric.
func TestFabricMistakes(t *testing.T) {
	if os.Getenv("PEBBLES_PROVIDER") == "" {
		t.Skip("name a provider of libfabric in PEBBLES_PROVIDER, such as tcp")
	}
	two := with(small["randomaccess"], "--procs", "2", "--transport", "ofi")
	t.Run("loads", func(t *testing.T) { // TestAutoLoadsNothing would see it
		for _, m := range begin(t, 2, "--procs", "2", "--transport", "ofi", "--provider", "tcp").members {
			require.True(t, mapsLibfabric(t, m.pid))
		}
	})
	t.Run("old", func(t *testing.T) {
		source := filepath.Join(t.TempDir(), "old.c")
		require.NoError(t, os.WriteFile(source, []byte("unsigned fi_version(void) { return 1 << 16 | 9; }\n"+
			"void fi_getinfo(void) {} void fi_freeinfo(void) {} void fi_dupinfo(void) {} void fi_fabric(void) {} void "+
			"fi_strerror(void) {}\n"), 0o600))
		library := filepath.Join(t.TempDir(), "old.so")
		out, err := exec.Command("cc", "-shared", "-fPIC", "-o", library, source).CombinedOutput()
		require.NoError(t, err, "%s", out)
		file, err := os.ReadFile(library)
		require.NoError(t, err)
		refused(t, without(t, file), []string{"it is 1.9, 1.14 is needed at least: install a newer one"}, two...)
	})
	t.Run("unknown provider", func(t *testing.T) {
		refused(t, nil, []string{`no provider "pigeon" with reliable datagrams (FI_EP_RDM), FI_MSG and FI_RMA`,
			"lists those it has"}, with(two, "--provider", "pigeon")...)
	})
	t.Run("different providers", func(t *testing.T) {
		script := `test "$PEBBLES_PROCESS" = 0 && p=tcp || p=shm; exec "$0" "$@" --transport ofi --provider $p`
		refused(t, nil, []string{"it uses provider ", "give both the same --provider"},
			with([]string{"run", "-n", "2", "--", "sh", "-c", script, binary}, small["randomaccess"]...)...)
	})
	t.Run("little memory", func(t *testing.T) {
		refused(t, nil, []string{"no more memory may be pinned: raise --pinned, or `ulimit -l`"},
			with(two, "--provider", "tcp", "--pinned", "1MiB")...)
	})
}
