package launch

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"github.com/activepebbles/pebbles/netio"
)

// process is the launcher's view of one process of a job. Only the launcher's loop uses it, except identity.
type process struct {
	Outcome
	child            // of this launcher; unused if an agent has started it
	line    net.Conn // to a process that has joined
	address string   // its listening address
	ended   bool
	stopped time.Time // first of consecutive checks that found it stopped; zero if the last one did not
}

func newProcess(s *Spec, number int) *process {
	first, last := netio.Spread(s.Ranks, s.Processes, number)
	return &process{Outcome: Outcome{Process: number, First: first, Last: last, Host: s.host(number)}}
}

// identity returns the fields that never change. Unlike the others they are for any goroutine.
func (p *process) identity() Outcome {
	return Outcome{Process: p.Process, First: p.First, Last: p.Last, Host: p.Host}
}

// child is a child of the launcher: a process of the job, or an ssh. Once it has started, the command belongs to the
// goroutine in wait.
type child struct {
	cmd   *exec.Cmd
	began time.Time

	mu     sync.Mutex
	reaped bool // its number may have been reused
}

// startHere starts the process on this machine. The caller releases stdout and stderr afterwards.
func (p *process) startHere(s *Spec, e environment, secret []byte, stdout, stderr *os.File) error {
	pipe, err := secretPipe(secret)
	if err != nil {
		return err
	}
	defer pipe.Close()
	const descriptor = 3 // of the first extra file
	cmd := &exec.Cmd{
		Path: s.Program[0], Args: s.Program, Dir: s.Dir,
		Env:        append(append(withoutJob(os.Environ()), s.Env...), e.list(descriptor)...),
		ExtraFiles: []*os.File{pipe},
		Stdout:     stdout, Stderr: stderr,
		SysProcAttr: attributes(),
	}
	cmd.Env = append(cmd.Env, s.oversubscribed()...)
	if s.build != "" {
		cmd.Env = append(cmd.Env, s.build)
	}
	if p.Process == 0 && s.Stdin != nil {
		cmd.Stdin = s.Stdin
	}
	if err := p.start(cmd); err != nil {
		return fmt.Errorf("start %s: %w", p.name(), err)
	}
	p.Started = true
	return nil
}

// start starts the child. Its output may end the job, and kill the child, before start returns.
func (c *child) start(cmd *exec.Cmd) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.cmd, c.began = cmd, time.Now()
	return cmd.Start()
}

// kill sends a signal to the child's process group.
func (c *child) kill(s syscall.Signal) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.cmd != nil && c.cmd.Process != nil && !c.reaped {
		syscall.Kill(-c.cmd.Process.Pid, s)
	}
}

// isStopped reports whether the process is a child of this launcher that a signal has stopped.
func (p *process) isStopped() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.cmd != nil && p.Started && !p.ended && !p.reaped && isStopped(p.cmd.Process.Pid)
}

// wait returns when the child has ended. It kills the rest of the child's process group, and removes its shared memory.
func (c *child) wait() {
	awaitExit(c.cmd)
	c.mu.Lock()
	defer c.mu.Unlock()
	syscall.Kill(-c.cmd.Process.Pid, syscall.SIGKILL)
	removeSharedMemory(c.cmd.Process.Pid, c.began)
	_ = c.cmd.Wait() // the state has the error too
	c.reaped = true
}

// outcome returns the exit status of the child, and the signal that ended it. It may be called after wait has returned.
func (c *child) outcome() (status int, by syscall.Signal) {
	state, ok := c.cmd.ProcessState.Sys().(syscall.WaitStatus)
	if ok && state.Signaled() {
		return 128 + int(state.Signal()), state.Signal()
	}
	return c.cmd.ProcessState.ExitCode(), 0
}

// finish records the end of the process.
func (p *process) finish(status int, by syscall.Signal) {
	p.ended, p.Status, p.Signal = true, status, by
	if p.line != nil { // its reader closes it; the last messages may still be on their way
		p.line.SetReadDeadline(time.Now().Add(lastWordsLimit))
	}
}

// lastWordsLimit bounds the reads from a connection after its process has ended.
const lastWordsLimit = time.Second

// lastLookLimit is the time of one more read after a limit, during which the launcher may not have run.
const lastLookLimit = 100 * time.Millisecond

// sharedFolder is the folder of named shared memory. This module's own has no names.
const sharedFolder = "/dev/shm"

// removeSharedMemory removes the files that libfabric's provider shm has left of a process that has ended, while its
// number can't be reused. A name such as 4711:0:0 consists of process, user and endpoint. Files of other users, and
// files older than the process, stay.
func removeSharedMemory(pid int, began time.Time) {
	user := os.Geteuid()
	pattern := filepath.Join(sharedFolder, fmt.Sprintf("%d:%d:*", pid, user))
	names, _ := filepath.Glob(pattern)  // fails for bad patterns only
	began = began.Truncate(time.Second) // times of files are coarse
	for _, name := range names {
		file, err := os.Lstat(name)
		if err != nil || !file.Mode().IsRegular() || file.ModTime().Before(began) {
			continue
		}
		if owner, ok := file.Sys().(*syscall.Stat_t); ok && int(owner.Uid) == user {
			_ = os.Remove(name) // another process of the job may have removed it
		}
	}
}
