package launch_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/internal/launch"
)

// TestSecretIsInNoEnvironment uses a login that exports all variable names of the shells on the other host, now or in
// the past, and one that makes shells export all variables.
func TestSecretIsInNoEnvironment(t *testing.T) {
	for _, name := range []string{
		"n", "l", "b", "secret", "watcher", "status", "signal", "pebbles_n", "pebbles_line", "pebbles_script",
	} {
		t.Setenv(name, "mine")
	}
	for _, shell := range []string{"sh", "bash"} {
		t.Run(shell, func(t *testing.T) { requireNoSecret(t, shell) })
	}
	t.Run("bash is sh", func(t *testing.T) {
		bash, err := exec.LookPath("bash")
		require.NoError(t, err)
		dir := t.TempDir()
		require.NoError(t, os.Symlink(bash, filepath.Join(dir, "sh")))
		t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
		t.Setenv("SHELLOPTS", "allexport")
		requireNoSecret(t, "/bin/sh")
	})
}

// requireNoSecret checks the whole environment of programs that a login shell has started.
func requireNoSecret(t *testing.T, shell string) {
	hexadecimal := regexp.MustCompile("[0-9a-f]{64}")
	s := otherHosts(shell).spec(launch.Spec{Processes: 2, Env: []string{"secret=ours", "b="}})
	s.SSH[0] = "/bin/sh"
	for _, text := range runJob(t, "environment", s).find(t, "environment", 2) {
		var environment []string
		require.NoError(t, json.Unmarshal([]byte(text), &environment))
		require.Subset(t, environment, []string{"secret=ours", "b=", "status=mine"})
		for _, v := range environment {
			if !strings.HasPrefix(v, "PEBBLES_BUILD=") { // the sum of the program
				require.NotRegexp(t, hexadecimal, v)
			}
			require.NotContains(t, v, "pebbles_")
		}
	}
}

func TestManyProcessesOnOneHostStartInTurn(t *testing.T) {
	t.Parallel()
	s := otherHosts("sh").spec(launch.Spec{Processes: 10}) // more than start at once
	s.Bind = "lo"                                          // name of an interface
	runJob(t, "exchange", s)
}

func TestRemoteStatus(t *testing.T) {
	t.Parallel()
	for status, says := range map[string]string{
		"7": "ended with status 7", "126": "can't be executed there", "127": "was not found there",
		"255": "ssh could not reach",
	} {
		_, err := startJob(t, "crash:"+status, otherHosts("sh").spec(launch.Spec{Processes: 2})).wait(t)
		require.ErrorContains(t, err, says)
	}
	_, err := startJob(t, "crash:0", otherHosts("sh").spec(launch.Spec{Processes: 2, Dir: "/no/such/dir"})).wait(t)
	require.ErrorContains(t, err, "ended with status 1")
}
