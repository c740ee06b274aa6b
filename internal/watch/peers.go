package watch

import (
	"encoding/json"
	"slices"
	"sync"
	"time"

	"github.com/activepebbles/pebbles/internal/watch/state"
	"github.com/activepebbles/pebbles/netio"
)

// peers are the other processes of the job. Process 0 keeps their last states.
type peers struct {
	place netio.Place
	noter netio.Noter // nil if this process is alone

	mu     sync.Mutex
	others []other       // by process; nil except in process 0
	answer chan struct{} // closed and replaced at each answer
	stacks []state.Calls // of the last answers
}

// other is the last state of another process.
type other struct {
	heard  time.Duration // time since its last note
	count  count
	state  *state.Process // nil before the first answer
	stated time.Time      // of that answer
}

// send sends a note, unless it is too long.
func (p *peers) send(process int, n note) {
	if p.noter == nil {
		return
	}
	text, err := json.Marshal(n)
	if err == nil && len(text) <= netio.NoteBytesMax {
		p.noter.Note(process, text)
	}
}

// all are the other processes.
func (p *peers) all() (processes []int) {
	for process := range p.place.Processes {
		if process != p.place.Process {
			processes = append(processes, process)
		}
	}
	return processes
}

// ask asks processes for their state, and waits for all answers, at most for the given time. Only process 0 asks, and
// not itself.
func (p *peers) ask(processes []int, full bool, most time.Duration, over <-chan struct{}) {
	if p.place.Process != 0 || p.noter == nil {
		return
	}
	began, limit := time.Now(), time.NewTimer(most)
	defer limit.Stop()
	processes = slices.DeleteFunc(processes, func(process int) bool { return process == 0 })
	for _, process := range processes {
		p.send(process, note{Ask: &ask{full}})
	}
	for {
		answer, all := p.answered(processes, began)
		if all {
			return
		}
		select {
		case <-answer:
		case <-limit.C:
			return
		case <-over:
			return
		}
	}
}

// answered reports whether processes have answered since a time. Otherwise the next answer closes the channel.
func (p *peers) answered(processes []int, since time.Time) (next <-chan struct{}, all bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, process := range processes {
		if p.others[process].stated.Before(since) {
			return p.answer, false
		}
	}
	return nil, true
}

// heard handles a note of another process.
func (p *peers) heard(process int, n note) {
	p.mu.Lock()
	defer p.mu.Unlock()
	o := &p.others[process]
	o.heard = 0
	switch {
	case n.Count != nil:
		o.count = *n.Count
	case n.Told != nil && n.Told.Process != nil:
		o.state, o.stated = n.Told.Process, time.Now()
		p.stacks = append(p.stacks, n.Told.Stacks...)
		close(p.answer)
		p.answer = make(chan struct{})
	}
}

// tick advances time by a tick, and adds the progress of the other processes to that of this one.
func (p *peers) tick(all count) count {
	p.mu.Lock()
	defer p.mu.Unlock()
	for i := range p.others {
		o := &p.others[i]
		if i != 0 {
			o.heard += tick
		}
		all.Moved += o.count.Moved
		all.Waiting += o.count.Waiting
	}
	return all
}

// takeStacks returns the stacks of the last answers, and clears them.
func (p *peers) takeStacks() []state.Calls {
	p.mu.Lock()
	defer p.mu.Unlock()
	all := p.stacks
	p.stacks = nil
	return all
}

// fill puts the last states of the other processes into a job.
func (p *peers) fill(j *state.Job, host string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for i := 1; i < len(p.others); i++ {
		o, at := &p.others[i], &j.Processes[i]
		if o.state != nil {
			*at = *o.state
		}
		at.SilentSeconds = o.heard.Seconds()
		at.Stopped = at.SilentSeconds > 2 && at.Host == host && stopped(at.PID)
	}
}
