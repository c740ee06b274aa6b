package launch

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"syscall"
	"time"
)

// Run starts a job and returns when all of its processes have ended and all they printed has been forwarded. It takes
// the signals of this process meanwhile (see the package). The error is a [*FailedError] when a process failed first, an
// [*UnreachedError] when ssh did not reach its hosts, a [*SignalError] when a signal ended the job, and else says what kept the job from starting, or that its output could not
// be written. Result.Status is the exit status for the command, also after an error. When ctx ends, the processes get SIGTERM, and
// after the grace SIGKILL. No process, goroutine or file is left behind.
func Run(ctx context.Context, s Spec) (Result, error) {
	s, err := s.complete()
	if err != nil {
		return Result{Status: ExitError}, fmt.Errorf("start job: %w", err)
	}
	runtime.LockOSThread() // the kernel ends the processes with the thread that started them
	defer runtime.UnlockOSThread()
	j, err := newJob(&s)
	if err != nil {
		return Result{Status: ExitError}, fmt.Errorf("start job: %w", err)
	}
	j.supervise(ctx)
	j.hearOut()
	j.rendezvous.close()
	j.output.close()
	return j.result()
}

// supervise starts the processes, one at a time between the events that it answers, and returns when none is left.
func (j *job) supervise(ctx context.Context) {
	signals := make(chan os.Signal, 8)
	notify(signals, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT)
	defer signal.Stop(signals)
	start := time.NewTimer(j.spec.StartLimit)
	defer start.Stop()
	defer j.next.Stop()
	defer j.look.Stop()
	cancelled := ctx.Done()
	always := make(chan struct{})
	close(always)
	for p := j.upNext(); p != nil || j.alive() > 0 || j.stage == going && j.resting > 0; p = j.upNext() {
		var free chan struct{} // while there is a process to start
		if p != nil {
			free = always
		}
		select {
		case <-free:
			j.begin(p)
		case g := <-j.rendezvous.peers:
			j.arrive(g)
		case l := <-j.logins:
			j.reach(l)
		case p := <-j.exits:
			j.exit(p)
		case p := <-j.rested:
			j.rest(p)
		case c := <-j.complaints:
			j.heard = append(j.heard, c)
		case s := <-signals:
			j.forward(s.(syscall.Signal), time.Now())
		case <-start.C:
			j.checkStart()
		case <-j.next.C:
			j.escalate()
		case now := <-j.look.C:
			j.checkStopped(now)
		case <-cancelled:
			cancelled = nil
			j.fail(fmt.Errorf("job was ended: %w", context.Cause(ctx)))
			j.ask(j.spec.Grace)
		}
	}
}

func (j *job) result() (Result, error) {
	r := Result{Job: j.id}
	for _, p := range j.processes {
		r.Outcomes = append(r.Outcomes, p.Outcome)
	}
	err := j.failure()
	if err == nil {
		err = j.output.err
	}
	r.Status = StatusOf(err)
	var signal *SignalError
	if errors.As(err, &signal) {
		err = fmt.Errorf("job was %w", err)
	}
	return r, err
}
