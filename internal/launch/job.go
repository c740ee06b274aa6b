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
// it handles the signals of this process (see the package). The error is a [*FailedError] if a process failed first, an
// [*UnreachedError] if ssh did not reach its hosts, a [*SignalError] if a signal ended the job, and [ErrPreempted] if
// the job ended in order after a checkpoint. Any other error is the reason why the job could not start or its output
// could not be written. After the death of a process, Run starts the job again, up to Spec.Restarts times.
// Result.Status is the exit status for the command, even after an error. When ctx ends, the processes get SIGTERM, and
// after the grace SIGKILL. Run leaves no process, goroutine or file.
func Run(ctx context.Context, s Spec) (Result, error) {
	s, err := s.complete()
	if err != nil {
		return Result{Status: ExitError}, fmt.Errorf("start job: %w", err)
	}
	runtime.LockOSThread() // the kernel ends the processes with the thread that started them
	defer runtime.UnlockOSThread()
	return runAgain(ctx, &s)
}

// job is the state of a launcher's loop. Only the loop uses it.
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
	order    []*process    // ended processes, in the order seen
	joined   int
	departed bool // all have joined, and were sent all addresses
	hosts
	below

	complaints chan complaint // capacity for all
	received   []complaint
	saved      atomic.Int64   // checkpoints that processes reported
	lines      sync.WaitGroup // readers of the connections of joined processes
	stopCheck  *time.Ticker   // of checks for stopped processes
}

// hosts is the part of a job on other hosts.
type hosts struct {
	agents   []*agent
	toward   string        // the launcher's address, which all hosts reach
	attached int           // number of running ssh
	heard    chan heard    // messages of agents
	gone     chan *agent   // agents whose ssh has ended; capacity for all
	over     chan struct{} // closed at the end of the loop
}

// below is the part of a job that only an agent uses. The agent has the processes of one host, under the launcher.
type below struct {
	above    *above       // nil in the launcher
	commands chan command // from the launcher
	listenAt string       // interface or address that processes listen on
	checking bool         // a process must not stay stopped: others of the job have ended
}

func newJob(s *Spec) (*job, error) {
	b := bootstrap.NewJob(nil)
	j := makeJob(s, b.ID, b.Secret, 0, s.Processes)
	if len(s.Hosts) > 0 {
		j.waiting = nil
		return j, j.openHosts()
	}
	var err error
	j.rendezvous, err = openRendezvous(s, j.id, j.secret)
	return j, err
}

// makeJob makes a job, or the part of a job, with the processes first..last-1.
func makeJob(s *Spec, id string, secret []byte, first, last int) *job {
	n := last - first
	j := &job{
		spec: s, id: id, secret: secret, queue: newQueue(n), ending: ending{next: time.NewTimer(time.Hour)},
		exits: make(chan *process, n), complaints: make(chan complaint, n),
		hosts:     hosts{heard: make(chan heard), over: make(chan struct{})},
		stopCheck: time.NewTicker(stopCheckInterval),
	}
	j.next.Stop()
	for i := first; i < last; i++ {
		p := newProcess(s, i)
		j.processes, j.waiting = append(j.processes, p), append(j.waiting, p)
	}
	return j
}

// process returns one of the processes of this job or part of a job, or nil for any other number.
func (j *job) process(number int) *process {
	i := number - j.processes[0].Process
	if i < 0 || i >= len(j.processes) {
		return nil
	}
	return j.processes[i]
}

// memberBind returns the interface or address that processes listen on; "" is their own address of the connection to
// the launcher.
func (j *job) memberBind() string {
	if j.above != nil {
		return j.listenAt
	}
	return j.spec.memberBind()
}

// supervise starts the processes, one at a time between events, and returns when none is left.
func (j *job) supervise(ctx context.Context) {
	signals := make(chan os.Signal, 8)
	notify(signals, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT,
		syscall.SIGUSR1)
	defer signal.Stop(signals)
	start := time.NewTimer(j.spec.StartLimit)
	defer start.Stop()
	defer j.next.Stop()
	defer j.stopCheck.Stop()
	defer close(j.over)
	cancelled := ctx.Done()
	var peers chan peer // a job on other hosts has none
	if j.rendezvous != nil {
		peers = j.rendezvous.peers
	}
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
		case g := <-peers:
			j.handleJoin(g)
		case l := <-j.logins:
			j.handleLogin(l)
		case p := <-j.exits:
			j.handleExit(p)
		case p := <-j.paused:
			j.requeue(p)
		case c := <-j.complaints:
			j.complained(c)
		case h := <-j.heard:
			h.handle(j)
		case a := <-j.gone:
			a.end(j)
		case c := <-j.commands:
			c.handle(j)
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
			j.cancel(context.Cause(ctx))
		}
	}
}

// cancel ends a job from outside. In an agent, the launcher is gone: closed connections tell the processes at once.
func (j *job) cancel(cause error) {
	j.fail(fmt.Errorf("job was ended: %w", cause))
	if j.above != nil {
		for _, p := range j.processes {
			if p.line != nil {
				p.line.Close()
			}
		}
	}
	j.terminate(j.spec.Grace)
}

// alive returns the number of processes and agents that have been started and have not ended.
func (j *job) alive() int { return j.started - len(j.order) + j.attached }

// handleJoin records that a process of this machine has joined.
func (j *job) handleJoin(g peer) {
	p := j.process(g.process)
	if p == nil || p.Joined || p.ended {
		j.spec.Log.Warn("refuse process", "process", g.process, "error", "it has joined already, or has ended")
		g.line.Close()
		return
	}
	if j.stage != running {
		_ = send(g.line, j.failureNote()) // on failure it has ended: its exit has the reason
		g.line.Close()
		return
	}
	p.line = g.line
	j.readComplaints(p)
	j.noteJoin(p, g.address)
	if j.above != nil {
		j.above.words <- word{Process: p.Process, Address: g.address}
	}
}

// noteJoin records that a process has joined. After the last join of the job it sends all processes the addresses.
func (j *job) noteJoin(p *process, address string) {
	p.Joined, p.address = true, address
	j.joined++
	j.checkEarlyExits()
	if j.joined == j.spec.Processes && j.stage == running && j.above == nil {
		d := departure{}
		for _, p := range j.processes {
			d.Addresses = append(d.Addresses, p.address)
		}
		j.depart(d)
	}
}

// depart sends all addresses to all processes: through their agents to those on other hosts.
func (j *job) depart(d departure) {
	j.departed = true
	if j.rendezvous != nil {
		j.rendezvous.stop()
	}
	j.sendAll(d)
}

// sendAll sends a message to all processes that have joined, and to all agents.
func (j *job) sendAll(d departure) {
	text := encoded(d)
	for _, p := range j.processes {
		if p.line == nil || p.ended {
			continue
		}
		if err := write(p.line, text); err != nil { // it has ended: its exit has the reason
			j.spec.Log.Debug("send to process", "process", p.Process, "error", err)
		}
	}
	for _, a := range j.agents {
		a.tell(command{departure: d})
	}
}

// complained records a complaint of a process of this machine.
func (j *job) complained(c complaint) {
	j.received = append(j.received, c)
	if j.above != nil {
		j.above.words <- word{Process: j.processes[0].Process, Complaint: &c, Of: c.by}
	}
}

// handleExit records that a process of this machine has ended.
func (j *job) handleExit(p *process) {
	status, by := p.outcome()
	j.exited(p, status, by)
}

func (j *job) exited(p *process, status int, by syscall.Signal) {
	p.finish(status, by)
	if j.above != nil {
		j.above.words <- word{Process: p.Process, Ended: true, Status: status}
	}
	j.noteExit(p)
}

// noteExit records that a process has ended.
func (j *job) noteExit(p *process) {
	j.order = append(j.order, p)
	j.spec.Log.Debug("process ended", "process", p.Process, "status", p.Status)
	if p.Status != 0 && !p.preempted() || p.missed {
		j.fail(nil)
	}
	j.checkEarlyExits()
}

// checkEarlyExits fails a job if a process has ended while others have joined and wait for the rest. In a program that
// never joins, processes may end at any time.
func (j *job) checkEarlyExits() {
	if !j.departed && j.joined > 0 && len(j.order) > 0 {
		j.fail(nil)
	}
}

// checkStart fails a job whose processes have not all joined in time.
func (j *job) checkStart() {
	if j.departed || j.above != nil {
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
		why += fmt.Sprintf("ssh has not got through for %d of them yet: %s %s; ", j.dialled(), adviceSilent,
			adviceShell)
	}
	where := ""
	if j.rendezvous != nil {
		where = ", and can its host reach " + j.rendezvous.address()
	}
	j.fail(fmt.Errorf("start job: not all processes have joined within %v; missing: %s; %sdoes the program call "+
		"pebble.Main or launch.Join%s?", j.spec.StartLimit, strings.Join(missing, ", "), why, where))
	j.terminate(terminateLimit)
}

// handleSignal forwards a signal of the launcher. The processes decide whether they fail, unless some have not been
// started. A second SIGINT kills the job, unless it follows the first at once.
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
	j.signalProcesses(s)
	if j.unstarted() { // these never get it
		j.fail(&SignalError{s})
		j.terminate(unstartedLimit)
	}
}

// finish returns the result when all processes have ended and all their output has been forwarded.
func (j *job) finish() (Result, error) {
	j.lines.Wait()
	for len(j.complaints) > 0 {
		j.complained(<-j.complaints)
	}
	if j.rendezvous != nil {
		j.rendezvous.close()
	}
	j.output.close()
	r := Result{Job: j.id}
	for _, p := range j.order {
		r.Order = append(r.Order, p.Process)
	}
	for _, p := range j.processes {
		r.Outcomes = append(r.Outcomes, p.Outcome)
	}
	err := j.failure()
	if err == nil && len(j.waiting)+j.pausing > 0 {
		err = fmt.Errorf("start job: %d of %d processes were not started, and none is left that could have them start: "+
			"please report this", len(j.processes)-j.started, len(j.processes))
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
