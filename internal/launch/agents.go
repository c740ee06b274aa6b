package launch

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"slices"
	"syscall"
	"time"

	"github.com/activepebbles/pebbles/internal/handshake"
	"github.com/activepebbles/pebbles/netio/connect"
	"github.com/activepebbles/pebbles/netio/tcp"
)

// agent is the launcher's view of another host: an ssh, and at its other end an agent that starts the host's processes.
// Only the launcher's loop uses it.
type agent struct {
	child
	host      string
	processes []*process
	script    string // for the host's shell
	control   *control
	deaf      chan struct{} // closed at the end of the agent's output
	ended     bool
	checking  bool // the agent has been told that others have ended

	login   *login  // of an ssh that has not reached the host yet
	reached bool    // the script was sent
	tries   int     // number of ssh that ended before they reached the host
	printed []byte  // output of the last of them
	trouble trouble // reason for its end
}

// heard is a message from an agent.
type heard struct {
	agent *agent
	word
}

// openHosts makes the agents of a job on other hosts. The launcher's address must be one of this machine: agents derive
// from it the network that their processes listen in.
func (j *job) openHosts() error {
	s := j.spec
	listener, err := tcp.Listen(s.Bind)
	if err != nil {
		return err
	}
	listener.Close()
	if !connect.IsEncrypted(s.Transport) {
		warnOpen(s.Log, listener.Addr())
	}
	j.toward, _, _ = net.SplitHostPort(listener.Addr().String())
	self, err := os.Executable()
	if err != nil {
		return fmt.Errorf("find the launcher's executable, which starts the processes of other hosts: %w", err)
	}
	script := remoteScript(s, j.id, self)
	for _, p := range j.processes {
		if n := len(j.agents); n == 0 || j.agents[n-1].host != p.Host {
			a := &agent{host: p.Host, script: script}
			j.agents, j.waiting = append(j.agents, a), append(j.waiting, a)
		}
		a := j.agents[len(j.agents)-1]
		a.processes = append(a.processes, p)
	}
	j.gone = make(chan *agent, len(j.agents))
	return nil
}

func (a *agent) name() string { return "host " + a.host }

// ranks returns the ranks of the agent's processes.
func (a *agent) ranks() string {
	return Outcome{First: a.processes[0].First, Last: a.processes[len(a.processes)-1].Last}.ranks()
}

func (a *agent) mayBegin(j *job) bool { return j.dialling < loginsAtOnce }

// begin starts a local ssh. Its standard input carries the script and then the messages to the agent.
func (a *agent) begin(j *job) error {
	s := j.spec
	path, err := exec.LookPath(s.SSH[0])
	if err != nil {
		return fmt.Errorf("find the command for other hosts: %w", err)
	}
	stdin, file, err := os.Pipe()
	if err != nil {
		return fmt.Errorf("make pipe for ssh: %w", err)
	}
	defer stdin.Close()
	a.login, a.deaf = newLogin(a, j.id, j.logins), make(chan struct{})
	stderr, err := j.output.forward(
		&lines{to: s.Stderr, prefix: j.prefix(a.ranks()), from: a.name(), login: a.login})
	if err != nil {
		file.Close()
		return fmt.Errorf("make pipe for the output of %s: %w", a.name(), err)
	}
	defer stderr.Close()
	stdout, err := j.output.pass(func(r *os.File) { a.hear(j, r) })
	if err != nil {
		file.Close()
		return fmt.Errorf("make pipe for the words of %s: %w", a.name(), err)
	}
	defer stdout.Close()
	err = a.start(&exec.Cmd{
		Path: path, Args: sshArguments(s, a.host, j.id), Env: withoutJob(os.Environ()),
		Stdin: stdin, Stdout: stdout, Stderr: stderr,
		SysProcAttr: attributes(),
	})
	if err != nil {
		file.Close()
		return fmt.Errorf("start ssh for %s: %w", a.name(), err)
	}
	a.control = newControl(file)
	a.count(j, 1)
	go func(l *login) {
		a.wait()
		l.waitForOutput()
		select {
		case <-a.deaf:
		case <-time.After(lastWordsLimit):
		}
		j.gone <- a
	}(a.login)
	return nil
}

// count counts the agent and its processes as started if n is 1, and as not started if n is -1.
func (a *agent) count(j *job, n int) {
	j.attached += n
	j.started += n * len(a.processes)
	if n > 0 {
		j.dialling++
	}
	for _, p := range a.processes {
		p.Started = n > 0
	}
}

// reset returns an agent whose ssh has ended to the state before its start.
func (a *agent) reset(j *job) {
	a.count(j, -1)
	a.mu.Lock()
	defer a.mu.Unlock()
	a.cmd, a.control, a.ended, a.reaped = nil, nil, false, false
}

// tell sends the agent a message if its host was reached and its ssh has not ended.
func (a *agent) tell(message any) {
	if a.reached && !a.ended {
		a.control.write(string(encoded(message)))
	}
}

// signal sends a signal to the agent's processes, or to the ssh that has not reached the host.
func (a *agent) signal(s syscall.Signal) {
	if a.reached {
		a.tell(command{Signal: s})
		return
	}
	a.kill(s)
}

func (a *agent) order(j *job) order {
	s := j.spec
	return order{
		Job: j.id, Secret: j.secret, Processes: s.Processes, Ranks: s.Ranks,
		First: a.processes[0].Process, Last: a.processes[len(a.processes)-1].Process + 1,
		Interface: s.memberBind(), Toward: j.toward, Transport: s.Transport, Connect: s.Connect,
		StartLimit: s.StartLimit, SilenceLimit: s.SilenceLimit, Grace: s.Grace,
	}
}

// agentReady returns the line that precedes the agent's messages.
func agentReady(job string) string { return "agent-" + job + "\n" }

// hear forwards the output of the agent's processes, and passes its other messages to the loop.
func (a *agent) hear(j *job, from io.Reader) {
	defer close(a.deaf)
	e := ear{job: j, agent: a, streams: make(map[printed]*lines)}
	defer e.end()
	r := bufio.NewReader(from)
	if err := e.awaitAgent(r); err != nil {
		return
	}
	err := e.listen(r)
	if errors.Is(err, io.EOF) || errors.Is(err, os.ErrDeadlineExceeded) {
		return
	}
	j.spec.Log.Warn("listen to agent", "host", a.host, "error", err)
	a.kill(syscall.SIGKILL)
}

// ear is the state of the goroutine that reads an agent's messages.
type ear struct {
	job     *job
	agent   *agent
	streams map[printed]*lines
}

// printed is a stream of a process.
type printed struct {
	process int
	errors  bool
}

// awaitAgent forwards the output of a login until the agent is ready.
func (e *ear) awaitAgent(r *bufio.Reader) error {
	for ready := []byte(agentReady(e.job.id)); ; {
		line, err := r.ReadBytes('\n')
		text, found := bytes.CutSuffix(line, ready)
		e.forward(e.agent.processes[0], false, text)
		if found || err != nil {
			return err
		}
	}
}

// listen handles messages of the agent until an error, and returns that.
func (e *ear) listen(r io.Reader) error {
	for {
		var w word
		if err := handshake.ReadMessage(r, wordBytesMax, &w); err != nil {
			return err
		}
		p := e.agent.process(w.Process)
		if p == nil {
			return fmt.Errorf("it speaks for process %d, which is not on this host", w.Process)
		}
		if len(w.Text) > 0 {
			e.forward(p, w.Errors, w.Text)
			continue
		}
		select {
		case e.job.heard <- heard{e.agent, w}:
		case <-e.job.over:
		}
	}
}

func (e *ear) forward(p *process, errors bool, text []byte) {
	of := printed{p.Process, errors}
	if e.streams[of] == nil {
		l := e.job.linesOf(p, errors)
		l.output = &e.job.output
		e.streams[of] = l
	}
	e.streams[of].add(text)
}

func (e *ear) end() {
	for _, l := range e.streams {
		l.end()
	}
}

// process returns one of the agent's processes, or nil if the process is not on its host.
func (a *agent) process(number int) *process {
	i := slices.IndexFunc(a.processes, func(p *process) bool { return p.Process == number })
	if i < 0 {
		return nil
	}
	return a.processes[i]
}

// isNear reports whether a process that has joined listens on the launcher's host.
func (j *job) isNear(process int) bool {
	p := j.process(process)
	if p == nil {
		return false
	}
	host, _, _ := net.SplitHostPort(p.address)
	return host == j.toward
}

// handle handles the message in the launcher's loop.
func (h heard) handle(j *job) {
	p := j.process(h.Process)
	switch {
	case h.Failed != "":
		j.fail(fmt.Errorf("start job: %s: %s", h.agent.name(), h.Failed))
		j.terminate(terminateLimit)
	case h.Complaint != nil:
		c := *h.Complaint
		c.by, c.near = h.Of, j.isNear(h.Of)
		j.received = append(j.received, c)
	case h.Saved:
		j.saved.Add(1)
	case p.ended:
	case h.Ended:
		p.finish(h.Status, 0)
		j.noteExit(p)
	case p.Joined || checkAddress(h.Address) != nil:
		j.spec.Log.Warn("refuse process", "process", p.Process, "error", "it has joined, or its address is wrong")
	default:
		j.noteJoin(p, h.Address)
	}
}

// end records the end of the agent's ssh. Unless ssh is tried again, the processes without a reported end have ended
// with it.
func (a *agent) end(j *job) {
	status, _ := a.outcome()
	printed := j.endLogin(a)
	a.ended = true
	a.control.close()
	if !a.reached && !a.processes[0].signalled && a.retry(j, printed, status) {
		return
	}
	j.attached--
	for _, p := range a.processes {
		switch {
		case p.ended:
		case status == 0 && a.reached: // the job had failed before its turn
			p.Started = false
			j.started--
		default:
			p.finish(status, 0)
			j.noteExit(p)
		}
	}
}
