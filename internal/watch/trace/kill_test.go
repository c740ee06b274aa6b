package trace

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// childPath is where the test's own program writes a trace until it is killed.
const childPath = "TRACE_TEST_CHILD"

func traceUntilKilled(path string) {
	f, err := Create(path, configOf(0, 1, 1))
	if err != nil {
		panic(err)
	}
	for i := range time.Duration(1000) {
		f.Rank(0).Slice(Wait, 1, 2*i, 2*i+1, uint64(i), None)
	}
	if err := f.Drain(); err != nil {
		panic(err)
	}
	f.Rank(0).Slice(Wait, 1, 9999, 9999, 0, None) // is lost
	fmt.Println("drained")
	time.Sleep(time.Hour) // Go ends a process all of whose goroutines wait for ever
}

// The trace of a process that was killed has all up to its last Drain.
func TestKilled(t *testing.T) {
	path := filepath.Join(t.TempDir(), "trace.pftrace")
	child := exec.Command(os.Args[0])
	child.Env, child.Stderr = append(os.Environ(), childPath+"="+path), os.Stderr
	out, err := child.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, child.Start())
	_, err = bufio.NewReader(out).ReadString('\n')
	require.NoError(t, child.Process.Kill())
	require.Error(t, child.Wait())
	require.NoError(t, err)
	require.Len(t, view(t, read(t, path)).events, 1000)
}
