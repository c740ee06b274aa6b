package launch

import (
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"
)

// job is what the loop of a launcher knows; only that touches it.
type job struct {
	spec       *Spec
	id         string
	secret     []byte
	rendezvous *rendezvous
	output     output
	processes  []*process
	waiting    []*process     // have not been started
	dialling   int            // ssh that have not reached their host
	resting    int            // processes that wait before ssh is tried again
	starting   map[string]int // by host: have been started, and have neither joined nor ended
	logins     chan *login    // that have reached their host
	rested     chan *process  // capacity for all
	exits      chan *process  // capacity for all
	order      []*process     // as they were seen to end
	complaints chan complaint // capacity for all
	heard      []complaint
	lines      sync.WaitGroup // those who listen to processes that have joined
	started    int
	joined     int
	departed   bool // all have joined and know each other
	stage      stage
	next       *time.Timer    // to the next stage
	cause      error          // why the job fails, when no process is to blame
	look       *time.Ticker   // at processes that may have been stopped
	signal     syscall.Signal // the last one that was forwarded
	signalled  time.Time      // when
}

func newJob(s *Spec) (*job, error) {
	id := make([]byte, 8)
	rand.Read(id)
	j := &job{
		spec: s, id: hex.EncodeToString(id), secret: newSecret(),
		logins: make(chan *login), rested: make(chan *process, s.Processes),
		exits: make(chan *process, s.Processes), complaints: make(chan complaint, s.Processes),
		starting: make(map[string]int), next: time.NewTimer(time.Hour), look: time.NewTicker(lookEvery),
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

func (j *job) alive() int { return j.started - len(j.order) }

// arrive notes that a process has joined. The last one opens the job.
func (j *job) arrive(g peer) {
	p := j.processes[g.process]
	if p.Joined || p.ended {
		j.spec.Log.Warn("refuse process", "process", g.process, "error", "it has joined already, or has ended")
		g.line.Close()
		return
	}
	if j.stage != going {
		j.refuse(g.line)
		g.line.Close()
		return
	}
	p.Joined, p.line, p.address = true, g.line, g.address
	j.joined++
	j.starting[p.Host]--
	j.listen(p)
	j.checkDeserters()
	if j.joined == len(j.processes) && j.stage == going {
		j.depart()
	}
}

func (j *job) depart() {
	j.departed = true
	j.rendezvous.stop()
	d := departure{}
	for _, p := range j.processes {
		d.Addresses = append(d.Addresses, p.address)
	}
	for _, p := range j.processes {
		if err := tell(p.line, d); err != nil { // it has ended: its exit says more
			j.spec.Log.Debug("tell addresses", "process", p.Process, "error", err)
		}
	}
}

// exit notes that a process has ended.
func (j *job) exit(p *process) {
	p.finish()
	heard := j.leaveLogin(p)
	if p.Host != "" && !p.reached && !p.signalled && j.miss(p, heard) {
		return
	}
	if !p.Joined {
		j.starting[p.Host]--
	}
	j.order = append(j.order, p)
	j.spec.Log.Debug("process ended", "process", p.Process, "status", p.Status)
	if p.Status != 0 || p.missed {
		j.fail(nil)
	}
	j.checkDeserters()
}

// checkDeserters fails a job in which some processes have ended and others wait for them: a program that never joins may
// end when it likes, but not before one that has joined.
func (j *job) checkDeserters() {
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
	j.fail(fmt.Errorf("start job: not all processes have joined within %v; missing: %s; %s",
		j.spec.StartLimit, strings.Join(missing, ", "), j.whyMissing()))
	j.ask(askedLimit)
}

// whyMissing says what may keep processes from joining.
func (j *job) whyMissing() string {
	why := ""
	if hosts := j.unreached(); len(hosts) > 0 {
		why = listHosts(hosts) + "; "
	}
	if j.dialling > 0 {
		why += fmt.Sprintf("ssh has not got through for %d of them yet: %s %s; ", j.dialling, adviceSilent, adviceShell)
	}
	return why + fmt.Sprintf("does the program call pebble.Main or launch.Join, and can its host reach %s?", j.rendezvous.address())
}

// forward passes a signal of the launcher on. It is no failure yet: the processes decide, unless some have not been
// started. A second SIGINT kills, but not at once after the first.
func (j *job) forward(s syscall.Signal, at time.Time) {
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
	if j.unheard() { // these will never hear of it
		j.fail(&SignalError{s})
		j.ask(unbegunLimit)
	}
}
