package bootstrap

import (
	"bytes"
	"cmp"
	"context"
	"encoding/base64"
	"errors"
	"flag"
	"fmt"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/internal/scenario"
)

func TestProcessesLearnOfEachOther(t *testing.T) {
	for _, processes := range []int{1, 2, 3, 9, 10, 74} {
		for _, fanout := range []int{0, 1, 2, 3} {
			if fanout == 1 && processes > 10 {
				continue // a chain
			}
			t.Run(fmt.Sprintf("%d processes, fanout %d", processes, fanout), func(t *testing.T) {
				inWorld(t, func(t *testing.T) {
					for _, w := range []*world{newWorld(processes), newKnown(processes, false)} {
						w.fanout = fanout
						w.run(t.Context()).requireJob(t)
					}
				})
			})
		}
	}
}

func TestAllDialTheFirst(t *testing.T) {
	inWorld(t, func(t *testing.T) {
		w := newKnown(20, true).run(t.Context())
		w.requireJob(t)
		require.Equal(t, secret, w.jobs[19].Secret)
		require.EqualValues(t, 19, w.listeners[0].counted.conns.Load())
	})
}

// manyProcesses is small enough for plain tests: each process holds a table of all, at a quadratic cost.
var manyProcesses = flag.Int("processes", 1_000, "how many processes start in the test of a large job, at least 1,000")

// TestThousandsOfProcesses counts the work of process 0 in the start of a large job: O(log P) besides the tables that
// go down the tree.
func TestThousandsOfProcesses(t *testing.T) {
	inWorld(t, func(t *testing.T) {
		w := newKnown(max(1_000, *manyProcesses), false).run(t.Context())
		w.requireJob(t)
		c := &w.listeners[0].counted
		t.Logf("%d processes: process 0 had %d connections, sent %d messages of %d bytes",
			w.processes, c.conns.Load(), c.writes.Load(), c.bytes.Load())
		require.EqualValues(t, fanoutDefault, c.conns.Load())
		require.EqualValues(t, fanoutDefault*(3+1), c.writes.Load(), "opening, proof, hello and job to each child")
		deepest := 0
		for i := w.processes - 1; i > 0; i = w.tree().parent(i) {
			deepest++
		}
		require.LessOrEqual(t, deepest, 5)
	})
}

// The files of testdata show how the processes of a job find each other, by a simulated clock, and the errors if they
// do not.
func TestScenarios(t *testing.T) {
	scenario.Run(t, func(t *testing.T, l *scenario.Log) scenario.Verbs {
		p := &play{T: t, Log: l}
		return scenario.Verbs{
			"world": p.begin, "absent": p.absent, "misfit": p.misfit, "run": p.run, "says": p.says,
			"late":    func(c *scenario.Command) { p.w.delay[c.Number("process")] = c.Time("by") },
			"dies":    func(c *scenario.Command) { p.w.dies[c.Number("process")] = c.Time("after") },
			"cuts":    func(c *scenario.Command) { p.w.cuts = c.Number("connections") },
			"unknown": func(c *scenario.Command) { p.w.unknown, p.known = true, c.Time("for") },
			"refuse": func(*scenario.Command) {
				p.w.ranks = func([]Process) (int, error) { return 0, errors.New("there are too few") }
			},
		}
	})
}

// play is the world of a file.
type play struct {
	*testing.T
	*scenario.Log
	w     *world
	known time.Duration // time when names become known
}

// begin makes a world of the given number of processes. They meet through a store, or have the addresses and the
// secret.
func (p *play) begin(c *scenario.Command) {
	n, star := c.Int("processes", 0), c.Has("star")
	if p.w, p.known = newWorld(n), 0; star || c.Has("known") {
		p.w = newKnown(n, star)
	}
}

func (p *play) absent(c *scenario.Command) {
	for c.More() {
		p.w.absent[c.Number("process")] = true
	}
	if from := c.Int("from", 0); from > 0 {
		for i := from; i < p.w.processes; i++ {
			p.w.absent[i] = true
		}
	}
}

// misfit makes a process differ from the others: it has another number, a wrong count, secret or store, or puts another
// certificate into its entry.
func (p *play) misfit(c *scenario.Command) {
	process, number, fanout := c.Number("process"), c.Int("number", -1), c.Int("fanout", 0)
	secret, store, forges := c.Has("secret"), c.Has("store"), c.Has("forges")
	shared := p.w.store
	p.w.instead(process, func(ctx context.Context, c Config, others exchanger) (*Job, error) {
		switch {
		case secret:
			return ExchangeAt(ctx, c, Rendezvous{Secret: make([]byte, SecretBytes), Address: addressOf})
		case store:
			return Exchange(ctx, c, stranger{newMemoryStore()})
		case forges:
			return Exchange(ctx, c, forging{shared})
		case number >= 0:
			c.Number = number
		}
		c.fanout = fanout
		return others(ctx, process, c)
	})
}

// run logs whether all processes have the job. If not, none has it, and all end soon after the limit.
func (p *play) run(c *scenario.Command) {
	within := c.Time("within")
	inWorld(p.T, func(t *testing.T) {
		time.AfterFunc(p.known, func() {
			p.w.mu.Lock()
			defer p.w.mu.Unlock()
			p.w.unknown = false
		})
		p.w.run(t.Context())
	})
	require.LessOrEqual(p, p.w.took, cmp.Or(within, p.w.limit+spareTime))
	if errors.Join(p.w.errs...) != nil {
		p.w.requireNoJob(p.T)
		p.Say("none has the job")
		return
	}
	p.w.requireJob(p.T)
	if p.w.cuts > 0 {
		require.EqualValues(p, p.w.tree().fanout+p.w.cuts, p.w.listeners[0].counted.conns.Load())
	}
	p.Say("all have the job")
}

// says logs the errors of some processes, and with others those of the rest, each once.
func (p *play) says(c *scenario.Command) {
	others, told := c.Has("others"), map[string]bool{}
	for c.More() {
		process := c.Number("process")
		text := p.w.errs[process].Error()
		p.Say("%d: %s", process, text)
		told[text] = true
	}
	for _, err := range p.w.errs {
		if others && err != nil && !told[err.Error()] {
			require.ErrorIs(p, err, ErrElsewhere)
			p.Say("others: %v", err)
			told[err.Error()] = true
		}
	}
}

// stranger can't read the store of the others: it has their addresses, but no fingerprint.
type stranger struct{ Store }

func (stranger) Lookup(_ context.Context, process int) (string, error) {
	return entry{address: addressOf(process)}.String(), nil
}

// forging is a store that replaces the entry of a process by that of another.
type forging struct{ Store }

func (f forging) Publish(ctx context.Context, process int, text string) error {
	e, err := parseEntry(text)
	e.fingerprint[0] ^= 1
	return errors.Join(err, f.Store.Publish(ctx, process, e.String()))
}

// recording keeps the bytes read from a connection.
type recording struct {
	net.Conn
	mu  *sync.Mutex
	all *bytes.Buffer
}

func (r recording) Read(b []byte) (int, error) {
	n, err := r.Conn.Read(b)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.all.Write(b[:n])
	return n, err
}

// A secret that all have beforehand is never sent: these connections are not encrypted.
func TestSecretsThatAreKnownAreNotSent(t *testing.T) {
	inWorld(t, func(t *testing.T) {
		var mu sync.Mutex
		var all [3]bytes.Buffer
		w := newKnown(3, false)
		exchange := w.exchange
		w.exchange = func(ctx context.Context, i int, c Config) (*Job, error) {
			dial := c.Dial
			c.Dial = func(ctx context.Context, address string) (net.Conn, error) {
				conn, err := dial(ctx, address)
				return recording{conn, &mu, &all[i]}, err
			}
			return exchange(ctx, i, c)
		}
		w.run(t.Context()).requireJob(t)
		for i := range all {
			require.Equal(t, i > 0, all[i].Len() > 0)
			require.NotContains(t, all[i].String(), string(secret))
			require.NotContains(t, all[i].String(), base64.StdEncoding.EncodeToString(secret))
		}
	})
}
