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

// process is one process of a job, as its launcher sees it. Only the launcher's loop uses it.
type process struct {
	Outcome
	child            // of this launcher; unused where an agent has started it
	line    net.Conn // to a process that has joined
	address string   // its listening address
	ended   bool
	stopped time.Time // since when each check has found it stopped; zero when it was not
}

func newProcess(s *Spec, number int) *process {
	first, last := netio.Spread(s.Ranks, s.Processes, number)
	return &process{Outcome: Outcome{Process: number, First: first, Last: last, Host: s.host(number)}}
}

// child is a child of the launcher: a process of the job, or an ssh. The command belongs to the goroutine in wait once
// it has started.
type child struct {
	cmd   *exec.Cmd
	began time.Time

	mu     sync.Mutex
	reaped bool // its number may be another process's by now
}

// startHere starts the process on this machine. The files it inherits are closed here afterwards.
func (p *process) startHere(s *Spec, e environment, secret []byte, stdout, stderr *os.File) error {
	pipe, err := secretPipe(secret)
	if err != nil {
		return err
	}
	defer pipe.Close()
	const descriptor = 3 // of the first extra file
	p.cmd = &exec.Cmd{
		Path: s.Program[0], Args: s.Program, Dir: s.Dir,
		Env:        append(append(withoutJob(os.Environ()), s.Env...), e.list(descriptor)...),
		ExtraFiles: []*os.File{pipe},
		Stdout:     stdout, Stderr: stderr,
		SysProcAttr: attributes(),
	}
	p.cmd.Env = append(p.cmd.Env, s.oversubscribed()...)
	if s.build != "" {
		p.cmd.Env = append(p.cmd.Env, s.build)
	}
	if p.Process == 0 && s.Stdin != nil {
		p.cmd.Stdin = s.Stdin
	}
	if err := p.start(); err != nil {
		return fmt.Errorf("start %s: %w", p.name(), err)
	}
	p.Started = true
	return nil
}

func (c *child) start() error {
	c.began = time.Now()
	return c.cmd.Start()
}

// kill sends a signal to the child's process group.
func (c *child) kill(s syscall.Signal) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.cmd != nil && c.cmd.Process != nil && !c.reaped {
		syscall.Kill(-c.cmd.Process.Pid, s)
	}
}

// isStopped reports whether a signal has stopped the process: a child of this launcher.
func (p *process) isStopped() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.cmd != nil && p.Started && !p.ended && !p.reaped && isStopped(p.cmd.Process.Pid)
}

// wait returns when the child has ended. What it has started and left in its group is killed, and its shared memory
// removed.
func (c *child) wait() {
	awaitExit(c.cmd)
	c.mu.Lock()
	defer c.mu.Unlock()
	syscall.Kill(-c.cmd.Process.Pid, syscall.SIGKILL)
	removeSharedMemory(c.cmd.Process.Pid, c.began)
	_ = c.cmd.Wait() // what is wrong is in the state too
	c.reaped = true
}

// outcome is the exit status of the child, and the signal that has ended it, after wait has returned.
func (c *child) outcome() (status int, by syscall.Signal) {
	state, ok := c.cmd.ProcessState.Sys().(syscall.WaitStatus)
	if ok && state.Signaled() {
		return 128 + int(state.Signal()), state.Signal()
	}
	return c.cmd.ProcessState.ExitCode(), 0
}

// finish notes how the process ended.
func (p *process) finish(status int, by syscall.Signal) {
	p.ended, p.Status, p.Signal = true, status, by
	if p.line != nil { // its reader closes it; what it has sent last may still be on its way
		p.line.SetReadDeadline(time.Now().Add(lastWordsLimit))
	}
}

// lastWordsLimit is the time that the launcher reads a connection after its process has ended.
const lastWordsLimit = time.Second

// lastLookLimit is the time of one more look, so that a launcher that did not run meanwhile misses nothing.
const lastLookLimit = 100 * time.Millisecond

// sharedFolder is the folder of named shared memory. Ours has no names.
const sharedFolder = "/dev/shm"

// removeSharedMemory removes the files that libfabric's provider shm has left of a process that has ended, while its
// number can't be reused. The files have names such as 4711:0:0: the process, the user, the endpoint. Files of other
// users, or from before the process, are left alone.
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
