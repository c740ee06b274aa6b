package launch

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"syscall"
	"time"
)

const (
	loginsAtOnce = 32 // ssh that have not reached their host yet, in all
	loginPause   = 100 * time.Millisecond
	loginPauses  = 3 * time.Second // maximum pause
	printedMax   = 64 << 10        // bytes of ssh's output that are kept
)

// queue holds the processes of this machine, or the agents of other hosts, that wait for their start.
type queue struct {
	waiting  []starter
	started  int         // processes
	dialling int         // ssh that have not reached their host
	pausing  int         // agents whose ssh is tried again after a pause
	logins   chan *login // logins that have reached their host
	paused   chan *agent // agents whose pause has ended; capacity for all
}

// starter is a process, or an agent that starts the processes of a host.
type starter interface {
	begin(j *job) error
	mayBegin(j *job) bool
}

func newQueue(processes int) queue {
	return queue{logins: make(chan *login), paused: make(chan *agent, processes)}
}

// unstarted reports whether some processes have not been started, so that no signal reaches them.
func (q *queue) unstarted() bool { return len(q.waiting)+q.pausing+q.dialling > 0 }

// requeue ends the pause of an agent whose ssh is tried again.
func (q *queue) requeue(a *agent) {
	q.pausing--
	q.waiting = append(q.waiting, a)
}

// endLogin ends an agent's login, and returns the output of an ssh that has ended before it reached its host.
func (q *queue) endLogin(a *agent) (printed []byte) {
	if a.login == nil {
		return nil
	}
	select {
	case <-a.login.read:
		printed = a.login.printed
	default: // another process holds its standard error
	}
	a.login = nil
	q.dialling--
	return printed
}

// startable returns the next process or agent to start, or nil if none may be started now.
func (j *job) startable() starter {
	if j.stage == running && len(j.waiting) > 0 && j.waiting[0].mayBegin(j) {
		return j.waiting[0]
	}
	return nil
}

// start starts the first of the queue. If that fails, so does the job.
func (j *job) start(s starter) {
	j.waiting = j.waiting[1:]
	err := s.begin(j)
	switch p, ok := s.(*process); {
	case err == nil:
	case ok && j.above != nil:
		p.cannotStart(j, err)
	default:
		j.fail(fmt.Errorf("start job: %w", err))
		j.terminate(terminateLimit)
	}
}

func (p *process) mayBegin(*job) bool { return true }

// begin starts a process on this machine.
func (p *process) begin(j *job) error {
	stdout, err := j.stdout(p)
	if err != nil {
		return err
	}
	defer stdout.release()
	stderr, err := j.stderr(p)
	if err != nil {
		return err
	}
	defer stderr.release()
	e := environment{
		job: j.id, process: p.Process, processes: j.spec.Processes, ranks: j.spec.Ranks,
		launcher: j.rendezvous.address(), bind: j.memberBind(), startLimit: j.spec.StartLimit,
		silenceLimit: j.spec.SilenceLimit, transport: j.spec.Transport, connect: j.spec.Connect,
	}
	if err := p.startHere(j.spec, e, j.secret, stdout.file, stderr.file); err != nil {
		return err
	}
	j.started++
	go func() {
		p.wait()
		j.exits <- p
	}()
	return nil
}

// login is one ssh until the shell on the other host reports on standard error that it runs. The shell gets the script
// only then: an ssh that ends earlier has started nothing, and may be tried again.
type login struct {
	agent   *agent
	ready   []byte        // the line that the shell prints
	reached chan<- *login // receives this login when the line has come
	printed []byte        // output before the line; may be used when read is closed
	exited  chan struct{} // closed when ssh has ended
	read    chan struct{} // closed when the line, or the end, has come
}

// loginReady returns the line that the loader prints when it runs.
func loginReady(job string) string { return "ready-" + job }

func newLogin(a *agent, job string, reached chan<- *login) *login {
	return &login{
		agent: a, ready: []byte(loginReady(job) + "\n"), reached: reached,
		exited: make(chan struct{}), read: make(chan struct{}),
	}
}

// readOutput reads up to the line, and returns the output before and after it, for standard error. If the output ends
// without the line, it stays in printed.
func (l *login) readOutput(r io.Reader, piece []byte) []byte {
	defer close(l.read)
	for {
		n, err := r.Read(piece)
		l.printed = append(l.printed, piece[:n]...)
		if before, after, ok := bytes.Cut(l.printed, l.ready); ok {
			text := slices.Concat(before, after)
			l.printed = nil
			select {
			case l.reached <- l:
			case <-l.exited:
			}
			return text
		}
		if more := len(l.printed) - printedMax; more > 0 {
			l.printed = l.printed[more:]
		}
		if err != nil {
			return nil
		}
	}
}

// waitForOutput waits, after the end of ssh, until its standard error has been read, at most for lastWordsLimit:
// children of ssh may keep it open.
func (l *login) waitForOutput() {
	close(l.exited)
	select {
	case <-l.read:
	case <-time.After(lastWordsLimit):
	}
}

// handleLogin sends the script and the agent's order to a shell that runs.
func (j *job) handleLogin(l *login) {
	a := l.agent
	if a.login != l {
		return // its ssh has ended, and with it the shell
	}
	j.endLogin(a)
	if j.stage != running {
		for _, p := range a.processes {
			p.signalled = true
		}
		a.kill(syscall.SIGKILL)
		return
	}
	a.reached = true
	a.control.write(a.script)
	a.tell(a.order(j))
}

// retry records the reason why an ssh did not reach its host, and reports whether it is tried again. The start limit
// ends the tries.
func (a *agent) retry(j *job, printed []byte, status int) bool {
	a.tries++
	a.printed, a.trouble = printed, troubleOf(printed, status)
	if j.stage != running || !a.trouble.passes {
		l := &lines{output: &j.output, from: a.name(), to: j.spec.Stderr, prefix: j.prefix(a.ranks())}
		l.copy(bytes.NewReader(printed))
		for _, p := range a.processes {
			p.missed = true
		}
		return false
	}
	pause := min(loginPause<<min(a.tries-1, 8), loginPauses)
	pause += rand.N(pause / 2) // hosts turn connections away at random, so tries come at random
	j.spec.Log.Warn("host was not reached, try again", "host", a.host, "ssh", lastLine(printed), "pause", pause)
	j.pausing++
	a.reset(j)
	time.AfterFunc(pause, func() { j.paused <- a })
	return true
}
