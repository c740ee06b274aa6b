package launch

import (
	"fmt"
	"syscall"
	"time"
)

// stage is the progress of a failed job's end.
type stage int

const (
	running    stage = iota // the job has not failed
	grace                   // the others have time to end
	terminated              // they were sent SIGTERM
	killed                  // they were sent SIGKILL
	sshKilled               // ssh was sent SIGKILL
)

const (
	terminateLimit = time.Second            // from SIGTERM to SIGKILL
	unstartedLimit = 500 * time.Millisecond // the same, if not all processes have been started
	killLimit      = time.Second            // from SIGKILL on another host to that for ssh
)

// ending is the end of a job.
type ending struct {
	stage     stage
	next      *time.Timer    // to the next stage
	cause     error          // cause of the failure, if no process is to blame
	signal    syscall.Signal // last signal that was forwarded
	signalled time.Time      // its time
}

// fail begins the end of the job. If cause is nil, the exits of the processes give the cause.
func (j *job) fail(cause error) {
	if j.stage != running {
		return
	}
	j.cause = cause
	j.stage = grace
	if j.above == nil { // otherwise the launcher decides when the others must end
		j.next.Reset(j.spec.Grace)
	}
	if j.departed {
		return // they are connected, and detect the failure
	}
	j.sendAll(j.failureNote())
}

// failureNote returns the message to joined processes that the job has failed.
func (j *job) failureNote() departure {
	reason := j.failure().Error()
	return departure{Failed: reason[:min(len(reason), failedBytesMax)]}
}

// stopCheckInterval is the time between two checks for stopped processes.
const stopCheckInterval = 500 * time.Millisecond

// checkStopped fails a job if some processes have ended in order and one stays stopped for the silence limit. While
// others run, they miss its heartbeat; afterwards only the launcher can detect it. On another host, the agent kills the
// process and prints the reason.
func (j *job) checkStopped(now time.Time) {
	if j.stage != running || len(j.order) == 0 && !j.checking {
		return
	}
	for _, a := range j.agents {
		if !a.checking {
			a.checking = true
			a.tell(command{Check: true})
		}
	}
	for _, p := range j.processes {
		switch {
		case !p.isStopped():
			p.stopped = time.Time{}
		case p.stopped.IsZero():
			p.stopped = now
		case now.Sub(p.stopped) < j.spec.SilenceLimit:
		case j.above != nil:
			why := stoppedTooLong(fmt.Sprint("process ", p.Process), j.spec.SilenceLimit)
			fmt.Fprintln(printer{j.above, p.Process, true}, why+"; it is killed now")
			p.kill(syscall.SIGKILL)
		default:
			j.fail(fmt.Errorf("%s: let it go on by `kill -CONT %d`, or give a longer --silence-limit",
				stoppedTooLong(p.name(), j.spec.SilenceLimit), p.cmd.Process.Pid))
			return
		}
	}
}

func stoppedTooLong(name string, limit time.Duration) string {
	return fmt.Sprintf("%s has been stopped for %v while others have ended", name, limit)
}

// escalate moves on to the next stage.
func (j *job) escalate() {
	switch j.stage {
	case grace:
		j.terminate(terminateLimit)
	case terminated:
		j.kill()
	case killed:
		j.stage = sshKilled
		for _, a := range j.agents {
			a.kill(syscall.SIGKILL)
		}
	}
}

// terminate sends SIGTERM to all remaining processes, and SIGKILL when limit has passed.
func (j *job) terminate(limit time.Duration) { j.signalAll(terminated, syscall.SIGTERM, limit) }

// kill sends SIGKILL to all remaining processes, and to ssh when the limit has passed.
func (j *job) kill() { j.signalAll(killed, syscall.SIGKILL, killLimit) }

// signalAll moves on to a stage and sends its signal to all remaining processes, unless the job has reached the stage.
func (j *job) signalAll(to stage, s syscall.Signal, limit time.Duration) {
	if j.stage >= to {
		return
	}
	j.stage = to
	j.next.Reset(limit)
	for _, p := range j.processes {
		p.signalled = p.signalled || !p.ended
	}
	j.signalProcesses(s)
}

// signalProcesses sends a signal to all remaining processes.
func (j *job) signalProcesses(s syscall.Signal) {
	for _, p := range j.processes {
		p.kill(s)
	}
	for _, a := range j.agents {
		a.signal(s)
	}
}

// failure returns the failure of the job, as far as known, or nil.
func (j *job) failure() error {
	if j.stage == running {
		return nil
	}
	if j.cause != nil {
		return j.cause
	}
	exits := make([]Outcome, len(j.order))
	for i, p := range j.order {
		exits[i] = p.Outcome
	}
	first, lost := blame(exits, j.received)
	if j.signal != 0 && lost == "" && first.Status == 128+int(j.signal) {
		return &SignalError{j.signal}
	}
	if first.missed {
		return &UnreachedError{Hosts: j.unreached(), Status: first.Failure()}
	}
	return &FailedError{First: first, Lost: lost, Others: j.started - 1}
}
