package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/pebble"
)

const asProgram = "TEST_IS_THE_PROGRAM"

// TestMain is the program itself when TestFlags starts it.
func TestMain(m *testing.M) {
	if os.Getenv(asProgram) == "" {
		os.Exit(m.Run())
	}
	main()
}

func program(args ...string) *exec.Cmd {
	c := exec.Command(os.Args[0], args...)
	c.Env = append(os.Environ(), asProgram+"=1")
	return c
}

// The program as users call it: the same numbers over every transport.
func TestFlags(t *testing.T) {
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
		command := program(append(c.args, "-json", "-numbers", "1000")...)
		command.Stderr = &said
		out, err := command.Output()
		require.NoError(t, err, said.String())
		var report pebble.Report
		require.NoError(t, json.Unmarshal(out, &report), string(out))
		require.Equal(t, c.ranks, report.Ranks)
		require.Equal(t, c.transport, report.Transport)
		require.EqualValues(t, 1000*c.ranks, report.Result)
	}
	require.Error(t, program("-network", "nowhere").Run())
}
