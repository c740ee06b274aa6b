package start

import (
	"slices"
	"time"

	"github.com/activepebbles/pebbles/netio"
	"github.com/activepebbles/pebbles/route"
)

// The kinds of messages, in Header.Flags.
const (
	greetParent = iota // a handshake in the tree
	greetPeer          // a handshake of two neighbours
	report             // a subtree's addresses, to the parent
	addresses          // all addresses, to a child
	enter              // the barrier
	leave
)

// The sizes of the steps of a handshake in bytes; Header.Count is the step. The dialling end sends the even ones. TCP's
// own come first.
var greeting = []int{0, 0, openingBytes, openingBytes, proofBytes, proofBytes, helloBytes, helloBytes}

// step is the progress of a process.
type step int

const (
	beginning step = iota
	joining        // waits for the addresses
	connecting
	meeting // waits at the barrier
	ended
)

// process is a process of a simulated start: a state machine that messages drive.
type process struct {
	*Job
	result *Result
	port   netio.Port
	number int
	step   step

	parent     bool // the parent has been greeted
	reports    int  // number of known subtrees
	subtree    int  // number of processes in this one's subtree
	known      bool // all addresses have come
	neighbours []int
	waiting    []int // neighbours to dial
	met        int   // number of connected neighbours
	entered    int   // number of children that have entered the barrier
	left       bool  // the barrier
}

func newProcess(j *Job, r *Result, t netio.Transport) *process {
	p := &process{Job: j, result: r, number: t.Place().Process, subtree: 1}
	p.port = t.Port(p.number)
	p.neighbours = route.Hypercube(j.Processes).Neighbors(p.number)
	for _, n := range p.neighbours { // the next below first
		if n < p.number {
			p.waiting = append(p.waiting, n)
		}
	}
	return p
}

// run runs the process until it has started.
func (p *process) run() {
	p.compute(p.Costs.Process)
	p.reach(joining, &p.result.Began)
	if p.number > 0 {
		p.send(greetParent, (p.number-1)/fanout, 0, 0)
	}
	first, last := p.children()
	p.await(func() bool { return p.reports == last-first && (p.parent || p.number == 0) })
	if p.number > 0 {
		p.send(report, (p.number-1)/fanout, p.subtree, addressBytes*p.subtree)
		p.await(func() bool { return p.known })
	}
	for child := first; child < last; child++ {
		p.send(addresses, child, 0, addressBytes*p.Processes)
	}
	p.reach(connecting, &p.result.Addresses)
	p.result.Connections = max(p.result.Connections, len(p.neighbours))
	for range min(dialsAtOnce, len(p.waiting)) {
		p.dial()
	}
	p.await(func() bool { return p.met == len(p.neighbours) })
	p.reach(meeting, &p.result.Connected)
	p.meet()
	p.reach(ended, &p.result.Started)
}

// children returns the children of the process in the tree of addresses: first to last-1.
func (p *process) children() (first, last int) {
	first = min(p.number*fanout+1, p.Processes)
	return first, min(first+fanout, p.Processes)
}

// meet is a barrier along the binomial tree, whose edges all connect neighbours.
func (p *process) meet() {
	var below []int
	lowest := p.number & -p.number
	for bit := 1; (lowest == 0 || bit < lowest) && p.number+bit < p.Processes; bit <<= 1 {
		below = append(below, p.number+bit)
	}
	p.await(func() bool { return p.entered == len(below) })
	if p.number > 0 {
		p.send(enter, p.number&(p.number-1), 0, 0)
		p.await(func() bool { return p.left })
	}
	for _, child := range slices.Backward(below) { // the largest subtree first
		p.send(leave, child, 0, 0)
	}
}

// reach records the step that the process has reached, and in last the time of the latest process.
func (p *process) reach(s step, last *float64) {
	p.step = s
	*last = max(*last, p.port.Now().Seconds())
}

func (p *process) compute(d time.Duration) { p.port.(netio.Meter).Compute(d) }

func (p *process) await(done func() bool) {
	for !done() {
		if f := p.port.Recv(); f != nil {
			p.take(f)
			f.Release()
		} else {
			p.port.Wait(-1)
		}
	}
}

func (p *process) send(kind uint8, to, count, size int) {
	f := p.port.Pool().Get(size)
	f.Kind, f.Flags, f.From, f.To = netio.Control, kind, uint32(p.number), uint32(to)
	f.Count, f.Bytes = uint32(count), uint32(size)
	clear(f.Payload())
	p.port.Send(f)
}

// dial begins the handshake with the next neighbour.
func (p *process) dial() {
	if len(p.waiting) > 0 {
		p.send(greetPeer, p.waiting[0], 0, 0)
		p.waiting = p.waiting[1:]
	}
}

func (p *process) take(f *netio.Frame) {
	switch f.Flags {
	case greetParent, greetPeer:
		p.greet(f.Flags, int(f.From), int(f.Count))
	case report:
		p.reports++
		p.subtree += int(f.Count)
	case addresses:
		p.known = true
	case enter:
		p.entered++
	case leave:
		p.left = true
	}
}

// greet takes a step of a handshake and answers with the next one. The kernel handles the first two; each end handles
// three of the others.
func (p *process) greet(kind uint8, from, step int) {
	if step > 1 {
		p.compute(p.Costs.Greeting / 3)
	}
	if step+1 < len(greeting) {
		p.send(kind, from, step+1, greeting[step+1])
	}
	last := step >= len(greeting)-2 // for this end
	switch {
	case last && kind == greetPeer:
		p.met++
		if step == len(greeting)-1 {
			p.dial()
		}
	case last && step == len(greeting)-1:
		p.parent = true
	}
}
