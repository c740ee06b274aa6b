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

// process is one process of a job, as seen by its launcher. Only the launcher's loop uses it, except for the command,
// which belongs to the goroutine in wait after its start.
type process struct {
	Outcome
	cmd     *exec.Cmd
	control *control // of a process on another host
	remote
	line    net.Conn // to a process that has joined
	address string   // its listening address
	ended   bool
	began   time.Time
	stopped time.Time // time since which each check has found it stopped; zero if it was not

	mu     sync.Mutex
	reaped bool // its number may have been reused
}

// remote is the state of the way to a process on another host.
type remote struct {
	script  string  // for the host's shell
	login   *login  // of an ssh that has not reached the host
	reached bool    // the script was sent
	tries   int     // ssh that have ended before they reached the host
	printed []byte  // output of the last of them
	trouble trouble // reason for its end
}

func newProcess(s *Spec, number int) *process {
	first, last := netio.Spread(s.Ranks, s.Processes, number)
	return &process{Outcome: Outcome{Process: number, First: first, Last: last, Host: s.host(number)}}
}

// startHere starts the process on this machine. It closes the pipe with the secret, which the process inherits.
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
	return p.start()
}

// startThere starts the process on its host, through a local ssh that reads the script from its standard input.
func (p *process) startThere(s *Spec, e environment, secret []byte, stdout, stderr *os.File) error {
	path, err := exec.LookPath(s.SSH[0])
	if err != nil {
		return fmt.Errorf("find the command for other hosts: %w", err)
	}
	stdin, file, err := os.Pipe()
	if err != nil {
		return fmt.Errorf("make pipe for ssh: %w", err)
	}
	defer stdin.Close()
	p.cmd = &exec.Cmd{
		Path: path, Args: sshArguments(s, p.Host, e.job), Env: withoutJob(os.Environ()),
		Stdin: stdin, Stdout: stdout, Stderr: stderr,
		SysProcAttr: attributes(),
	}
	if err := p.start(); err != nil {
		file.Close()
		return err
	}
	p.control = newControl(file)
	p.script = remoteScript(s, e, secret)
	return nil
}

func (p *process) start() error {
	p.began = time.Now()
	if err := p.cmd.Start(); err != nil {
		return fmt.Errorf("start %s: %w", p.name(), err)
	}
	p.Started = true
	return nil
}

// reset makes a process whose ssh has ended look unstarted.
func (p *process) reset() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.cmd, p.control, p.ended, p.reaped = nil, nil, false, false
	p.Started, p.Status, p.Signal = false, 0, 0
}

// signal sends a signal to the process and its children if it is reached; else to the ssh that has not reached its
// host.
func (p *process) signal(s syscall.Signal) {
	if p.reached && !p.ended {
		p.control.write(signalNames[s] + "\n")
		return
	}
	p.kill(s)
}

// kill sends a signal to the local process group; for a process on another host, that is ssh.
func (p *process) kill(s syscall.Signal) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.cmd != nil && p.cmd.Process != nil && !p.reaped {
		syscall.Kill(-p.cmd.Process.Pid, s)
	}
}

// isStopped reports whether a signal has stopped the process, if it is on this host.
func (p *process) isStopped() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.Started && !p.ended && !p.reaped && isStopped(p.cmd.Process.Pid)
}

// wait returns when the process has ended. Its children that are left in its group are killed, and its shared memory is
// removed.
func (p *process) wait() {
	awaitExit(p.cmd)
	p.mu.Lock()
	defer p.mu.Unlock()
	syscall.Kill(-p.cmd.Process.Pid, syscall.SIGKILL)
	removeSharedMemory(p.cmd.Process.Pid, p.began)
	_ = p.cmd.Wait() // errors are in the state too
	p.reaped = true
}

// finish records the end of the process, after wait has returned.
func (p *process) finish() {
	p.ended = true
	if p.line != nil { // its reader closes it; its last messages may still be on their way
		p.line.SetReadDeadline(time.Now().Add(lastWordsLimit))
	}
	if p.control != nil {
		p.control.close()
	}
	status, ok := p.cmd.ProcessState.Sys().(syscall.WaitStatus)
	switch {
	case ok && status.Signaled():
		p.Signal = status.Signal()
		p.Status = 128 + int(p.Signal)
	default:
		p.Status = p.cmd.ProcessState.ExitCode()
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
