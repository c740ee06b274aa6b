package bootstrap

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/activepebbles/pebbles/internal/handshake"
)

// Config describes the job before the exchange. It is equal in all processes, except for Number, Self and Listener.
type Config struct {
	Number    int // of this process
	Processes int
	Self      Process
	Listener  net.Listener // for its children; the call owns it
	// Dial dials an address, as net.Dialer does.
	Dial func(ctx context.Context, address string) (net.Conn, error)
	// Ranks is the number of ranks of the job. Process 0 calls it, for all.
	Ranks func([]Process) (int, error)
	Limit time.Duration // limit of the start
	TLS   bool          // encrypt the tree of [ExchangeAt]; that of [Exchange] always is
	Log   *slog.Logger  // may be nil

	fanout int // of the tree; 0 is fanoutDefault
}

// Rendezvous is the data of processes that need no store.
type Rendezvous struct {
	Secret []byte
	// Address returns the listening address of a process for its children; its host may be a name that can't be
	// resolved yet.
	Address func(process int) string
	// Star makes all processes dial process 0, for a job with only that address.
	Star bool
}

// ErrElsewhere is the error of a start that has failed in another process.
var ErrElsewhere = errors.New("job has failed elsewhere")

// spareTime is added to the limit of a process that waits for its children, which report the missing ones.
const spareTime = 2 * time.Second

// Exchange returns when this process has the addresses of all others. All processes must call it. None of them needs
// the store after it has returned.
func Exchange(ctx context.Context, c Config, store Store) (*Job, error) {
	return c.run(ctx, nil, func(ctx context.Context) (authenticator, error) { return publish(ctx, c, store) })
}

// ExchangeAt is Exchange for processes that have the secret and their addresses.
func ExchangeAt(ctx context.Context, c Config, r Rendezvous) (*Job, error) {
	if r.Star {
		c.fanout = max(1, c.Processes-1)
	}
	return c.run(ctx, r.Secret, func(context.Context) (authenticator, error) { return newBySecret(c, r) })
}

// authenticator proves the identities of two processes to each other.
type authenticator interface {
	// lookup returns the listening address of a process, and its fingerprint if it has one.
	lookup(ctx context.Context, process int) (entry, error)
	// prove authenticates both ends of a connection that this process has dialled, and returns the connection to use
	// with the parent.
	prove(ctx context.Context, conn net.Conn, parent entry) (net.Conn, error)
	// guard makes a gate accept only children.
	guard(ctx context.Context, g *handshake.Gate)
}

func (c Config) tree() tree { return tree{c.Processes, cmp.Or(c.fanout, fanoutDefault)} }

func (c Config) run(
	ctx context.Context, secret []byte, open func(context.Context) (authenticator, error),
) (*Job, error) {
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	limit, cancel := context.WithTimeoutCause(ctx, c.Limit, fmt.Errorf("the job has not started within %v", c.Limit))
	defer cancel()
	if err := c.Self.check(); err != nil {
		c.Listener.Close()
		return nil, fmt.Errorf("join job: %w", err)
	}
	auth, err := open(limit)
	if err != nil {
		c.Listener.Close()
		return nil, err
	}
	x := newExchange(c, auth, secret)
	defer x.close()
	x.start(limit)
	job, err := x.wait(ctx, limit)
	if err != nil {
		x.sendFailure(err)
		return nil, err
	}
	return job, nil
}

// exchange is one process's part in the start of its job. Only the goroutine in wait uses its fields, except for those
// below events.
type exchange struct {
	Config
	tree   tree
	auth   authenticator
	secret []byte // nil: process 0 makes one
	gate   *handshake.Gate

	parent   net.Conn         // nil until it is connected
	children map[int]net.Conn // connected children
	reported map[int]bool     // children whose subtree is known
	members  []member         // this process and the subtrees of the children that have reported

	events     chan event
	open       context.Context // ends with the exchange
	stop       context.CancelFunc
	background sync.WaitGroup
}

// event handles a message of another process. It returns the job when that is complete, and an error when the start has
// failed.
type event func() (*Job, error)

func newExchange(c Config, auth authenticator, secret []byte) *exchange {
	x := &exchange{
		Config: c, tree: c.tree(), auth: auth, secret: secret, events: make(chan event),
		children: make(map[int]net.Conn), reported: make(map[int]bool), members: []member{{c.Number, c.Self}},
	}
	x.open, x.stop = context.WithCancel(context.Background())
	return x
}

// start accepts children, and dials the parent until limit ends.
func (x *exchange) start(limit context.Context) {
	first, last := x.tree.children(x.Number)
	x.gate = &handshake.Gate{
		Listener: x.Listener, Members: last - first, Limit: x.Limit, Log: x.Log, Mismatch: x.deliverFailure,
		Welcome: func(conn net.Conn, h handshake.Hello) {
			x.deliver(conn, func() (*Job, error) { return nil, x.addChild(conn, h.Process) })
		},
	}
	x.auth.guard(x.open, x.gate)
	x.gate.Open()
	if x.Number == 0 {
		return
	}
	ctx, cancel := context.WithCancel(limit)
	context.AfterFunc(x.open, cancel)
	x.background.Go(func() {
		defer cancel()
		parent := x.tree.parent(x.Number)
		err := x.dialParent(ctx, parent)
		switch {
		case err == nil:
		case limit.Err() != nil:
			x.deliverFailure(fmt.Errorf("reach process %d: %w: %w", parent, context.Cause(limit), err))
		default:
			x.deliverFailure(fmt.Errorf("reach process %d: %w", parent, err))
		}
	})
}

// deliver passes an event to the goroutine in wait. A connection that comes after the exchange is closed.
func (x *exchange) deliver(conn net.Conn, e event) {
	select {
	case x.events <- e:
	case <-x.open.Done():
		if conn != nil {
			conn.Close()
		}
	}
}

func (x *exchange) deliverFailure(err error) {
	x.deliver(nil, func() (*Job, error) { return nil, err })
}

// dialParent returns when the parent is connected, or ctx has ended; then the error is that of the last try.
func (x *exchange) dialParent(ctx context.Context, parent int) error {
	var refusals handshake.Refusals
	return handshake.Reach(ctx, func(ctx context.Context) (again bool, err error) {
		conn, err := x.dialOnce(ctx, parent)
		if err != nil {
			return !refusals.Hopeless(err), err
		}
		x.deliver(conn, func() (*Job, error) { return x.setParent(conn) })
		return false, nil
	})
}

func (x *exchange) dialOnce(ctx context.Context, parent int) (net.Conn, error) {
	e, err := x.auth.lookup(ctx, parent)
	if err != nil {
		return nil, err
	}
	limited, cancel := context.WithTimeout(ctx, handshake.DefaultLimit)
	defer cancel()
	conn, err := x.Dial(limited, e.address)
	if err != nil {
		return nil, err
	}
	proven, err := x.auth.prove(ctx, conn, e)
	if err == nil {
		err = ctx.Err() // the end of ctx may have closed the connection
	}
	if err != nil {
		conn.Close()
		return nil, err
	}
	return proven, nil
}

// wait handles events until the job is complete.
func (x *exchange) wait(ctx, limit context.Context) (*Job, error) {
	late := time.NewTimer(x.Limit + spareTime)
	defer late.Stop()
	if job, err := x.reportSubtree(); job != nil || err != nil {
		return job, err
	}
	for expired := limit.Done(); ; {
		select {
		case e := <-x.events:
			if job, err := e(); job != nil || err != nil {
				return job, err
			}
		case <-expired:
			expired = nil
			if ctx.Err() != nil {
				return nil, context.Cause(ctx)
			}
			if err := x.checkMissing(context.Cause(limit)); err != nil {
				return nil, err
			}
		case <-late.C:
			return nil, fmt.Errorf("%w, and none of the processes that process %d has heard of says which are missing",
				context.Cause(limit), x.Number)
		}
	}
}

// checkMissing returns an error that names the children that are not connected at the end of the limit. It returns nil
// if all are: those that wait for others report it.
func (x *exchange) checkMissing(cause error) error {
	var missing []int
	first, last := x.tree.children(x.Number)
	for child := first; child < last; child++ {
		if x.children[child] == nil {
			missing = append(missing, child)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	return fmt.Errorf("%w: %s did not come to process %d at %v: were all %d tasks started, and can their hosts reach "+
		"this address?", cause, list(missing), x.Number, x.Listener.Addr(), x.Processes)
}

// namesMax bounds the processes that a sentence names.
const namesMax = 8

// list names processes.
func list(processes []int) string {
	var names []string
	for _, p := range processes[:min(len(processes), namesMax)] {
		names = append(names, strconv.Itoa(p))
	}
	if more := len(processes) - namesMax; more > 0 {
		names = append(names, fmt.Sprintf("and %d more", more))
	}
	if len(names) == 1 {
		return "process " + names[0]
	}
	return "processes " + strings.Join(names, ", ")
}

func (x *exchange) addChild(conn net.Conn, child int) error {
	if err := x.checkChild(child); err != nil {
		_ = send(conn, time.Second, verdict{Failed: failure(err)}) // otherwise it sees the end of the connection
		conn.Close()
		return err
	}
	x.children[child] = conn
	receive(x, conn, func(r report, err error) (*Job, error) { return x.handleReport(child, r, err) })
	return nil
}

func (x *exchange) checkChild(child int) error {
	switch {
	case !x.tree.isChild(child, x.Number):
		return fmt.Errorf("process %d has dialled process %d: were all started for %d processes?",
			child, x.Number, x.Processes)
	case x.children[child] != nil:
		return fmt.Errorf("two processes have number %d", child)
	}
	return nil
}

func (x *exchange) setParent(conn net.Conn) (*Job, error) {
	x.parent = conn
	receive(x, conn, x.handleVerdict)
	return x.reportSubtree()
}

// receive passes each message of a connection to handle, up to the first error.
func receive[M any](x *exchange, conn net.Conn, handle func(M, error) (*Job, error)) {
	x.background.Go(func() {
		for {
			var m M
			err := handshake.ReadMessage(conn, messageBytesMax(x.Processes), &m)
			x.deliver(nil, func() (*Job, error) { return handle(m, err) })
			if err != nil {
				return
			}
		}
	})
}

func (x *exchange) handleReport(child int, r report, err error) (*Job, error) {
	if err := failureOf(child, r.Failed, err); err != nil {
		return nil, err
	}
	if len(r.Subtree) == 0 || x.reported[child] {
		return nil, nil
	}
	if err := x.tree.checkSubtree(child, r.Subtree); err != nil {
		return nil, fmt.Errorf("read the report of process %d: %w", child, err)
	}
	x.reported[child] = true
	x.members = append(x.members, r.Subtree...)
	return x.reportSubtree()
}

func (x *exchange) handleVerdict(v verdict, err error) (*Job, error) {
	parent := x.tree.parent(x.Number)
	if err := failureOf(parent, v.Failed, err); err != nil {
		return nil, err
	}
	job := v.job()
	if x.secret != nil {
		job.Secret = x.secret
	}
	if err := job.check(x.Processes); err != nil {
		return nil, fmt.Errorf("read the job from process %d: %w", parent, err)
	}
	return x.sendJob(job), nil
}

// failureOf returns the error of a process that has ended, by err, or that reports the reason of a failed start.
func failureOf(process int, reason string, err error) error {
	switch {
	case err != nil:
		return fmt.Errorf("%w: process %d has ended while the job started: %w", ErrElsewhere, process, err)
	case reason != "":
		return fmt.Errorf("%w: %s", ErrElsewhere, reason)
	}
	return nil
}

// reportSubtree sends the subtree to the parent when the one is complete and the other connected. Process 0 then makes
// the job.
func (x *exchange) reportSubtree() (*Job, error) {
	first, last := x.tree.children(x.Number)
	switch {
	case len(x.reported) < last-first:
	case x.Number == 0:
		job, err := x.makeJob()
		if err != nil {
			return nil, err
		}
		return x.sendJob(job), nil
	case x.parent != nil: // if the parent has ended, its reader returns a better error
		_ = send(x.parent, handshake.DefaultLimit, report{Number: x.Number, Subtree: x.members})
	}
	return nil, nil
}

// makeJob is for process 0.
func (x *exchange) makeJob() (*Job, error) {
	processes := make([]Process, x.Processes)
	job := NewJob(x.secret)
	job.Addresses = make([]string, x.Processes)
	for _, p := range x.members {
		processes[p.Number] = p.Process
		job.Addresses[p.Number] = p.Address
	}
	var err error
	job.Ranks, err = x.Ranks(processes)
	return job, err
}

// sendJob sends the job to the children. A secret that all have already is not sent, since these connections are not
// encrypted.
func (x *exchange) sendJob(job *Job) *Job {
	v := job.verdict()
	if x.secret != nil {
		v.Secret = nil
	}
	x.sendToChildren(v, handshake.DefaultLimit)
	return job
}

// sendToChildren sends to all children, each within a limit: one that is stopped must not stop the others.
func (x *exchange) sendToChildren(v verdict, limit time.Duration) {
	var b bytes.Buffer
	_ = handshake.WriteMessage(&b, v) // to memory
	for child, conn := range x.children {
		conn.SetWriteDeadline(time.Now().Add(limit))
		if _, err := conn.Write(b.Bytes()); err != nil { // it has ended: the transport will miss it
			x.Log.Warn("send the job", "process", child, "error", err)
		}
	}
}

// sendFailure sends the reason of the failed start to all connected processes.
func (x *exchange) sendFailure(err error) {
	const limit = time.Second
	if x.parent != nil { // otherwise, or if this fails, it sees the end of the connection
		_ = send(x.parent, limit, report{Number: x.Number, Failed: failure(err)})
	}
	x.sendToChildren(verdict{Failed: failure(err)}, limit)
}

func send(conn net.Conn, limit time.Duration, message any) error {
	return errors.Join(conn.SetWriteDeadline(time.Now().Add(limit)), handshake.WriteMessage(conn, message))
}

// close returns when no connection and no goroutine of the exchange is left.
func (x *exchange) close() {
	x.stop()
	x.gate.Close()
	if x.parent != nil {
		x.parent.Close()
	}
	for _, conn := range x.children {
		conn.Close()
	}
	x.background.Wait()
}
