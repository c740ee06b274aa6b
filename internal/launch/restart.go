package launch

import (
	"context"
	"errors"
	"fmt"
	"slices"
)

// ErrPreempted is the error of a job that has ended in order after it saved its state, to go on later.
var ErrPreempted error = preemption{}

type preemption struct{}

func (preemption) Error() string {
	return "job was preempted after a checkpoint: start it again with the same arguments to go on"
}

// Status returns the exit status of a process of the job, and of its launcher.
func (preemption) Status() int { return ExitPreempted }

// preempted reports whether the process ended in order after a checkpoint.
func (e Outcome) preempted() bool { return e.Joined && e.Status == ExitPreempted }

// runAgain runs a job, again if a process of it has died: at most s.Restarts times without a new checkpoint.
func runAgain(ctx context.Context, s *Spec) (Result, error) {
	for restarts := 0; ; restarts++ {
		j, err := newJob(s)
		if err != nil {
			return Result{Status: ExitError}, fmt.Errorf("start job: %w", err)
		}
		j.supervise(ctx)
		r, err := j.finish()
		if j.saved.Load() > 0 {
			restarts = 0
		}
		switch {
		case s.Restarts == 0 || j.signal != 0 || ctx.Err() != nil || !hasDied(err, restarts > 0):
			return r, err
		case restarts == s.Restarts:
			return r, fmt.Errorf("%w; the launcher gives up, since the job was started again %d times without a new "+
				"checkpoint", err, restarts)
		}
		s.Log.Warn("job starts again", "restart", restarts+1, "of", s.Restarts, "cause", err)
		s.leave(lostHosts(err))
	}
}

// hasDied reports whether a job ended because a process was killed, lost or stuck. A job whose process ended with
// another status would do so again. An unreached host counts once the job has been started again.
func hasDied(err error, again bool) bool {
	var failed *FailedError
	var unreached *UnreachedError
	if !errors.As(err, &failed) {
		return again && errors.As(err, &unreached)
	}
	e := failed.First
	return failed.Lost != "" || e.Signal != 0 || e.Status > 128 || e.Status == ExitFollower || e.Status == ExitStalled
}

// lostHosts returns the hosts that a job has lost, or has not reached.
func lostHosts(err error) (lost []string) {
	var failed *FailedError
	var unreached *UnreachedError
	switch {
	case errors.As(err, &unreached):
		for _, h := range unreached.Hosts {
			lost = append(lost, h.Host)
		}
	case errors.As(err, &failed) && (failed.Lost != "" || failed.First.Status == sshFailed):
		lost = append(lost, failed.First.Host)
	}
	return lost
}

// leave replaces lost hosts by spare ones. Without a spare host, the job goes on with the other hosts, if any, and with
// fewer processes, and ranks in proportion.
func (s *Spec) leave(lost []string) {
	for _, host := range lost {
		left := slices.DeleteFunc(slices.Clone(s.Hosts), func(h string) bool { return h == host })
		switch {
		case len(left) == len(s.Hosts): // this machine, or already left
		case len(s.Spare) > 0:
			s.Hosts = slices.Clone(s.Hosts)
			for i, h := range s.Hosts {
				if h == host {
					s.Hosts[i] = s.Spare[0]
				}
			}
			s.Spare = s.Spare[1:]
		case len(left) > 0:
			s.shrink(host, left)
		}
	}
}

// shrink removes a host's processes.
func (s *Spec) shrink(host string, left []string) {
	processes := 0
	for i := range s.Processes {
		if s.host(i) != host {
			processes++
		}
	}
	s.Ranks = max(processes, s.Ranks*processes/s.Processes)
	s.Hosts, s.Processes = left, processes
}
