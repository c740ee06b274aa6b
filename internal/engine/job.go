package engine

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/activepebbles/pebbles/internal/stacks"
	"github.com/activepebbles/pebbles/internal/watch/board"
	"github.com/activepebbles/pebbles/netio"
	"github.com/activepebbles/pebbles/route"
)

// job is the part of a job that lives in this process.
type job struct {
	config    Config
	transport netio.Transport
	place     netio.Place
	whole     team                   // all ranks
	ports     []netio.Port           // of this process's ranks
	running   []atomic.Pointer[Rank] // the same, while their functions run
	boards    []board.Board          // the same
	start     uint64                 // first number of the ranks' counts

	unwound  atomic.Uint64 // tasks
	intruded atomic.Bool   // a goroutine other than the rank's used a rank

	failed  atomic.Bool
	failure chan struct{} // closed when failed is set
	mutex   sync.Mutex
	cause   error // the first failure; set before failed
}

// graceAfterFailure is the time that Run waits for ranks to return to the runtime after the job has failed. Ranks that
// unwind tasks have returned, so that each task extends it.
const graceAfterFailure = 2 * time.Second

// newJob makes the part of a job that lives in this process. Its ranks can then be made; Run runs them.
func newJob(c Config) *job {
	j := &job{config: c, transport: c.Transport, place: c.Transport.Place(), failure: make(chan struct{})}
	j.whole = team{place: j.place, links: route.NewLinks()}
	for rank := j.place.First; rank < j.place.Last; rank++ {
		j.ports = append(j.ports, j.transport.Port(rank))
	}
	if counting, ok := j.transport.(netio.Counting); ok {
		j.start = counting.CountFrom()
	}
	j.running = make([]atomic.Pointer[Rank], len(j.ports))
	j.boards = make([]board.Board, len(j.ports))
	return j
}

// Run runs a job: function is called once for each rank of this process.
func Run(ctx context.Context, c Config, function func(*Rank) error) error {
	j := newJob(c)
	if w := c.Watcher; w != nil {
		w.Begin(&Observer{j})
	}
	j.transport.Start(j.fail)
	stop := context.AfterFunc(ctx, func() { j.fail(fmt.Errorf("pebble: job ended: %w", context.Cause(ctx))) })
	defer stop()

	ranks := make([]func(), len(j.ports))
	for i := range ranks {
		ranks[i] = func() {
			stacks.Label(ctx, j.place.First+i)
			j.runRank(j.place.First+i, j.ports[i], function)
		}
	}
	stuck := j.await(netio.RunRanks(j.transport, ranks, j.failure,
		netio.Grace{Time: graceAfterFailure, Progress: j.unwound.Load}))
	if j.error() != nil {
		<-j.failure // the first to fail has notified the others
	}
	if w := c.Watcher; w != nil {
		w.End()
	}
	closing := j.transport.Close()
	return errors.Join(j.error(), stuck, j.closed(closing))
}

// await returns the error of ranks that did not end in time after the job has failed.
func (j *job) await(ended bool) error {
	if ended {
		return nil
	}
	return &StuckError{fmt.Sprintf("pebble: some ranks of process %d did not return within %v after the failure: "+
		"their functions never came back to the runtime%s", j.place.Process, graceAfterFailure, j.stuck())}
}

// stuckMax bounds the number of ranks in the error that did not return.
const stuckMax = 4

// stuck returns the positions of ranks that did not return.
func (j *job) stuck() string {
	var b strings.Builder
	shown := 0
	for i := range j.running {
		r := j.running[i].Load()
		if r == nil {
			continue
		}
		if shown++; shown > stuckMax {
			b.WriteString("\nand more ranks")
			break
		}
		rank := j.place.First + i
		fmt.Fprintf(&b, "\nrank %d is in %s:\n%s", rank, r.place(), strings.Join(stacks.Of(rank, ".(*job).runRank",
			".(*caller).Coroutine"), "\n"))
	}
	return strings.TrimRight(b.String(), "\n")
}

// closed keeps the error of closing the transport only if nothing else has failed.
func (j *job) closed(err error) error {
	if j.failed.Load() || err == nil {
		return nil
	}
	return fmt.Errorf("pebble: close the transport: %w", err)
}

// fail ends the job. The first cause is kept and sent to the other processes; later ones are its consequences. Any
// goroutine may call it.
func (j *job) fail(cause error) {
	j.mutex.Lock()
	first := j.cause == nil
	if first {
		j.cause = cause
	}
	j.mutex.Unlock()
	if !first {
		return
	}
	if w := j.config.Watcher; w != nil {
		cause = w.Failing(cause)
		j.mutex.Lock()
		j.cause = cause
		j.mutex.Unlock()
	}
	j.config.Log.Debug("job failed", "cause", cause)
	j.transport.Abort(reasonOf(cause)) // before ranks here see it: the first to leave counts as the cause
	j.failed.Store(true)
	close(j.failure)
	for _, p := range j.ports {
		p.Wake()
	}
}

// reasonOf returns the reason that is sent to the other processes. A process that ends because of another passes the
// cause on before it leaves: otherwise processes without the news would take the one that leaves for the cause.
func reasonOf(cause error) string {
	var aborted *netio.AbortError
	if errors.As(cause, &aborted) {
		return aborted.Reason
	}
	return cause.Error()
}

// Config returns the job's configuration.
func (j *job) Config() *Config { return &j.config }

// Transport returns the name of the transport that carries the job's frames.
func (j *job) Transport() string { return j.transport.Name() }

// Preposted returns the memory that this process posts ahead for frames of other processes; see [netio.Preposter].
func (j *job) Preposted(senders map[int]bool) (p netio.Preposted, ok bool) {
	if t, ok := j.transport.(netio.Preposter); ok {
		return t.Preposted(senders)
	}
	return p, false
}

// Connections returns the number of connections of this process with others; ok is false if it needs none.
func (j *job) Connections() (n int, ok bool) {
	t, ok := j.transport.(netio.Connected)
	if !ok || j.place.Processes == 1 {
		return 0, false
	}
	return t.Connections(), true
}

func (j *job) error() error {
	j.mutex.Lock()
	defer j.mutex.Unlock()
	return j.cause
}

// runRank is the goroutine of one rank.
func (j *job) runRank(id int, port netio.Port, function func(*Rank) error) {
	r := newRank(j, id, port)
	running := &j.running[id-j.place.First]
	running.Store(r)
	returned := false
	defer func() {
		value := recover()
		switch _, unwinding := value.(unwind); {
		case unwinding || value == nil && returned:
		case value == nil:
			j.fail(fmt.Errorf("rank %d: its function left by runtime.Goexit", id))
		default:
			j.fail(r.panicked(value, r.stack))
		}
		r.over()
		if !j.intruded.Load() { // otherwise another goroutine may still be in a call
			r.release()
		}
		running.Store(nil)
	}()
	r.owner.begin()
	err := function(r)
	if err == nil {
		err = r.finish()
	}
	if err != nil {
		j.fail(&rankError{id, err})
	}
	returned = true
}

// runs reports whether functions of ranks run in this process.
func (j *job) runs() bool {
	for i := range j.running {
		if j.running[i].Load() != nil {
			return true
		}
	}
	return false
}
