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
	// startsAtOnce bounds the processes of one host that have been started but have not joined or ended: an ssh server
	// drops connections at random when more than ten are about to log in.
	startsAtOnce = 8
	loginsAtOnce = 32 // total of ssh that have not reached their host
	loginPause   = 100 * time.Millisecond
	loginPauses  = 3 * time.Second // maximum pause
	printedMax   = 64 << 10        // bytes of ssh's output that are kept
)

// queue is the queue of processes that have not been started.
type queue struct {
	waiting  []*process
	started  int
	starting map[string]int // by host: started, but neither joined nor ended
	dialling int            // ssh that have not reached their host
	pausing  int            // processes whose ssh is tried again after a pause
	logins   chan *login    // of ssh that have reached their host
	paused   chan *process  // processes whose pause has ended; capacity for all
}

func newQueue(processes int) queue {
	return queue{starting: make(map[string]int), logins: make(chan *login), paused: make(chan *process, processes)}
}

// unstarted reports whether no signal reaches some processes, since they have not been started.
func (q *queue) unstarted() bool { return len(q.waiting)+q.pausing+q.dialling > 0 }

// requeue ends the pause of a process whose ssh is tried again.
func (q *queue) requeue(p *process) {
	q.pausing--
	q.waiting = append(q.waiting, p)
}

// endLogin records that a process's ssh has reached its host, or has ended, and returns its output.
func (q *queue) endLogin(p *process) (printed []byte) {
	if p.login == nil {
		return nil
	}
	select {
	case <-p.login.read:
		printed = p.login.printed
	default: // another process holds its standard error
	}
	p.login = nil
	q.dialling--
	return printed
}

// startable returns the process to start next; nil if none may be started now.
func (j *job) startable() *process {
	if j.stage != running {
		return nil
	}
	for _, p := range j.waiting {
		if p.Host == "" || j.starting[p.Host] < startsAtOnce && j.dialling < loginsAtOnce {
			return p
		}
	}
	return nil
}

// start starts a waiting process. If that fails, so does the job.
func (j *job) start(p *process) {
	i := slices.Index(j.waiting, p)
	j.waiting = slices.Delete(j.waiting, i, i+1)
	if err := j.startProcess(p); err != nil {
		j.fail(fmt.Errorf("start job: %w", err))
		j.terminate(terminateLimit)
		return
	}
	j.starting[p.Host]++
}

func (j *job) startProcess(p *process) error {
	if p.Host != "" {
		p.login = newLogin(p, j.id, j.logins)
	}
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
		job: j.id, process: p.Process, processes: len(j.processes), ranks: j.spec.Ranks,
		launcher: j.rendezvous.address(), bind: j.spec.memberBind(), startLimit: j.spec.StartLimit,
		silenceLimit: j.spec.SilenceLimit, transport: j.spec.Transport, connect: j.spec.Connect,
	}
	startOn := p.startHere
	if p.Host != "" {
		startOn = p.startThere
	}
	if err := startOn(j.spec, e, j.secret, stdout.file, stderr.file); err != nil {
		return err
	}
	j.started++
	if p.login != nil {
		j.dialling++
	}
	go func(l *login) {
		p.wait()
		l.waitForOutput()
		j.exits <- p
	}(p.login)
	return nil
}

// login is one ssh until the other host's shell has reported, on standard error, that it runs. Only then does that
// shell get the script: an ssh that ends before has started nothing, and may be tried again.
type login struct {
	process *process
	ready   []byte        // the line that the shell prints
	reached chan<- *login // receives this login when the line has come
	printed []byte        // output before the line; may be used when read is closed
	exited  chan struct{} // closed when ssh has ended
	read    chan struct{} // closed when the line, or the end, has come
}

// loginReady returns the line with which the loader reports that it runs.
func loginReady(job string) string { return "ready-" + job }

func newLogin(p *process, job string, reached chan<- *login) *login {
	return &login{
		process: p, ready: []byte(loginReady(job) + "\n"), reached: reached,
		exited: make(chan struct{}), read: make(chan struct{}),
	}
}

// readOutput reads up to the line, and returns the output for standard error: all before and after the line. If the end
// comes first, all stays in printed.
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

// waitForOutput is called when ssh has ended. It waits until its standard error has been read, but only a short time:
// children of ssh may keep that open.
func (l *login) waitForOutput() {
	if l == nil {
		return
	}
	close(l.exited)
	select {
	case <-l.read:
	case <-time.After(lastWordsLimit):
	}
}

// handleLogin sends the script to a shell that runs.
func (j *job) handleLogin(l *login) {
	p := l.process
	if p.login != l {
		return // its ssh has ended, and with it the shell
	}
	j.endLogin(p)
	if j.stage != running {
		p.signalled = true
		p.kill(syscall.SIGKILL)
		return
	}
	p.reached = true
	p.control.write(p.script)
}

// retry records why an ssh that has ended did not reach its host, and reports whether it will be tried again. The start
// limit ends the tries.
func (j *job) retry(p *process, printed []byte) bool {
	p.tries++
	p.printed, p.trouble = printed, troubleOf(printed, p.Status)
	if j.stage != running || !p.trouble.passes {
		l := &lines{output: &j.output, from: p.name(), to: j.spec.Stderr, prefix: j.prefix(p)}
		l.copy(bytes.NewReader(printed))
		p.missed = true
		return false
	}
	pause := min(loginPause<<min(p.tries-1, 8), loginPauses)
	pause += rand.N(pause / 2) // hosts refuse connections at random: so the tries should vary
	j.spec.Log.Warn("host was not reached, try again", "host", p.Host, "ssh", lastLine(printed), "pause", pause)
	j.started--
	j.starting[p.Host]--
	j.pausing++
	p.reset()
	time.AfterFunc(pause, func() { j.paused <- p })
	return true
}
