package bootstrap

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/internal/handshake"
)

// world is a job that starts in a network in memory.
type world struct {
	network
	processes int
	fanout    int
	limit     time.Duration
	cuts      int                   // of the first connections to each process
	absent    map[int]bool          // were never started
	delay     map[int]time.Duration // until they start
	dies      map[int]time.Duration // until they end
	meet      func(context.Context, int, Config) (*Job, error)
	ranks     func([]Process) (int, error)
	listeners []*listener
	jobs      []*Job
	errs      []error
	took      time.Duration
}

func newWorld(processes int) *world {
	w := &world{
		network: *newNetwork(), processes: processes, limit: 30 * time.Second,
		absent: make(map[int]bool), delay: make(map[int]time.Duration), dies: make(map[int]time.Duration),
		jobs: make([]*Job, processes), errs: make([]error, processes),
	}
	w.by(&memory{cards: make(map[int]string)})
	w.ranks = func(all []Process) (int, error) {
		for i, p := range all {
			if p != self(i) {
				return 0, fmt.Errorf("process %d is %v", i, p)
			}
		}
		return 3 * len(all), nil
	}
	return w
}

// by has the processes meet by a board.
func (w *world) by(b Board) {
	w.meet = func(ctx context.Context, _ int, c Config) (*Job, error) { return Meet(ctx, c, b) }
}

// at has them meet by addresses that they know.
func (w *world) at(a At) {
	a.Address = addressOf
	w.meet = func(ctx context.Context, _ int, c Config) (*Job, error) { return MeetAt(ctx, c, a) }
}

func addressOf(process int) string { return fmt.Sprintf("host-%d:7473", process) }

func self(process int) Process {
	return Process{Address: fmt.Sprintf("10.0.%d.%d:4000", process/256, process%256), Host: fmt.Sprintf("host-%d", process/4), CPUs: "0-7", Cores: 8}
}

// run returns when all processes have met, or have given up.
func (w *world) run(ctx context.Context) {
	begin := time.Now()
	var all sync.WaitGroup
	w.listeners = make([]*listener, w.processes)
	for i := range w.processes {
		if w.absent[i] {
			continue
		}
		if w.delay[i] == 0 {
			w.listeners[i] = w.listen(addressOf(i))
			w.listeners[i].cuts.Store(int64(w.cuts))
		}
		all.Go(func() {
			if d := w.delay[i]; d > 0 {
				time.Sleep(d)
				w.listeners[i] = w.listen(addressOf(i))
			}
			ctx := ctx
			if d := w.dies[i]; d > 0 {
				var cancel context.CancelFunc
				ctx, cancel = context.WithTimeoutCause(ctx, d, errors.New("it was killed"))
				defer cancel()
			}
			w.jobs[i], w.errs[i] = w.meet(ctx, i, Config{
				Number: i, Processes: w.processes, Self: self(i), Listener: w.listeners[i], Dial: w.dial(w.listeners[i]),
				Limit: w.limit, fanout: w.fanout, Ranks: w.ranks,
			})
		})
	}
	all.Wait()
	w.took = time.Since(begin)
}

// requireJob holds every process to what all must know.
func (w *world) requireJob(t *testing.T) {
	for i, err := range w.errs {
		require.NoError(t, err, "process %d", i)
	}
	root := w.jobs[0]
	require.Len(t, root.Secret, secretBytes)
	require.Len(t, root.ID, 2*idBytes)
	require.Equal(t, 3*w.processes, root.Ranks)
	for i, a := range root.Addresses {
		require.Equal(t, self(i).Address, a)
	}
	for i, j := range w.jobs {
		require.True(t, j.ID == root.ID && string(j.Secret) == string(root.Secret) && j.Ranks == root.Ranks &&
			slices.Equal(j.Addresses, root.Addresses), "process %d", i)
	}
}

// memory is a board in memory. A card can be read as soon as it is there.
type memory struct {
	mu    sync.Mutex
	cards map[int]string
}

func (m *memory) Post(_ context.Context, process int, card string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.cards[process] = card
	return nil
}

func (m *memory) Read(_ context.Context, process int) (string, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if c, ok := m.cards[process]; ok {
		return c, nil
	}
	return "", errors.New("there is no card yet")
}

var secret = bytes.Repeat([]byte{7}, secretBytes)

func TestProcessesMeet(t *testing.T) {
	for _, processes := range []int{1, 2, 3, 8, 9, 10, 73, 74, 200} {
		for _, fanout := range []int{0, 1, 2, 3} {
			if fanout == 1 && processes > 10 {
				continue // a chain
			}
			t.Run(fmt.Sprintf("%d processes, fanout %d", processes, fanout), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					w := newWorld(processes)
					w.fanout = fanout
					w.run(t.Context())
					w.requireJob(t)
					w = newWorld(processes)
					w.fanout = fanout
					w.at(At{Secret: secret})
					w.run(t.Context())
					w.requireJob(t)
					require.Equal(t, secret, w.jobs[processes-1].Secret)
				})
			})
		}
	}
}

func TestProcessesMeetAtTheFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(20)
		w.at(At{Secret: secret, Star: true})
		w.run(t.Context())
		w.requireJob(t)
		require.EqualValues(t, 19, w.listeners[0].counted.conns.Load())
	})
}

// manyProcesses is 3,000 since each of them holds a table of all.
var manyProcesses = flag.Int("processes", 3_000, "how many processes start in the test of a large job, at least 1,000")

// TestThousandsOfProcesses counts what process 0 does in the start of a large job: O(log P) beside the tables that go down the tree.
func TestThousandsOfProcesses(t *testing.T) {
	processes := max(1_000, *manyProcesses)
	if raceEnabled {
		processes = 1_000
	}
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(processes)
		w.at(At{Secret: secret})
		w.run(t.Context())
		w.requireJob(t)
		c := &w.listeners[0].counted
		t.Logf("%d processes: process 0 had %d connections, sent %d messages of %d bytes", processes, c.conns.Load(), c.writes.Load(), c.bytes.Load())
		require.EqualValues(t, fanoutDefault, c.conns.Load())
		require.EqualValues(t, fanoutDefault*(3+1), c.writes.Load(), "opening, proof, hello and job to each child")
		deepest := 0
		for i := processes - 1; i > 0; i = w.tree().parent(i) {
			deepest++
		}
		require.LessOrEqual(t, deepest, 5)
	})
}

func (w *world) tree() tree { return Config{Processes: w.processes, fanout: w.fanout}.tree() }

func TestLateProcesses(t *testing.T) {
	for _, late := range []int{0, 1, 5, 70} {
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(73)
			w.delay[late] = 20 * time.Second
			w.run(t.Context())
			w.requireJob(t)
			require.Less(t, w.took, 22*time.Second)
		})
	}
}

// TestNamesThatResolveLate is as in Kubernetes: the names of pods are known some time after the pods run.
func TestNamesThatResolveLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(12)
		w.at(At{Secret: secret})
		for i := range w.processes {
			w.late[addressOf(i)] = true
		}
		go func() {
			time.Sleep(3 * time.Second)
			w.mu.Lock()
			defer w.mu.Unlock()
			w.late = maps.Clone(map[string]bool{})
		}()
		w.run(t.Context())
		w.requireJob(t)
		require.Less(t, w.took, 5*time.Second)
	})
}

// TestMissingProcesses wants a sentence that names who is missing, and an end of all within the limit and a little more.
func TestMissingProcesses(t *testing.T) {
	for _, c := range []struct {
		name   string
		absent []int
		who    int // says so
		says   string
	}{
		{"a leaf", []int{40}, 4, "the job has not started within 30s: process 40 did not come to process 4 at host-4:7473"},
		{"leaves", []int{40, 39, 36}, 4, "processes 36, 39, 40 did not come to process 4"},
		{"an inner one", []int{2}, 0, "process 2 did not come to process 0"},
		{"an inner one, from below", []int{2}, 20, "reach process 2: the job has not started within 30s: there is no card yet"},
		{"the first", []int{0}, 3, "reach process 0: the job has not started within 30s"},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(73)
				for _, i := range c.absent {
					w.absent[i] = true
				}
				w.run(t.Context())
				for i, err := range w.errs {
					if !w.absent[i] {
						require.Error(t, err, "process %d", i)
					}
				}
				require.ErrorContains(t, w.errs[c.who], c.says)
				require.LessOrEqual(t, w.took, w.limit+spareTime)
				require.Error(t, w.errs[72])
			})
		})
	}
}

func TestAllAreMissing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(100)
		w.at(At{Secret: secret, Star: true})
		for i := 1; i < 100; i++ {
			w.absent[i] = true
		}
		w.run(t.Context())
		require.ErrorContains(t, w.errs[0], "processes 1, 2, 3, 4, 5, 6, 7, 8, and 91 more did not come to process 0")
	})
}

func TestAProcessEndsInMidStart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(73)
		w.absent[72] = true // so that nobody can leave
		w.dies[3] = 5 * time.Second
		w.run(t.Context())
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

// TestGreetingsThatBreak has parents lose the first connections of their children before they have answered.
func TestGreetingsThatBreak(t *testing.T) {
	for _, at := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(20)
			if at {
				w.at(At{Secret: secret})
			}
			w.cuts = 3
			w.run(t.Context())
			w.requireJob(t)
			require.EqualValues(t, w.tree().fanout+w.cuts, w.listeners[0].counted.conns.Load())
		})
	}
}

func TestTwoProcessesOfOneNumber(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(4)
		w.at(At{Secret: secret})
		meet := w.meet
		w.meet = func(ctx context.Context, i int, c Config) (*Job, error) {
			if i == 2 {
				c.Number = 1
			}
			return meet(ctx, i, c)
		}
		w.run(t.Context())
		require.EqualError(t, w.errs[0], "two processes have number 1")
		for _, err := range w.errs[1:] {
			require.Error(t, err)
		}
	})
}

func TestAnotherCountOfProcesses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(12)
		w.at(At{Secret: secret})
		meet := w.meet
		w.meet = func(ctx context.Context, i int, c Config) (*Job, error) {
			if i == 11 {
				c.fanout = 2 // as one that dials the wrong one
			}
			return meet(ctx, i, c)
		}
		w.run(t.Context())
		require.ErrorContains(t, errors.Join(w.errs...), "process 11 has dialled process 5: were all started for 12 processes?")
	})
}

func TestStrangersDoNotGetIn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(12)
		meet := w.meet
		other := &memory{cards: make(map[int]string)}
		w.meet = func(ctx context.Context, i int, c Config) (*Job, error) {
			if i != 11 {
				return meet(ctx, i, c)
			}
			return Meet(ctx, c, divided{other, w}) // has a card that the others do not see
		}
		w.run(t.Context())
		for _, err := range w.errs {
			require.Error(t, err)
		}
		require.ErrorContains(t, w.errs[1], "process 11 did not come to process 1")
		w = newWorld(12)
		w.at(At{Secret: secret})
		meet = w.meet
		w.meet = func(ctx context.Context, i int, c Config) (*Job, error) {
			if i == 11 {
				return MeetAt(ctx, c, At{Secret: make([]byte, secretBytes), Address: addressOf})
			}
			return meet(ctx, i, c)
		}
		w.run(t.Context())
		require.ErrorIs(t, w.errs[11], handshake.ErrSecret)
		require.ErrorContains(t, w.errs[1], "process 11 did not come to process 1")
	})
}

// divided posts to one board and reads from that of a world.
type divided struct {
	Board
	w *world
}

func (d divided) Read(_ context.Context, process int) (string, error) {
	c := card{address: addressOf(process)} // with no fingerprint of anybody
	return c.String(), nil
}

// TestStrangersTakeNoNumber has a stranger that can read the board claim the number of a process whose card is there:
// it has a certificate of its own, and gets no secret.
func TestStrangersTakeNoNumber(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(12)
		board := &memory{cards: make(map[int]string)}
		w.meet = func(ctx context.Context, i int, c Config) (*Job, error) {
			if i == 11 {
				return Meet(ctx, c, forged{board})
			}
			return Meet(ctx, c, board)
		}
		w.run(t.Context())
		require.Nil(t, w.jobs[11], "it has the job's secret")
		require.Error(t, w.errs[11])
		require.ErrorContains(t, w.errs[1], "process 11 did not come to process 1")
	})
}

// forged is a board where the card of another process stands in place of the one that a process posts.
type forged struct{ Board }

func (f forged) Post(ctx context.Context, process int, text string) error {
	c, err := parseCard(text)
	if err != nil {
		return err
	}
	c.print[0] ^= 1
	return f.Board.Post(ctx, process, c.String())
}

func TestFolder(t *testing.T) {
	folder := t.TempDir()
	w := newWorld(20)
	var mu sync.Mutex
	var boards []*Folder
	w.meet = func(ctx context.Context, i int, c Config) (*Job, error) {
		b := NewFolder(folder, "job-7.0")
		mu.Lock()
		boards = append(boards, b)
		mu.Unlock()
		return Meet(ctx, c, b)
	}
	w.run(t.Context())
	w.requireJob(t)
	files, err := os.ReadDir(folder)
	require.NoError(t, err)
	require.Len(t, files, 20)
	for _, f := range files {
		info, err := f.Info()
		require.NoError(t, err)
		require.EqualValues(t, 0o600, info.Mode())
		text, err := os.ReadFile(filepath.Join(folder, f.Name()))
		require.NoError(t, err)
		require.NotContains(t, string(text), string(w.jobs[0].Secret))
	}
	for _, b := range boards {
		require.NoError(t, b.Remove())
		require.NoError(t, b.Remove(), "again")
	}
	files, err = os.ReadDir(folder)
	require.NoError(t, err)
	require.Empty(t, files)
}

func TestFoldersThatDoNotServe(t *testing.T) {
	ctx := context.Background()
	folder := t.TempDir()
	b := NewFolder(folder, "j")
	require.NoError(t, b.Post(ctx, 3, "card"))
	err := NewFolder(folder, "j").Post(ctx, 3, "card")
	require.ErrorContains(t, err, "pebbles-j.3 is there already: two processes have number 3, or a job of the same name was killed (then remove the file)")
	require.NoError(t, b.Remove())

	err = NewFolder(filepath.Join(folder, "none"), "j").Post(ctx, 0, "card")
	require.ErrorContains(t, err, "no such file or directory; name a folder that all hosts share and this user may write to, by PEBBLES_RENDEZVOUS_DIR")

	name := filepath.Join(folder, "pebbles-j.0")
	require.NoError(t, os.WriteFile(name, []byte("pebbles-1,"), 0o600)) // not all of it
	late, cancel := context.WithTimeoutCause(ctx, time.Millisecond, errors.New("it is late"))
	defer cancel()
	_, err = b.Read(late, 0)
	require.ErrorContains(t, err, "it is late; was process 0 started, and do all hosts share this folder (PEBBLES_RENDEZVOUS_DIR)?")
	require.NoError(t, os.WriteFile(name, []byte("card\n"), 0o600))
	text, err := b.Read(ctx, 0)
	require.NoError(t, err)
	require.Equal(t, "card", text)
	require.NoError(t, os.Chmod(name, 0o644))
	_, err = b.Read(ctx, 0)
	require.ErrorContains(t, err, "is not a file of this user's alone")
	require.NoError(t, os.Remove(name))
	require.NoError(t, os.Symlink("/etc/passwd", name))
	_, err = b.Read(ctx, 0)
	require.ErrorContains(t, err, "read card")
}

func TestBadCards(t *testing.T) {
	good := card{address: "h:1"}
	got, err := parseCard(good.String())
	require.NoError(t, err)
	require.Equal(t, good, got)
	require.LessOrEqual(t, len(card{address: strings.Repeat("h", textBytesMax)}.String()), 512, "fits a value of PMI")
	for _, text := range []string{"", "pebbles-1", "pebbles-2," + good.String()[10:], "pebbles-1,AAAA,h:1", "pebbles-1,!,h:1", "pebbles-1,,"} {
		_, err := parseCard(text)
		require.Error(t, err, text)
	}
}

func TestTree(t *testing.T) {
	for _, fanout := range []int{1, 2, 8} {
		for processes := 1; processes < 100; processes++ {
			tr := tree{processes, fanout}
			parents := make(map[int]int)
			for p := range processes {
				first, last := tr.children(p)
				for c := first; c < last; c++ {
					parents[c]++
					require.Equal(t, p, tr.parent(c))
					require.True(t, tr.isChild(c, p))
				}
				n := 0
				for q := range processes {
					if tr.below(q, p) {
						n++
					}
				}
				require.Equal(t, n, tr.size(p), "below %d of %d", p, processes)
			}
			require.Len(t, parents, processes-1)
			for _, n := range parents {
				require.Equal(t, 1, n)
			}
		}
	}
}

func TestBadReports(t *testing.T) {
	tr := tree{20, 8}
	m := func(numbers ...int) (members []member) {
		for _, n := range numbers {
			members = append(members, member{n, self(max(0, n))})
		}
		return members
	}
	require.NoError(t, tr.checkSubtree(2, m(2, 17, 18, 19)))
	for says, members := range map[string][]member{
		"process 1 is not below process 2":        m(2, 17, 18, 1),
		"process 20 is not below process 2":       m(2, 17, 18, 20),
		"process -1 is not below process 2":       m(2, 17, 18, -1),
		"two processes have number 17":            m(2, 17, 17, 18),
		"it tells of 3 processes, not of 4":       m(2, 17, 18),
		"process 17: address \"h\" is not of the": {{2, self(2)}, {17, Process{Address: "h:", Cores: 1}}},
		"process 17: 0 cores":                     {{2, self(2)}, {17, Process{Address: "h:1"}}},
		"process 17: a text of 257 bytes":         {{2, self(2)}, {17, Process{Address: "h:1", Cores: 1, Host: strings.Repeat("h", 257)}}},
	} {
		err := tr.checkSubtree(2, members)
		if !strings.Contains(says, "address") {
			require.ErrorContains(t, err, says)
		} else {
			require.ErrorContains(t, err, "process 17: address")
		}
	}
	require.ErrorContains(t, (&Job{ID: "j", Secret: secret}).check(2), "it has 0 processes, this process was started as one of 2")
	require.ErrorContains(t, (&Job{ID: "j", Secret: secret, Addresses: []string{"h:1", "h:2"}, Ranks: 1}).check(2), "it has 1 ranks for 2 processes")
	require.ErrorContains(t, (&Job{ID: "j"}).check(2), "it has no id or no secret")
}

func TestRanksThatCannotBe(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
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

// TestLargestMessagesFit has every text as long as it may be.
func TestLargestMessagesFit(t *testing.T) {
	job := newJob(nil)
	var all []member
	for range 300 {
		p := Process{strings.Repeat("h", textBytesMax-6) + ":65535", strings.Repeat("h", textBytesMax), strings.Repeat("c", textBytesMax), coresMax}
		require.NoError(t, p.check())
		job.Addresses = append(job.Addresses, p.Address)
		all = append(all, member{1 << 20, p})
	}
	job.Ranks = 1 << 20
	require.NoError(t, job.check(300))
	var b bytes.Buffer
	require.NoError(t, handshake.WriteMessage(&b, job.verdict()))
	require.Less(t, b.Len(), messageBytesMax(300))
	b.Reset()
	require.NoError(t, handshake.WriteMessage(&b, report{Number: 1 << 20, Subtree: all}))
	require.Less(t, b.Len(), messageBytesMax(300))
	b.Reset()
	require.NoError(t, handshake.WriteMessage(&b, report{Failed: failure(errors.New(strings.Repeat("\x00", 1<<20)))}))
	require.Less(t, b.Len(), messageBytesMax(0))
}
