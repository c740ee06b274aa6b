package record

import (
	"bufio"
	"math/rand/v2"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// childDir is the variable that makes this binary a writer that is killed.
const childDir = "PEBBLES_TEST_RECORD"

// writeUntilKilled writes second after second, as fast as the disk takes them.
func writeUntilKilled(dir string) {
	job := jobOf("j1", 1, 4)
	w, err := Create(dir, job, 0, 1<<20)
	if err != nil {
		panic(err)
	}
	random := rand.New(rand.NewPCG(1, 2))
	for s := 0; ; s++ {
		step(random, &job.Processes[0], s, 3)
		if err := w.Second(after(float64(s)), &job.Processes[0], 0, "it moves"); err != nil {
			panic(err)
		}
		if s == 10 { // what was handed over by now has been written
			done := make(chan struct{})
			w.sink.queue <- batch{done: done}
			<-done
			os.Stdout.WriteString("writes\n")
		}
	}
}

// A process is killed at any moment. What it had written is there, but for a line that was cut, and it is known that it
// was killed.
func TestKilled(t *testing.T) {
	random := newRandom(t)
	for range 6 {
		dir := t.TempDir()
		child := exec.Command(os.Args[0])
		child.Env = append(os.Environ(), childDir+"="+dir)
		out, err := child.StdoutPipe()
		require.NoError(t, err)
		require.NoError(t, child.Start())
		_, err = bufio.NewReader(out).ReadString('\n')
		require.NoError(t, err)
		time.Sleep(time.Duration(random.IntN(20_000)) * time.Microsecond) // any moment
		require.NoError(t, child.Process.Signal(syscall.SIGKILL))
		require.Error(t, child.Wait())

		record, err := Read(dir)
		require.NoError(t, err)
		require.Len(t, record.Ranks, 4)
		require.Equal(t, Killed, record.Ending.Kind)
		require.Equal(t, 0, record.Ending.Process)
		require.Contains(t, record.Ending.Cause, "Process 0 (ranks 0-3, host host0, pid 1000) was killed")
		for _, problem := range record.Problems {
			require.Regexp(t, "the last line is cut|to keep the record in bounds|since its disk was slow", problem)
		}
	}
}
