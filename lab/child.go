package lab

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"
)

// grace is how long a program that was told to end may take to put its things in order.
const grace = 2 * time.Second

// tail is how much of what a program that failed has said is told.
const tail = 2000

// output runs a command in a process group of its own, and returns what it prints, and the time of the processor that it and
// its processes took. A command that is still running at the
// limit, or when ctx ends, is told to end, and after a grace its group is killed: nothing of it is left.
func (c Case) output(ctx context.Context, limit time.Duration) (text []byte, cpu time.Duration, err error) {
	timed, stop := context.WithTimeout(ctx, limit)
	defer stop()
	var stdout, stderr bytes.Buffer
	cmd := exec.CommandContext(timed, c.Args[0], c.Args[1:]...)
	cmd.Env = append(os.Environ(), c.Env...)
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }
	cmd.WaitDelay = grace
	err = cmd.Run()
	if err != nil && cmd.Process != nil {
		syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // whoever of the group has outlived it
	}
	switch {
	case ctx.Err() != nil:
		return nil, 0, context.Cause(ctx)
	case timed.Err() != nil:
		return nil, 0, fmt.Errorf("not done after the limit of %v, and ended%s", limit, said(stderr.String()))
	case errors.Is(err, exec.ErrWaitDelay):
		return nil, 0, fmt.Errorf("has ended, but left a process that holds its output%s", said(stderr.String()))
	case err != nil:
		return nil, 0, fmt.Errorf("%w%s", err, said(stderr.String()))
	}
	return stdout.Bytes(), cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime(), nil
}

// said is the end of what a program has said on standard error, as the end of a message.
func said(text string) string {
	text = strings.TrimSpace(text)
	if text == "" {
		return ""
	}
	if len(text) > tail {
		text = "…" + text[len(text)-tail:]
	}
	return "; it said:\n" + text
}
