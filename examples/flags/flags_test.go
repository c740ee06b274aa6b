package main

import (
	"bytes"
	"encoding/json"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/pebble"
)

// The program as users call it: the same numbers, whatever carries them.
func TestFlags(t *testing.T) {
	program := filepath.Join(t.TempDir(), "flags")
	out, err := exec.Command("go", "build", "-o", program, ".").CombinedOutput()
	require.NoError(t, err, string(out))
	for _, c := range []struct {
		args      []string
		ranks     int
		transport string
	}{
		{[]string{"-ranks", "3"}, 3, "mem"},
		{[]string{"-ranks", "4", "-topology", "auto", "-coalesce=auto"}, 4, "mem"},
		{[]string{"-ranks", "16", "-network", "odin", "-topology", "hypercube"}, 16, "sim"},
	} {
		var said bytes.Buffer
		command := exec.Command(program, append(c.args, "-json", "-numbers", "1000")...)
		command.Stderr = &said
		out, err := command.Output()
		require.NoError(t, err, said.String())
		var report pebble.Report
		require.NoError(t, json.Unmarshal(out, &report), string(out))
		require.Equal(t, c.ranks, report.Ranks)
		require.Equal(t, c.transport, report.Transport)
		require.EqualValues(t, 1000*c.ranks, report.Result)
	}
	require.Error(t, exec.Command(program, "-network", "nowhere").Run())
}
