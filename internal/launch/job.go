package launch

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/activepebbles/pebbles/internal/launch/bootstrap"
)

// Run starts a job and returns when all of its processes have ended and all their output has been forwarded. Meanwhile
// it takes the signals of this process (see the package). The error is a [*FailedError] if a process failed first, an
// [*UnreachedError] if ssh did not reach its hosts, a [*SignalError] if a signal ended the job, [ErrPreempted] if the
// job ended in order after a checkpoint, and otherwise the reason why the job could not start or its output could not
// be written. A job whose process has died is started again, up to Spec.Restarts times. Result.Status is the exit
// status for the command, even after an error. When ctx ends, the processes get SIGTERM, and after the grace SIGKILL.
// No process, goroutine or file is left.
func Run(ctx context.Context, s Spec) (Result, error) {
	s, err := s.complete()
	if err != nil {
		return Result{Status: ExitError}, fmt.Errorf("start job: %w", err)
	}
	runtime.LockOSThread() // the kernel ends the processes with the thread that started them
	defer runtime.UnlockOSThread()
	return runAgain(ctx, &s)
}

// job is the state of a launcher's loop, which alone uses it.
type job struct {
	spec       *Spec
	id         string
	secret     []byte
	rendezvous *rendezvous
	output     output
	processes  []*process
	queue
	ending
	exits    chan *process // capacity for all
	order    []*process    // in the order seen
	joined   int
	departed bool // all have joined, and were sent the addresses of all

	complaints chan complaint // capacity for all
	received   []complaint
	saved      atomic.Int64   // checkpoints that processes reported
	lines      sync.WaitGroup // reads the connections of processes that have joined
	stopCheck  *time.Ticker   // of processes that may have been stopped
}

func newJob(s *Spec) (*job, error) {
	b := bootstrap.NewJob(nil)
	j := &job{
		spec: s, id: b.ID, secret: b.Secret, queue: newQueue(s.Processes), ending: ending{next: time.NewTimer(time.Hour)},
		exits: make(chan *process, s.Processes), complaints: make(chan complaint, s.Processes),
		stopCheck: time.NewTicker(stopCheckInterval),
	}
	j.next.Stop()
	for i := range s.Processes {
		j.processes = append(j.processes, newProcess(s, i))
	}
	j.waiting = slices.Clone(j.processes)
	var err error
	j.rendezvous, err = openRendezvous(s, j.id, j.secret)
	return j, err
}

// supervise starts the processes, one at a time between the events that it handles, and returns when none is left.
func (j *job) supervise(ctx context.Context) {
	signals := make(chan os.Signal, 8)
	notify(signals, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT,
		syscall.SIGUSR1)
	defer signal.Stop(signals)
	start := time.NewTimer(j.spec.StartLimit)
	defer start.Stop()
	defer j.next.Stop()
	defer j.stopCheck.Stop()
	cancelled := ctx.Done()
	always := make(chan struct{})
	close(always)
	for p := j.startable(); p != nil || j.alive() > 0 || j.stage == running && j.pausing > 0; p = j.startable() {
		var free chan struct{} // ready while a process may be started
		if p != nil {
			free = always
		}
		select {
		case <-free:
			j.start(p)
		case g := <-j.rendezvous.peers:
			j.handleJoin(g)
		case l := <-j.logins:
			j.handleLogin(l)
		case p := <-j.exits:
			j.handleExit(p)
		case p := <-j.paused:
			j.requeue(p)
		case c := <-j.complaints:
			j.received = append(j.received, c)
		case s := <-signals:
			j.handleSignal(s.(syscall.Signal), time.Now())
		case <-start.C:
			j.checkStart()
		case <-j.next.C:
			j.escalate()
		case now := <-j.stopCheck.C:
			j.checkStopped(now)
		case <-cancelled:
			cancelled = nil
			j.fail(fmt.Errorf("job was ended: %w", context.Cause(ctx)))
			j.terminate(j.spec.Grace)
		}
	}
}

// alive returns the number of processes that have been started and have not ended.
func (j *job) alive() int { return j.started - len(j.order) }

// handleJoin records that a process has joined. After the last one, all are sent the addresses.
func (j *job) handleJoin(g peer) {
	p := j.processes[g.process]
	if p.Joined || p.ended {
		j.spec.Log.Warn("refuse process", "process", g.process, "error", "it has joined already, or has ended")
		g.line.Close()
		return
	}
	if j.stage != running {
		j.sendFailure(g.line)
		g.line.Close()
		return
	}
	p.Joined, p.line, p.address = true, g.line, g.address
	j.joined++
	j.starting[p.Host]--
	j.readComplaints(p)
	j.checkEarlyExits()
	if j.joined == len(j.processes) && j.stage == running {
		j.sendAddresses()
	}
}

func (j *job) sendAddresses() {
	j.departed = true
	j.rendezvous.stop()
	d := departure{}
	for _, p := range j.processes {
		d.Addresses = append(d.Addresses, p.address)
	}
	for _, p := range j.processes {
		if err := send(p.line, d); err != nil { // it has ended: its exit says more
			j.spec.Log.Debug("send addresses", "process", p.Process, "error", err)
		}
	}
}

// handleExit records that a process has ended.
func (j *job) handleExit(p *process) {
	p.finish()
	printed := j.endLogin(p)
	if p.Host != "" && !p.reached && !p.signalled && j.retry(p, printed) {
		return
	}
	if !p.Joined {
		j.starting[p.Host]--
	}
	j.order = append(j.order, p)
	j.spec.Log.Debug("process ended", "process", p.Process, "status", p.Status)
	if p.Status != 0 && !p.preempted() || p.missed {
		j.fail(nil)
	}
	j.checkEarlyExits()
}

// checkEarlyExits fails a job if some of its processes have ended while others wait for them: a program that never
// joins may end at any time, but not before one that has joined.
func (j *job) checkEarlyExits() {
	if !j.departed && j.joined > 0 && len(j.order) > 0 {
		j.fail(nil)
	}
}

// checkStart fails a job whose processes have not all joined in time.
func (j *job) checkStart() {
	if j.departed {
		return
	}
	var missing []string
	for _, p := range j.processes {
		if !p.Joined && !p.ended {
			missing = append(missing, p.name())
		}
	}
	if more := len(missing) - 8; more > 0 {
		missing = append(missing[:8], fmt.Sprintf("%d more", more))
	}
	why := ""
	if hosts := j.unreached(); len(hosts) > 0 {
		why = listHosts(hosts) + "; "
	}
	if j.dialling > 0 {
		why += fmt.Sprintf("ssh has not got through for %d of them yet: %s %s; ", j.dialling, adviceSilent, adviceShell)
	}
	j.fail(fmt.Errorf("start job: not all processes have joined within %v; missing: %s; %sdoes the program call "+
		"pebble.Main or launch.Join, and can its host reach %s?",
		j.spec.StartLimit, strings.Join(missing, ", "), why, j.rendezvous.address()))
	j.terminate(terminateLimit)
}

// handleSignal forwards a signal of the launcher. It is no failure yet: the processes decide, unless some have not been
// started. A second SIGINT kills, but not at once after the first.
func (j *job) handleSignal(s syscall.Signal, at time.Time) {
	if s == syscall.SIGINT && j.signal == syscall.SIGINT {
		if at.Sub(j.signalled) < bounce {
			return
		}
		j.fail(&SignalError{s})
		j.kill()
		return
	}
	j.signal, j.signalled = s, at
	for _, p := range j.processes {
		p.signal(s)
	}
	if j.unstarted() { // these never get it
		j.fail(&SignalError{s})
		j.terminate(unstartedLimit)
	}
}

// finish returns the result when all processes have ended and all their output has been forwarded.
func (j *job) finish() (Result, error) {
	j.lines.Wait()
	for len(j.complaints) > 0 {
		j.received = append(j.received, <-j.complaints)
	}
	j.rendezvous.close()
	j.output.close()
	r := Result{Job: j.id}
	for _, p := range j.order {
		r.Order = append(r.Order, p.Process)
	}
	for _, p := range j.processes {
		r.Outcomes = append(r.Outcomes, p.Outcome)
	}
	err := j.failure()
	if n := len(j.waiting) + j.pausing; err == nil && n > 0 {
		err = fmt.Errorf("start job: %d of %d processes were not started, and none is left that could have them start: "+
			"please report this", n, len(j.processes))
	}
	if err == nil {
		err = j.output.err
	}
	if err == nil && slices.ContainsFunc(r.Outcomes, Outcome.preempted) {
		err = ErrPreempted
	}
	r.Status = StatusOf(err)
	var signal *SignalError
	if errors.As(err, &signal) {
		err = fmt.Errorf("job was %w", err)
	}
	return r, err
}
