package trace

import (
	"fmt"
	"math"
	"path/filepath"
	"sync"
)

// simulated is the state of a simulated job's trace. All processes of the job are in this process, and its ranks run
// one at a time. So they write one file, each event immediately, and the same run gives the same bytes.
type simulated struct {
	path    string       // absolute
	members map[int]bool // processes that have joined; guarded by together
	left    int          // those that have closed the file; guarded by together
	mu      sync.Mutex   // a rank that was left behind may still record events while the file is closed
}

// together holds the open traces of simulated jobs, by absolute path.
var together = struct {
	sync.Mutex
	files map[string]*File
}{files: map[string]*File{}}

// Join begins the trace of a simulated job for one of its processes, or joins a trace that another one has begun. The
// configuration is that of a process with all ranks of the job. All events are kept until the file is nearly full, and
// Drain does nothing. The file is complete when all that have joined have closed it.
func Join(path string, process int, c Config) (*File, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("find the file of the trace: %w", err)
	}
	together.Lock()
	defer together.Unlock()
	f := together.files[path]
	if f == nil {
		c.simulated = &simulated{path: path, members: map[int]bool{}}
		if f, err = Create(path, c); err != nil {
			return nil, err
		}
		together.files[path] = f
	}
	s := f.config.simulated
	if len(f.ranks) != c.Last-c.First || s.members[process] {
		return nil, fmt.Errorf("another simulated job writes its trace to %s: give each job a file of its own", path)
	}
	s.members[process] = true
	return f, nil
}

// leave counts a process that leaves, and reports whether it was the last.
func (s *simulated) leave() bool {
	together.Lock()
	defer together.Unlock()
	if s.left++; s.left < len(s.members) {
		return false
	}
	delete(together.files, s.path)
	return true
}

// simulate makes the ranks of a simulated job write all their events themselves.
func (f *File) simulate() {
	slots := new([ringSize]event) // shared by all: each has taken its event out before another one runs
	for i := range f.ranks {
		r, rank := &f.ranks[i], f.config.First+i
		r.slots, r.turn = slots, math.MaxUint32
		r.pushed = func() {
			f.config.simulated.mu.Lock()
			defer f.config.simulated.mu.Unlock()
			if !f.closed {
				r.drain(func(e *event) { f.event(rank, e) })
			}
		}
	}
}
