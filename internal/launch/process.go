package launch

import (
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"

	"github.com/activepebbles/pebbles/netio"

	"github.com/activepebbles/pebbles/internal/handshake"
)

// process is one process of a job, as its launcher sees it. Only the launcher's loop touches it, but for the command,
// which belongs to the goroutine in wait once it has started.
type process struct {
	Outcome
	cmd     *exec.Cmd
	control *control // of a process on another host
	remote
	line    net.Conn // to a process that has joined
	address string   // where that listens
	ended   bool
	began   time.Time
	stopped time.Time // since when a look has found it stopped; zero when it was not

	mu     sync.Mutex
	reaped bool // its number may be another process's by now
}

// remote is what the launcher knows of the way to a process on another host.
type remote struct {
	script  string  // for the host's shell
	login   *login  // of an ssh that has not reached the host yet
	reached bool    // the script was sent
	tries   int     // ssh that have ended before they reached the host
	heard   []byte  // what the last of them has printed
	trouble trouble // and why it ended
}

func newProcess(s *Spec, number int) *process {
	first, last := netio.Spread(s.Ranks, s.Processes, number)
	return &process{Outcome: Outcome{Process: number, First: first, Last: last, Host: s.host(number)}}
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
	p.cmd.Env = append(p.cmd.Env, s.crowded()...)
	if s.build != "" {
		p.cmd.Env = append(p.cmd.Env, s.build)
	}
	if p.Process == 0 && s.Stdin != nil {
		p.cmd.Stdin = s.Stdin
	}
	return p.start()
}

// startThere starts the process on its host, by a local ssh that reads the script from its standard input.
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

// reset makes a process whose ssh has ended one that was not started.
func (p *process) reset() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.cmd, p.control, p.ended, p.reaped = nil, nil, false, false
	p.Started, p.Status, p.Signal = false, 0, 0
}

// signal sends a signal to the process, if it is there, and to what it has started; else to the ssh that has not reached its host.
func (p *process) signal(s syscall.Signal) {
	if p.reached && !p.ended {
		p.control.say(signalNames[s] + "\n")
		return
	}
	p.kill(s)
}

// kill sends a signal to the local process group, which for a process on another host is ssh.
func (p *process) kill(s syscall.Signal) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.cmd != nil && p.cmd.Process != nil && !p.reaped {
		syscall.Kill(-p.cmd.Process.Pid, s)
	}
}

// isStopped reports whether a signal has stopped the process: one of this host.
func (p *process) isStopped() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.Started && !p.ended && !p.reaped && isStopped(p.cmd.Process.Pid)
}

// wait returns when the process has ended. What it has started and left in its group is killed, and its shared memory
// removed.
func (p *process) wait() {
	awaitExit(p.cmd)
	p.mu.Lock()
	defer p.mu.Unlock()
	syscall.Kill(-p.cmd.Process.Pid, syscall.SIGKILL)
	removeLeftovers(p.cmd.Process.Pid, p.began)
	_ = p.cmd.Wait() // what is wrong is in the state too
	p.reaped = true
}

// finish notes how the process ended, after wait has returned.
func (p *process) finish() {
	p.ended = true
	if p.line != nil { // whoever listens closes it; what it has said last may still be on its way
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

// lastWordsLimit is how long the launcher reads a connection after its process has ended.
const lastWordsLimit = time.Second

// tell sends a process the departure for which it waits after it has joined.
func tell(line net.Conn, d departure) error {
	return errors.Join(line.SetWriteDeadline(time.Now().Add(lineLimit)), handshake.WriteMessage(line, d))
}
