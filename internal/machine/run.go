package machine

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"
)

// grace is the time that a program has to end after SIGTERM.
const grace = 2 * time.Second

// tail is the number of bytes of a failed program's output in an error.
const tail = 2000

// lineMax is the longest first line that an error quotes in addition.
const lineMax = 500

// Output is the output of a command, and its use of resources.
type Output struct {
	Text     []byte
	Took     time.Duration
	CPU      time.Duration // of the processor, in all of its processes
	Resident int64         // bytes of its largest process
}

// Run runs a command in a new process group, with env added to the environment. A command that is still running at the
// limit (0 is none), or when ctx ends, gets SIGTERM, and after a grace period its group is killed: no process of it is
// left. An error quotes the end of the command's output.
func Run(ctx context.Context, limit time.Duration, env []string, args ...string) (o Output, err error) {
	timed, stop := ctx, func() {}
	if limit > 0 {
		timed, stop = context.WithTimeout(ctx, limit)
	}
	defer stop()
	var stdout, stderr bytes.Buffer
	cmd := exec.CommandContext(timed, args[0], args[1:]...)
	cmd.Env = append(os.Environ(), env...)
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }
	cmd.WaitDelay = grace
	start := time.Now()
	err = cmd.Run()
	if err != nil && cmd.Process != nil {
		syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // processes that outlived it
	}
	switch {
	case ctx.Err() != nil:
		return o, context.Cause(ctx)
	case timed.Err() != nil:
		return o, fmt.Errorf("not done after the limit of %v, and ended%s", limit, Said(stderr.String()))
	case errors.Is(err, exec.ErrWaitDelay):
		return o, fmt.Errorf("has ended, but left a process that holds its output%s", Said(stderr.String()))
	case err != nil:
		return o, fmt.Errorf("%w%s", err, Said(stderr.String()))
	}
	o = Output{Text: stdout.Bytes(), Took: time.Since(start), CPU: cmd.ProcessState.UserTime() +
		cmd.ProcessState.SystemTime()}
	if used, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
		o.Resident = used.Maxrss << 10
	}
	return o, nil
}

// Ask runs a command as Run does, and reads its JSON output into answer. An error names the command.
func Ask(ctx context.Context, limit time.Duration, env []string, answer any, args ...string) (Output, error) {
	o, err := Run(ctx, limit, env, args...)
	if err == nil {
		err = json.Unmarshal(o.Text, answer)
	}
	if err != nil {
		err = fmt.Errorf("%s: %w", strings.Join(args, " "), err)
	}
	return o, err
}

// Said quotes a program's output, as the end of a message. Of a long output it quotes the end, and the first line,
// since programs print an error before their flags.
func Said(text string) string {
	text = strings.TrimSpace(text)
	if text == "" {
		return ""
	}
	if len(text) > tail {
		first, _, _ := strings.Cut(text[:len(text)-tail], "\n")
		if text = "…" + text[len(text)-tail:]; len(first) <= lineMax {
			text = first + "\n" + text
		}
	}
	return "; it said:\n" + text
}
