package checkpoint_test

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/checkpoint"
	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/internal/dataset"
	"github.com/activepebbles/pebbles/internal/disk"
	"github.com/activepebbles/pebbles/internal/launch"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/target"
)

const (
	roleVariable = "CHECKPOINT_ROLE" // of a process of a job: the folder, and its moments
	keptVariable = "CHECKPOINT_KEPT" // folder of the checkpoints, for .ci/faults, which makes hosts
	copyVariable = "CHECKPOINT_COPY" // set if checkpoints are written from memory
	hostVariable = "CHECKPOINT_HOST" // set if each process is a host, whose files are lost when it is killed
	memberSteps  = 12
)

// moments are the signals that end processes, each sent once in all restarts of a job.
type moments struct {
	mutex     sync.Mutex
	folder    string
	process   int
	preempted <-chan struct{} // closed when this process has noticed a signal that preempts the job
	signals   []moment
}

// moment is a signal that a process sends to itself.
type moment struct {
	name    string
	signal  syscall.Signal
	process int
	count   int // number of events of that name before
}

// parseMoments reads "NAME:SIGNAL:PROCESS:COUNT NAME:...".
func parseMoments(text string) (all []moment) {
	for _, word := range strings.Fields(text) {
		f := strings.Split(word, ":")
		numbers := make([]int, 3)
		for i := range numbers {
			numbers[i], _ = strconv.Atoi(f[i+1])
		}
		all = append(all, moment{f[0], syscall.Signal(numbers[0]), numbers[1], numbers[2]})
	}
	return all
}

// reached sends this process the signal of a moment that has come. A file records that for later restarts.
func (m *moments) reached(name string) {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	for i := range m.signals {
		s := &m.signals[i]
		if s.name != name || s.process != m.process {
			continue
		}
		if s.count--; s.count >= 0 {
			continue
		}
		mark := filepath.Join(m.folder, fmt.Sprint("reached-", i))
		if f, err := os.OpenFile(mark, os.O_CREATE|os.O_EXCL, 0o600); err == nil {
			f.Close()
			if s.signal == syscall.SIGKILL && m.isHost() {
				_ = os.RemoveAll(m.host())
			}
			_ = syscall.Kill(os.Getpid(), s.signal)
			switch s.signal {
			case syscall.SIGKILL:
				select {}
			case syscall.SIGTERM, syscall.SIGUSR1:
				<-m.preempted // or the job might end first
			}
		}
	}
}

func (m *moments) isHost() bool { return os.Getenv(hostVariable) != "" }

// host returns the folder of this process's host.
func (m *moments) host() string { return filepath.Join(m.folder, fmt.Sprint("host-", m.process)) }

// resumes records the time at which the job resumes, and whether it does so from a checkpoint.
func (m *moments) resumes(restored bool) {
	name := filepath.Join(m.folder, "resumed")
	if f, err := os.OpenFile(name, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600); err == nil {
		fmt.Fprintln(f, time.Now().UnixNano(), restored)
		f.Close()
	}
}

// member runs a process of a job: values spread over a ring in steps, and the job saves each step.
func member(role string) {
	folder, signals, _ := strings.Cut(role, " ")
	m := &moments{folder: folder, process: -1, signals: parseMoments(signals)}
	disk.SetFault(func(call, name string) error {
		if strings.HasPrefix(filepath.Base(name), "kept-") {
			call += "-old"
		} else if filepath.Base(name) == "manifest.json" {
			call += "-manifest"
		}
		m.reached(call)
		return nil
	})
	kept := cmp.Or(os.Getenv(keptVariable), filepath.Join(folder, "kept"))
	config := pebble.Config{Checkpoints: pebble.Checkpoints{Folder: kept, Every: 1,
		Copy: os.Getenv(copyVariable) != ""}}
	pebble.Main(config, func(r *pebble.Rank) error {
		if p := r.Place(); r.ID() == p.First {
			m.mutex.Lock()
			m.process, m.preempted = p.Process, r.Preempted()
			m.mutex.Unlock()
		}
		if err := r.Barrier(); err != nil {
			return err
		}
		if m.isHost() {
			dataset.SetHost(func(r *pebble.Rank) string { return fmt.Sprint(r.Place().Process) })
		}
		return spread(r, m)
	})
}

func spread(r *pebble.Rank, m *moments) error {
	const cells = 1000
	first := r.ID() == r.Place().First
	ring, step := distribution.Block(cells, r.Size()), 0
	here := make([]uint64, ring.LocalLen(r.ID()))
	for i := range here {
		here[i] = ring.Key(r.ID(), i)
	}
	var next []uint64
	add := target.New(r, "add", ring, target.Key(func(a [2]uint64) uint64 { return a[0] }),
		target.Each(func(a [2]uint64) { next[ring.Local(a[0])] += a[1] }))
	c := checkpoint.New(r, "kept", checkpoint.Value("step", &step), checkpoint.Slice("cells", ring, &here),
		checkpoint.Watched("restoring", func() { m.reached("restoring") }))
	if m.isHost() {
		c.In(m.host())
	}
	restored, err := c.Restore()
	if err != nil {
		return err
	}
	if r.ID() == 0 {
		m.resumes(restored)
	}
	for ; step < memberSteps; step++ {
		if c.Due() {
			if err := c.Save(); err != nil {
				return err
			}
		}
		next = make([]uint64, len(here))
		err := r.Epoch(func() error {
			if first {
				m.reached("epoch")
			}
			for i, n := range here {
				at := ring.Key(r.ID(), i)
				add.SendAll([][2]uint64{{(at + 1) % cells, 3 * n}, {(at + 7) % cells, n}})
			}
			return nil
		})
		if err != nil {
			return err
		}
		here = next
	}
	sum := uint64(0)
	for i, n := range here {
		sum += n * (ring.Key(r.ID(), i) + 1)
	}
	sum, err = pebble.AllReduce(r, sum, pebble.Sum)
	if err == nil && r.ID() == 0 {
		fmt.Println("sum", sum)
	}
	return err
}

// serial returns the sum that the members print.
func serial() (sum uint64) {
	const cells = 1000
	here := make([]uint64, cells)
	for i := range here {
		here[i] = uint64(i)
	}
	for range memberSteps {
		next := make([]uint64, cells)
		for i, n := range here {
			next[(i+1)%cells] += 3 * n
			next[(i+7)%cells] += n
		}
		here = next
	}
	for i, n := range here {
		sum += n * uint64(i+1)
	}
	return sum
}

// launched runs a job of processes with moments, in a folder.
func launched(t *testing.T, folder string, s launch.Spec, signals string) (printed string, err error) {
	t.Helper()
	program, err := os.Executable()
	require.NoError(t, err)
	var out bytes.Buffer
	s.Program, s.Env = []string{program}, append(s.Env, roleVariable+"="+folder+" "+signals)
	s.Stdout, s.Stderr, s.First = &out, &out, true
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	_, err = launch.Run(ctx, s)
	return out.String(), err
}

// A job whose processes are killed at any moment restarts, and gives the answer of an undisturbed job.
func TestKilledJobsGoOn(t *testing.T) {
	t.Parallel()
	for _, at := range []string{
		"epoch:9:1:0", "epoch:9:0:5", "restoring:9:1:0 epoch:9:1:3", "epoch:9:1:4 epoch:9:0:6",
		"open:9:1:2", "write:9:1:2", "sync:9:0:4", "close:9:0:3", "write-manifest:9:0:3", "rename:9:0:2", "rename:9:0:3",
		"rename-old:9:0:1",
	} {
		t.Run(at, func(t *testing.T) {
			folder, restarts := t.TempDir(), 1
			if strings.Contains(at, "restoring") { // the second death precedes a new checkpoint
				restarts = 2
			}
			printed, err := launched(t, folder, launch.Spec{Processes: 2, Ranks: 4, Restarts: restarts}, at)
			require.NoError(t, err, printed)
			require.Contains(t, printed, fmt.Sprintln("sum", serial()))
			for i := range strings.Fields(at) {
				require.FileExists(t, filepath.Join(folder, fmt.Sprint("reached-", i)), printed)
			}
			require.Len(t, names(t, filepath.Join(folder, "kept")), 2)
		})
	}
}

// The same holds if checkpoints are written from memory.
func TestKilledCopiesGoOn(t *testing.T) {
	t.Parallel()
	for _, at := range []string{"epoch:9:1:5", "write:9:1:4", "sync:9:0:4", "write-manifest:9:0:3", "rename:9:0:2"} {
		t.Run(at, func(t *testing.T) {
			printed, err := launched(t, t.TempDir(), launch.Spec{Processes: 2, Ranks: 4, Restarts: 1,
				Env: []string{copyVariable + "=1"}}, at)
			require.NoError(t, err, printed)
			require.Contains(t, printed, fmt.Sprintln("sum", serial()))
		})
	}
}

// The same holds if each process is a host of its own and is lost with its folder, even during a save.
func TestLostHostsGoOn(t *testing.T) {
	t.Parallel()
	for _, at := range []string{
		"epoch:9:0:5", "epoch:9:1:4 epoch:9:2:3", "open:9:1:8", "write:9:0:9", "sync:9:1:5",
		"write-manifest:9:1:3", "rename:9:0:2", "rename:9:1:3", "rename-old:9:2:1",
	} {
		t.Run(at, func(t *testing.T) {
			folder := t.TempDir()
			printed, err := launched(t, folder, launch.Spec{Processes: 3, Ranks: 4, Restarts: 2,
				Env: []string{hostVariable + "=1"}}, at)
			require.NoError(t, err, printed)
			require.Contains(t, printed, fmt.Sprintln("sum", serial()))
			for i := range strings.Fields(at) {
				require.FileExists(t, filepath.Join(folder, fmt.Sprint("reached-", i)), printed)
			}
			for i := range 3 {
				require.Len(t, names(t, filepath.Join(folder, fmt.Sprint("host-", i))), 2)
			}
		})
	}
}

// A job that must make room saves its state and ends with status 85. Other numbers of processes and ranks continue it.
func TestPreemptedJobsGoOn(t *testing.T) {
	t.Parallel()
	for _, at := range []string{"epoch:15:1:3", "epoch:10:0:3", "sync:15:0:9"} {
		t.Run(at, func(t *testing.T) {
			folder := t.TempDir()
			printed, err := launched(t, folder, launch.Spec{Processes: 2, Ranks: 4, Restarts: 2}, at)
			require.ErrorIs(t, err, launch.ErrPreempted, printed)
			require.Equal(t, launch.ExitPreempted, launch.StatusOf(err))
			require.NotContains(t, printed, "sum")
			printed, err = launched(t, folder, launch.Spec{Processes: 3, Ranks: 3}, at)
			require.NoError(t, err, printed)
			require.Contains(t, printed, fmt.Sprintln("sum", serial()))
		})
	}
}

// The launcher gives up without a new checkpoint, and never restarts a job that ends with an error.
func TestLauncherGivesUp(t *testing.T) {
	t.Parallel()
	at := strings.Repeat("epoch:9:1:0 ", 3)
	folder := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(folder, "kept"), nil, 0o600)) // so nothing can be restored
	printed, err := launched(t, folder, launch.Spec{Processes: 2, Restarts: 2}, at)
	require.ErrorContains(t, err, "ended with status 1", printed)
	require.NoFileExists(t, filepath.Join(folder, "reached-0"))

	folder = t.TempDir()
	printed, err = launched(t, folder, launch.Spec{Processes: 2, Restarts: 2},
		"epoch:9:1:3 restoring:9:1:0 restoring:9:1:0 restoring:9:1:0")
	require.ErrorContains(t, err, "was killed by signal 9", printed)
	require.ErrorContains(t, err, "gives up, since the job was started again 2 times without a new checkpoint")
	var failed *launch.FailedError
	require.True(t, errors.As(err, &failed))
	_, err = os.Stat(filepath.Join(folder, "reached-3"))
	require.ErrorIs(t, err, fs.ErrNotExist)
}
