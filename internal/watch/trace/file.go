package trace

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Config configures a trace.
type Config struct {
	Process   int    // number of this process
	Processes int    // of the job; 0 is 1
	First     int    // the ranks of this process are First to Last-1
	Last      int    //
	Program   string // its name
	Job       string // its id; "" for a job of one process
	Host      string
	PID       int
	Started   time.Time           // wall time at zero of the job's clock
	Names     func(uint32) string // the text of a Name; nil or "" for the word of the kind. The drainer calls it.
	Bytes     int64               // limit of the file's size; 0 is [BytesDefault]
	simulated *simulated          // nil for a real job
}

// BytesDefault is the default limit of a file's size, in bytes. [Config.Bytes] overrides it.
const BytesDefault = 256 << 20

// bytesLeast is the least limit of a file, whatever the Config.
const bytesLeast = 64 << 10

var errClosed = errors.New("the trace is closed")

// disk is a file that can lose its end.
type disk interface {
	io.WriteCloser
	Truncate(size int64) error
}

// File is the trace of one process, or of a simulated job. All methods except [File.Rank] are for one goroutine, the
// drainer. In a simulated job, each process that has joined closes the file once.
type File struct {
	config Config
	zero   int64 // wall time at zero of the job's clock, in nanoseconds
	ranks  []Rank
	output
	windows  *windows
	turned   time.Time // begin of the last window
	names    map[Name]*named
	bare     [kinds]named // for events without a name, by kind
	counters map[counterKey]*counter
	titles   map[string]int // numbers of counters, by name
	last     int64          // latest time in the file
	now      func() time.Time
	closed   bool
}

// Create begins the trace of a process, in the file named by Path. It takes 200 KB of memory for each rank.
func Create(path string, c Config) (*File, error) {
	if c.First < 0 || c.Last < c.First || c.Process < 0 || c.Process >= max(c.Processes, 1) {
		return nil, fmt.Errorf("trace process %d of %d with ranks %d to %d: there is no such process",
			c.Process, c.Processes, c.First, c.Last-1)
	}
	path = Path(path, c.Process, c.Processes)
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC|os.O_APPEND, 0o644)
	if err != nil {
		return nil, fmt.Errorf("make the file of the trace: %w", err)
	}
	return newFile(file, path, c), nil
}

func newFile(to disk, path string, c Config) *File {
	c.Processes = max(c.Processes, 1)
	if c.Bytes <= 0 {
		c.Bytes = BytesDefault
	}
	f := &File{
		config:   c,
		ranks:    make([]Rank, c.Last-c.First),
		output:   newOutput(to, path, max(c.Bytes, bytesLeast)),
		windows:  new(windows),
		turned:   time.Now(),
		names:    map[Name]*named{},
		counters: map[counterKey]*counter{},
		titles:   map[string]int{},
		now:      time.Now,
	}
	if !c.Started.IsZero() {
		f.zero = max(c.Started.UnixNano(), 0)
	}
	f.last = f.zero
	for i := range f.ranks {
		f.ranks[i].sampler = newSampler(f.windows, c.First+i)
		if c.simulated == nil {
			f.ranks[i].slots = new([ringSize]event)
		}
	}
	if c.simulated != nil {
		f.simulate()
	}
	f.ready() // a process without events also has a complete file
	f.flush()
	return f
}

// Path returns the name of a process's file for the requested path: path itself if the process is alone.
func Path(path string, process, processes int) string {
	if processes <= 1 {
		return path
	}
	ext := filepath.Ext(path)
	return fmt.Sprintf("%s-%d%s", strings.TrimSuffix(path, ext), process, ext)
}

// Rank returns the event recorder of a rank of this process. It panics if the rank runs elsewhere. Any goroutine may
// call it. The result is always the same.
func (f *File) Rank(rank int) *Rank { return &f.ranks[rank-f.config.First] }

// Drain writes the ranks' events. Call it a few times a second: a ring has room for 4,096 events. It takes less than a
// microsecond per event, and waits for the disk. It returns an error of the disk once: the job continues, and so does
// the trace when the disk accepts writes again. For a simulated job it does nothing.
func (f *File) Drain() error {
	if f.config.simulated != nil {
		return nil
	}
	if f.closed {
		return errClosed
	}
	f.take()
	f.tellLeft(leftRoom)
	f.flush()
	return f.tell()
}

// Close writes the remaining events, and the number of missing ones. Later events are lost.
func (f *File) Close() error {
	if s := f.config.simulated; s != nil {
		if !s.leave() {
			return nil
		}
		s.mu.Lock()
		defer s.mu.Unlock()
	}
	if f.closed {
		return errClosed
	}
	f.closed = true
	f.take()
	f.flush()
	f.tellLeft(0)
	f.flush()
	err := f.tell()
	if closing := f.disk.Close(); closing != nil && err == nil {
		err = fmt.Errorf("close the trace: %w", closing)
	}
	return err
}
