//go:build linux && (amd64 || arm64) && !static

package command

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/netio/ofi"
)

// TestDoctorWithoutLibfabric requires one line from doctor about the missing library, and status 0.
func TestDoctorWithoutLibfabric(t *testing.T) {
	r := process(t, without(t, []byte("no library")), "doctor")
	require.Zero(t, r.Status, r.Stderr)
	require.Regexp(t, `(?m)^libfabric +can't be used$`, r.Stdout)
	require.Regexp(t, `(?m)^missing +load libfabric\.so\.1: .*; install it \(Debian and Ubuntu: libfabric1; Fedora and RHEL: libfabric; SUSE: libfabric1\)$`, r.Stdout)
	require.NotContains(t, r.Stdout, "provider ")

	var printed struct{ Libfabric ofi.Finding }
	r = process(t, without(t, []byte("no library")), "doctor", "--json")
	require.Zero(t, r.Status)
	require.NoError(t, json.Unmarshal([]byte(r.Stdout), &printed))
	require.Empty(t, printed.Libfabric.Version)
	require.Len(t, printed.Libfabric.Missing, 1)
}

// TestWhoLoadsLibfabric requires that only doctor loads libfabric without a request, according to the loader's log.
func TestWhoLoadsLibfabric(t *testing.T) {
	loads := func(args ...string) bool {
		log := filepath.Join(t.TempDir(), "log")
		r := process(t, []string{"LD_DEBUG=files", "LD_DEBUG_OUTPUT=" + log}, args...)
		require.Zero(t, r.Status, r.Stderr)
		logs, err := filepath.Glob(log + ".*") // of all processes
		require.NoError(t, err)
		require.NotEmpty(t, logs)
		all := ""
		for _, name := range logs {
			text, err := os.ReadFile(name)
			require.NoError(t, err)
			all += string(text)
		}
		require.Contains(t, all, "libc.so.6", "the loader logs nothing")
		return strings.Contains(all, "libfabric")
	}
	require.True(t, loads("doctor"))
	require.False(t, loads("version"))
	require.False(t, loads("randomaccess", "--log2-words", "10", "--ranks", "2"))
	if !ofi.HasDevice() {
		require.False(t, loads("randomaccess", "--log2-words", "10", "--ranks", "2", "--procs", "2", "--transport", "auto"))
	}
}
