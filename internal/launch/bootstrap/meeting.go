package bootstrap

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"time"

	"github.com/activepebbles/pebbles/internal/handshake"
)

// meeting is one process's part in the start of its job. All but its events is for the goroutine that waits.
type meeting struct {
	c      Config
	tree   tree
	proof  proof
	secret []byte // nil: process 0 makes one
	gate   *handshake.Gate

	parent   net.Conn         // nil before it was reached
	children map[int]net.Conn // that have come
	told     map[int]bool     // children that have told of their subtrees
	members  []member         // this process and those that children have told of

	events  chan event
	over    context.Context // ends with the meeting
	stop    context.CancelFunc
	readers sync.WaitGroup
	dialing sync.WaitGroup
}

// event is what another process has brought. It returns the job when that is known, and an error when the start has failed.
type event func() (*Job, error)

func newMeeting(c Config, p proof, secret []byte) *meeting {
	m := &meeting{
		c: c, tree: c.tree(), proof: p, secret: secret, events: make(chan event),
		children: make(map[int]net.Conn), told: make(map[int]bool), members: []member{{c.Number, c.Self}},
	}
	m.over, m.stop = context.WithCancel(context.Background())
	return m
}

// begin lets children in, and dials the parent until limit ends.
func (m *meeting) begin(limit context.Context) {
	m.gate = m.c.gate(m.over, m.proof,
		func(conn net.Conn, h handshake.Hello) {
			m.bring(conn, func() (*Job, error) { return m.enter(conn, h) })
		},
		func(err error) { m.bring(nil, func() (*Job, error) { return nil, err }) })
	m.gate.Open()
	if m.c.Number == 0 {
		return
	}
	ctx, cancel := context.WithCancel(limit)
	context.AfterFunc(m.over, cancel)
	m.dialing.Go(func() {
		defer cancel()
		if err := m.dialParent(ctx); err != nil {
			if limit.Err() != nil {
				err = fmt.Errorf("%w: %w", context.Cause(limit), err)
			}
			err = fmt.Errorf("reach process %d: %w", m.tree.parent(m.c.Number), err)
			m.bring(nil, func() (*Job, error) { return nil, err })
		}
	})
}

// bring hands over an event. A connection that comes too late is closed.
func (m *meeting) bring(conn net.Conn, e event) {
	select {
	case m.events <- e:
	case <-m.over.Done():
		if conn != nil {
			conn.Close()
		}
	}
}

// dialParent returns when the parent was reached, or ctx has ended; then the error says what was wrong with the last try.
func (m *meeting) dialParent(ctx context.Context) error {
	c := &handshake.Contact{Process: m.tree.parent(m.c.Number)}
	return handshake.Reach(ctx, func(ctx context.Context) (again bool, err error) {
		conn, err := m.dialOnce(ctx, c.Process)
		if err != nil {
			return !c.Hopeless(err), err
		}
		m.bring(conn, func() (*Job, error) { return m.greet(conn) })
		return false, nil
	})
}

func (m *meeting) dialOnce(ctx context.Context, parent int) (net.Conn, error) {
	address, prove, err := m.proof.find(ctx, parent)
	if err != nil {
		return nil, err
	}
	limited, cancel := context.WithTimeout(ctx, handshake.DefaultLimit)
	defer cancel()
	conn, err := m.c.Dial(limited, address)
	if err != nil {
		return nil, err
	}
	proven, err := prove(ctx, conn)
	if err == nil {
		err = ctx.Err() // it may have closed the connection
	}
	if err != nil {
		conn.Close()
		return nil, err
	}
	return proven, nil
}

// wait answers events until the job is known.
func (m *meeting) wait(ctx, limit context.Context) (*Job, error) {
	late := time.NewTimer(m.c.Limit + spareTime)
	defer late.Stop()
	if job, err := m.complete(); job != nil || err != nil {
		return job, err
	}
	for expired := limit.Done(); ; {
		select {
		case e := <-m.events:
			if job, err := e(); job != nil || err != nil {
				return job, err
			}
		case <-expired:
			expired = nil
			if ctx.Err() != nil {
				return nil, context.Cause(ctx)
			}
			if err := m.absent(context.Cause(limit)); err != nil {
				return nil, err
			}
		case <-late.C:
			return nil, fmt.Errorf("%w, and none of the processes that process %d has heard of says which are missing",
				context.Cause(limit), m.c.Number)
		}
	}
}

// enter takes in a child.
func (m *meeting) enter(conn net.Conn, h handshake.Hello) (*Job, error) {
	if err := m.fits(h.Process); err != nil {
		conn.SetWriteDeadline(time.Now().Add(time.Second))
		_ = handshake.WriteMessage(conn, verdict{Failed: failure(err)}) // else it sees that the connection ends
		conn.Close()
		return nil, err
	}
	m.children[h.Process] = conn
	m.readers.Go(func() {
		for {
			var r report
			err := handshake.ReadMessage(conn, messageBytesMax(m.c.Processes), &r)
			m.bring(nil, func() (*Job, error) { return m.hear(h.Process, r, err) })
			if err != nil {
				return
			}
		}
	})
	return nil, nil
}

func (m *meeting) fits(child int) error {
	switch {
	case !m.tree.isChild(child, m.c.Number):
		return fmt.Errorf("process %d has dialled process %d: were all started for %d processes?", child, m.c.Number, m.c.Processes)
	case m.children[child] != nil:
		return fmt.Errorf("two processes have number %d", child)
	}
	return nil
}

// hear takes in what a child has said.
func (m *meeting) hear(child int, r report, err error) (*Job, error) {
	switch {
	case err != nil:
		return nil, ended(child, err)
	case r.Failed != "":
		return nil, fmt.Errorf("%w: %s", ErrElsewhere, r.Failed)
	case len(r.Subtree) == 0 || m.told[child]:
		return nil, nil
	}
	if err := m.tree.checkSubtree(child, r.Subtree); err != nil {
		return nil, fmt.Errorf("read the report of process %d: %w", child, err)
	}
	m.told[child] = true
	m.members = append(m.members, r.Subtree...)
	return m.complete()
}

// greet takes in the connection to the parent.
func (m *meeting) greet(conn net.Conn) (*Job, error) {
	m.parent = conn
	parent := m.tree.parent(m.c.Number)
	m.readers.Go(func() {
		var v verdict
		err := handshake.ReadMessage(conn, messageBytesMax(m.c.Processes), &v)
		m.bring(nil, func() (*Job, error) { return m.obey(parent, v, err) })
	})
	return m.complete()
}

// obey takes in what the parent has said.
func (m *meeting) obey(parent int, v verdict, err error) (*Job, error) {
	switch {
	case err != nil:
		return nil, ended(parent, err)
	case v.Failed != "":
		return nil, fmt.Errorf("%w: %s", ErrElsewhere, v.Failed)
	}
	job := v.job()
	if m.secret != nil {
		job.Secret = m.secret
	}
	if err := job.check(m.c.Processes); err != nil {
		return nil, fmt.Errorf("read the job from process %d: %w", parent, err)
	}
	return m.pass(job), nil
}

// ended is the error of a process that was connected with one that is gone.
func ended(process int, err error) error {
	return fmt.Errorf("%w: process %d has ended while the job started: %w", ErrElsewhere, process, err)
}

// complete tells the parent of the subtree when that is known. Process 0 makes the job.
func (m *meeting) complete() (*Job, error) {
	first, last := m.tree.children(m.c.Number)
	switch {
	case len(m.told) < last-first:
		return nil, nil
	case m.c.Number == 0:
		job, err := m.makeJob()
		if err != nil {
			return nil, err
		}
		return m.pass(job), nil
	case m.parent == nil:
		return nil, nil
	}
	m.write(m.parent, report{Number: m.c.Number, Subtree: m.members})
	return nil, nil
}

// makeJob is for process 0.
func (m *meeting) makeJob() (*Job, error) {
	processes := make([]Process, m.c.Processes)
	job := newJob(m.secret)
	job.Addresses = make([]string, m.c.Processes)
	for _, p := range m.members {
		processes[p.Number] = p.Process
		job.Addresses[p.Number] = p.Address
	}
	var err error
	job.Ranks, err = m.c.Ranks(processes)
	return job, err
}

// pass tells the children of the job. A secret that all know already is not sent: nothing hides it on these connections.
func (m *meeting) pass(job *Job) *Job {
	v := job.verdict()
	if m.secret != nil {
		v.Secret = nil
	}
	m.toChildren(v, handshake.DefaultLimit)
	return job
}

// toChildren tells all children, each within a limit: one that is stopped must not stop the others.
func (m *meeting) toChildren(v verdict, limit time.Duration) {
	var b bytes.Buffer
	_ = handshake.WriteMessage(&b, v) // to memory
	for child, conn := range m.children {
		conn.SetWriteDeadline(time.Now().Add(limit))
		if _, err := conn.Write(b.Bytes()); err != nil { // it has ended: the transport will miss it
			m.c.Log.Warn("tell of the job", "process", child, "error", err)
		}
	}
}

// write sends a message to the parent, and waits no longer than for a greeting. Of a parent that has ended its reader says more.
func (m *meeting) write(conn net.Conn, message any) {
	_ = errors.Join(conn.SetWriteDeadline(time.Now().Add(handshake.DefaultLimit)), handshake.WriteMessage(conn, message))
}

// tell says why the start has failed, to all that are connected.
func (m *meeting) tell(err error) {
	const soon = time.Second
	if m.parent != nil {
		m.parent.SetWriteDeadline(time.Now().Add(soon))
		_ = handshake.WriteMessage(m.parent, report{Number: m.c.Number, Failed: failure(err)}) // else it sees that the connection ends
	}
	m.toChildren(verdict{Failed: failure(err)}, soon)
}

// end returns when nothing of the meeting is left.
func (m *meeting) end() {
	m.stop()
	m.gate.Close()
	m.dialing.Wait()
	if m.parent != nil {
		m.parent.Close()
	}
	for _, conn := range m.children {
		conn.Close()
	}
	m.readers.Wait()
}
