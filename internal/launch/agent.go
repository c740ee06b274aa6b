package launch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net"
	"os"
	"os/signal"
	"runtime"
	"syscall"
	"time"

	"github.com/activepebbles/pebbles/internal/handshake"
)

// varAgent makes the launcher's executable the agent of a job. Its value is the job's id.
const varAgent = "PEBBLES_AGENT"

// BeAgent runs this process as an agent if a launcher on another host has started it as one, and exits after the
// agent's processes have ended. Otherwise it returns at once. Programs that call [Run] with hosts call it first.
func BeAgent() {
	job, ok := os.LookupEnv(varAgent)
	if !ok {
		return
	}
	os.Unsetenv(varAgent)
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) // the launcher may be gone: processes must still end
	fmt.Print(agentReady(job))
	Exit(runAgent(os.Args[1:], os.Stdin, os.Stdout))
}

// runAgent reads an order, starts its processes and reports their progress to the launcher. The end of the input is the
// end of the launcher: the processes then end too.
func runAgent(program []string, from io.Reader, to io.Writer) (status int) {
	var o order
	if err := handshake.ReadMessage(from, orderBytesMax, &o); err != nil {
		fmt.Fprintln(os.Stderr, "read the launcher's order:", err)
		return ExitFollower
	}
	up := newAbove(to, o.Last-o.First)
	defer up.close()
	j, err := o.job(program, up)
	if err != nil {
		up.words <- word{Process: o.First, Failed: err.Error()}
		return ExitError
	}
	runtime.LockOSThread() // the kernel ends the processes with the thread that started them
	defer runtime.UnlockOSThread()
	ctx, cancel := context.WithCancelCause(context.Background())
	go func() {
		for {
			var c command
			if err := handshake.ReadMessage(from, departureBytesMax(o.Processes), &c); err != nil {
				cancel(ErrLauncherGone)
				return
			}
			select {
			case j.commands <- c:
			case <-j.over:
				return
			}
		}
	}()
	j.supervise(ctx)
	_, _ = j.finish() // the launcher has the whole result
	return ExitOK
}

// job returns the agent's part of the job.
func (o *order) job(program []string, up *above) (*job, error) {
	s := &Spec{
		Processes: o.Processes, Ranks: o.Ranks, Program: program, Transport: o.Transport, Connect: o.Connect,
		here: o.Last - o.First, StartLimit: o.StartLimit, SilenceLimit: o.SilenceLimit, Grace: o.Grace,
		Stdout: io.Discard, Stderr: io.Discard,
		Log: slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn})),
	}
	if build, err := handshake.BuildSetting(program[0]); err == nil {
		s.build = build
	}
	j := makeJob(s, o.Job, o.Secret, o.First, o.Last)
	j.above, j.commands = up, make(chan command)
	var err error
	if j.listenAt, err = o.listenAt(); err != nil {
		return nil, err
	}
	j.rendezvous, err = openRendezvous(s, j.id, j.secret)
	return j, err
}

// listenAt returns the interface or address that the processes of this host listen on. Without an interface, it is the
// source address of packets to the launcher; none is sent.
func (o *order) listenAt() (string, error) {
	if o.Interface != "" {
		return o.Interface, nil
	}
	conn, err := net.Dial("udp", net.JoinHostPort(o.Toward, "9"))
	if err != nil {
		return "", fmt.Errorf("find the address of this host: %w; name an interface that hosts have, by --bind", err)
	}
	defer conn.Close()
	host, _, err := net.SplitHostPort(conn.LocalAddr().String())
	return host, err
}

// handle executes the command in the agent's loop.
func (c command) handle(j *job) {
	switch {
	case c.Signal == syscall.SIGKILL:
		j.fail(&SignalError{c.Signal})
		j.kill()
	case c.Signal != 0:
		j.handleSignal(c.Signal, time.Now())
	case c.Check:
		j.checking = true
	case c.Failed != "":
		j.fail(errors.New(c.Failed))
	default:
		j.depart(c.departure)
	}
}

// cannotStart reports to the launcher that a process was not started, with the error text and exit status of a shell.
func (p *process) cannotStart(j *job, err error) {
	fmt.Fprintln(printer{j.above, p.Process, true}, err)
	status := 126
	if errors.Is(err, fs.ErrNotExist) {
		status = 127
	}
	j.started++
	j.exited(p, status, 0)
}
