package bootstrap

import (
	"bytes"
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

	"github.com/activepebbles/pebbles/internal/handshake"
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

// manyProcesses is few enough for plain tests: each process holds a table of all, which costs the square of their
// number.
var manyProcesses = flag.Int("processes", 1_000, "how many processes start in the test of a large job, at least 1,000")

// TestThousandsOfProcesses counts what process 0 does in the start of a large job: O(log P) beside the tables that go
// down the tree.
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

func TestLateProcesses(t *testing.T) {
	for _, late := range []int{0, 1, 5, 70} {
		inWorld(t, func(t *testing.T) {
			w := newWorld(73)
			w.delay[late] = 20 * time.Second
			w.run(t.Context()).requireJob(t)
			require.Less(t, w.took, 22*time.Second)
		})
	}
}

// TestNamesThatResolveLate is as in Kubernetes: the names of pods are known some time after the pods run.
func TestNamesThatResolveLate(t *testing.T) {
	inWorld(t, func(t *testing.T) {
		w := newKnown(12, false)
		w.unknown = true
		time.AfterFunc(3*time.Second, func() {
			w.mu.Lock()
			defer w.mu.Unlock()
			w.unknown = false
		})
		w.run(t.Context()).requireJob(t)
		require.Less(t, w.took, 5*time.Second)
	})
}

// TestGreetingsThatBreak has parents lose the first connections of their children before they have answered.
func TestGreetingsThatBreak(t *testing.T) {
	for _, known := range []bool{false, true} {
		inWorld(t, func(t *testing.T) {
			w := newWorld(20)
			if known {
				w = newKnown(20, false)
			}
			w.cuts = 3
			w.run(t.Context()).requireJob(t)
			require.EqualValues(t, w.tree().fanout+w.cuts, w.listeners[0].counted.conns.Load())
		})
	}
}

// TestMissingProcesses wants a sentence that names who is missing, and an end of all within the limit and a little
// more.
func TestMissingProcesses(t *testing.T) {
	var others []int
	for i := 1; i < 73; i++ {
		others = append(others, i)
	}
	for _, c := range []struct {
		name   string
		star   bool
		absent []int
		who    int // says so
		says   string
	}{
		{"a leaf", false, []int{40}, 4,
			"the job has not started within 30s: process 40 did not come to process 4 at host-4:7473"},
		{"leaves", false, []int{40, 39, 36}, 4, "processes 36, 39, 40 did not come to process 4"},
		{"an inner one", false, []int{2}, 0, "process 2 did not come to process 0"},
		{"an inner one, from below", false, []int{2}, 20,
			"reach process 2: the job has not started within 30s: there is no entry yet"},
		{"the first", false, []int{0}, 3, "reach process 0: the job has not started within 30s"},
		{"all", true, others, 0, "processes 1, 2, 3, 4, 5, 6, 7, 8, and 64 more did not come to process 0"},
	} {
		t.Run(c.name, func(t *testing.T) {
			inWorld(t, func(t *testing.T) {
				w := newWorld(73)
				if c.star {
					w = newKnown(73, true)
				}
				for _, i := range c.absent {
					w.absent[i] = true
				}
				w.run(t.Context()).requireNoJob(t)
				require.ErrorContains(t, w.errs[c.who], c.says)
				require.LessOrEqual(t, w.took, w.limit+spareTime)
			})
		})
	}
}

func TestProcessEndsDuringTheStart(t *testing.T) {
	inWorld(t, func(t *testing.T) {
		w := newWorld(73)
		w.absent[72] = true // so that no exchange can end before
		w.dies[3] = 5 * time.Second
		w.run(t.Context()).requireNoJob(t)
		require.ErrorContains(t, w.errs[3], "it was killed")
		for i, err := range w.errs {
			if i != 72 && i != 3 {
				require.ErrorIs(t, err, ErrElsewhere, "process %d", i)
				require.EqualError(t, err, "job has failed elsewhere: it was killed", "process %d", i)
			}
		}
		require.Less(t, w.took, 6*time.Second)
	})
}

func TestRanksThatCannotBe(t *testing.T) {
	inWorld(t, func(t *testing.T) {
		w := newWorld(12)
		w.ranks = func([]Process) (int, error) { return 0, errors.New("there are too few") }
		w.run(t.Context())
		require.EqualError(t, w.errs[0], "there are too few")
		for _, err := range w.errs[1:] {
			require.ErrorIs(t, err, ErrElsewhere)
			require.ErrorContains(t, err, "there are too few")
		}
	})
}

// TestProcessesThatDoNotFit has one process that no other one can take for a member of the job.
func TestProcessesThatDoNotFit(t *testing.T) {
	for _, c := range []struct {
		name  string
		world func() *world
		who   int // says so
		says  string
		own   error // of the process that does not fit
	}{
		{"two of one number", func() *world {
			return newKnown(12, false).instead(11, func(ctx context.Context, c Config, others exchanger) (*Job, error) {
				c.Number = 1
				return others(ctx, 11, c)
			})
		}, 0, "two processes have number 1", nil},
		{"another count", func() *world {
			return newKnown(12, false).instead(11, func(ctx context.Context, c Config, others exchanger) (*Job, error) {
				c.fanout = 2 // so it dials the wrong one
				return others(ctx, 11, c)
			})
		}, 5, "process 11 has dialled process 5: were all started for 12 processes?", nil},
		{"another secret", func() *world {
			return newKnown(12, false).instead(11, func(ctx context.Context, c Config, _ exchanger) (*Job, error) {
				return ExchangeAt(ctx, c, Rendezvous{Secret: make([]byte, SecretBytes), Address: addressOf})
			})
		}, 1, "process 11 did not come to process 1", handshake.ErrSecret},
		{"another store", func() *world {
			return newWorld(12).instead(11, func(ctx context.Context, c Config, _ exchanger) (*Job, error) {
				return Exchange(ctx, c, stranger{newMemoryStore()})
			})
		}, 1, "process 11 did not come to process 1", handshake.ErrSecret},
	} {
		t.Run(c.name, func(t *testing.T) {
			inWorld(t, func(t *testing.T) {
				w := c.world().run(t.Context())
				w.requireNoJob(t)
				require.ErrorContains(t, w.errs[c.who], c.says)
				if c.own != nil {
					require.ErrorIs(t, w.errs[11], c.own)
				}
			})
		})
	}
}

// stranger can't read the store of the others: it knows where they listen, and nobody's fingerprint.
type stranger struct{ Store }

func (stranger) Lookup(_ context.Context, process int) (string, error) {
	return entry{address: addressOf(process)}.String(), nil
}

// TestStrangersTakeNoNumber has a stranger that can read the store claim the number of a process whose entry is there:
// it has a certificate of its own, and gets no secret.
func TestStrangersTakeNoNumber(t *testing.T) {
	inWorld(t, func(t *testing.T) {
		w, store := newWorld(12), newMemoryStore()
		w.exchange = func(ctx context.Context, i int, c Config) (*Job, error) {
			if i == 11 {
				return Exchange(ctx, c, forging{store})
			}
			return Exchange(ctx, c, store)
		}
		w.run(t.Context()).requireNoJob(t)
		require.ErrorContains(t, w.errs[1], "process 11 did not come to process 1")
	})
}

// forging is a store in which the entry of another process stands in place of the one that a process publishes.
type forging struct{ Store }

func (f forging) Publish(ctx context.Context, process int, text string) error {
	e, err := parseEntry(text)
	e.fingerprint[0] ^= 1
	return errors.Join(err, f.Store.Publish(ctx, process, e.String()))
}

// recording keeps what is read from a connection.
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

// A secret that all know beforehand is never sent: these connections are not encrypted.
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
