package launch

import (
	"fmt"
	"net"
	"syscall"
	"time"
)

// stage is the progress of a failed job's end.
type stage int

const (
	going  stage = iota // it has not failed
	grace               // the others may end by themselves
	asked               // they were sent SIGTERM
	killed              // they were sent SIGKILL
	cut                 // ssh was sent SIGKILL
)

const (
	askedLimit   = time.Second            // from SIGTERM to SIGKILL
	unbegunLimit = 500 * time.Millisecond // the same, when not all processes have been started
	killedLimit  = time.Second            // from SIGKILL on another host to that for ssh
)

// fail begins the end of the job. A nil cause leaves it to the exits of the processes.
func (j *job) fail(cause error) {
	if j.stage != going {
		return
	}
	j.cause = cause
	j.stage = grace
	j.next.Reset(j.spec.Grace)
	if j.departed {
		return // they are connected with each other, and notice
	}
	for _, p := range j.processes {
		j.refuse(p.line)
	}
}

// refuse tells a process that has joined that the job has failed.
func (j *job) refuse(line net.Conn) {
	if line == nil {
		return
	}
	reason := j.failure().Error()
	if err := tell(line, departure{Failed: reason[:min(len(reason), failedBytesMax)]}); err != nil {
		j.spec.Log.Debug("tell failure", "error", err) // it has ended: its exit says more
	}
}

// lookEvery is how often the launcher looks whether processes are stopped.
const lookEvery = 500 * time.Millisecond

// checkStopped fails a job in which some processes have ended in order and one is stopped, for the silence limit. While
// others run, they miss its heartbeat; afterwards nobody does. One on another host is killed there by the script that
// watches it, which says why.
func (j *job) checkStopped(now time.Time) {
	if j.stage != going || len(j.order) == 0 {
		return
	}
	for _, p := range j.processes {
		if p.reached && !p.ended {
			p.control.say(lookWord + "\n")
		}
		switch {
		case !p.isStopped():
			p.stopped = time.Time{}
		case p.stopped.IsZero():
			p.stopped = now
		case now.Sub(p.stopped) >= j.spec.SilenceLimit:
			j.fail(fmt.Errorf("%s: let it go on by `kill -CONT %d`, or give a longer --silence-limit",
				stoppedTooLong(p.name(), j.spec.SilenceLimit), p.cmd.Process.Pid))
			return
		}
	}
}

func stoppedTooLong(name string, limit time.Duration) string {
	return fmt.Sprintf("%s has been stopped for %v while others have ended", name, limit)
}

// escalate goes on to the next stage.
func (j *job) escalate() {
	switch j.stage {
	case grace:
		j.ask(askedLimit)
	case asked:
		j.kill()
	case killed:
		j.stage = cut
		for _, p := range j.processes {
			p.kill(syscall.SIGKILL)
		}
	}
}

// ask sends SIGTERM to all that are left, and SIGKILL when limit has passed.
func (j *job) ask(limit time.Duration) {
	if j.stage < asked {
		j.stage = asked
		j.next.Reset(limit)
		j.send(syscall.SIGTERM)
	}
}

func (j *job) kill() {
	if j.stage < killed {
		j.stage = killed
		j.next.Reset(killedLimit)
		j.send(syscall.SIGKILL)
	}
}

func (j *job) send(s syscall.Signal) {
	for _, p := range j.processes {
		p.signalled = p.signalled || !p.ended
		p.signal(s)
	}
}

// failure is why the job has failed, as far as is known; nil when it has not.
func (j *job) failure() error {
	if j.stage == going {
		return nil
	}
	if j.cause != nil {
		return j.cause
	}
	exits := make([]Outcome, len(j.order))
	for i, p := range j.order {
		exits[i] = p.Outcome
	}
	first, lost := blame(exits, j.heard)
	if j.signal != 0 && lost == "" && first.Status == 128+int(j.signal) {
		return &SignalError{j.signal}
	}
	if first.missed {
		return &UnreachedError{Hosts: j.unreached(), Status: first.Failure()}
	}
	return &FailedError{First: first, Lost: lost, Others: j.started - 1}
}
