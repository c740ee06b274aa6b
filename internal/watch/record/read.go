package record

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// Read reads the record in a folder: all that is readable, with the problems of the rest. It is an error when there is
// none. The files may be damaged, and may be written to meanwhile. Read takes a few seconds for a GiB. It keeps a few
// KiB a rank and process, and little else, however long the files are.
func Read(dir string) (*Record, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("look into the folder of the record: %w", err)
	}
	jobs := map[string][]fileName{}
	for _, e := range entries {
		if f, ok := parseName(e.Name()); ok {
			jobs[f.token] = append(jobs[f.token], f)
		}
	}
	if len(jobs) == 0 {
		return nil, fmt.Errorf("%s holds no record: give the directory that --record named", dir)
	}
	r := newReading()
	files := r.choose(jobs)
	slices.SortFunc(files, func(a, b fileName) int {
		return cmp.Or(cmp.Compare(a.process, b.process), cmp.Compare(a.segment, b.segment))
	})
	for _, f := range files {
		r.file(dir, f)
	}
	if r.lines == 0 {
		why := append(r.problems.list, "its files are empty")
		return nil, fmt.Errorf("%s holds no line of a record that can be read: %s", dir, why[0])
	}
	return r.finish(), nil
}

// reading is a record that is being read.
type reading struct {
	record   Record
	problems problems
	epochs   epochs
	series   *series
	ranks    map[int]*rankFold
	now      *fold // the process whose files are read
	lines    int
	known    bool // what the job is
}

func newReading() *reading {
	return &reading{epochs: epochs{by: map[uint64]*Epoch{}}, series: newSeries(), ranks: map[int]*rankFold{}}
}

// choose takes the job with the most files: of the others there may be strays in a folder that was copied together.
func (r *reading) choose(jobs map[string][]fileName) []fileName {
	tokens := slices.SortedFunc(maps.Keys(jobs), func(a, b string) int {
		return cmp.Or(cmp.Compare(len(jobs[b]), len(jobs[a])), cmp.Compare(a, b))
	})
	for _, other := range tokens[1:] {
		r.problems.add("another job (%s) has files here too, %d, which are not read: move them to a directory of their own",
			other, len(jobs[other]))
	}
	return jobs[tokens[0]]
}

// file reads one file.
func (r *reading) file(dir string, f fileName) {
	if f.process != noProcess {
		r.turn(f)
	}
	file, err := os.Open(filepath.Join(dir, f.name))
	if err != nil {
		r.problems.add("%v", err)
		return
	}
	defer file.Close()
	err = scan(file, func(kind string, says []byte) { r.line(f, kind, says) }, func(d damage) { r.damaged(f, d) })
	if err != nil {
		r.problems.add("%s can't be read to its end: %v", f.name, err)
	}
}

// turn makes the process of a file the one that is read.
func (r *reading) turn(f fileName) {
	if r.now == nil || r.now.process.Process != f.process {
		r.leave()
		r.now = newFold(f.process)
	}
	if missing := f.segment - r.now.segment; missing > 0 {
		r.problems.add("process %d: %d files with the seconds after its second %d are gone, to keep the record in bounds",
			f.process, missing, r.now.second)
	}
	r.now.segment = f.segment + 1
}

// leave keeps what was read of a process.
func (r *reading) leave() {
	if r.now == nil {
		return
	}
	p := r.now.process
	if p.skipped > 0 {
		r.problems.add("process %d: %d seconds were skipped, since its disk was slow: the next ones cover them",
			p.Process, p.skipped)
	}
	if p.lost > 0 {
		r.problems.add("process %d: its disk refused %d writes (%s): what was in them is missing", p.Process, p.lost, p.why)
	}
	if !r.now.empty {
		r.record.Processes = append(r.record.Processes, p)
	}
	r.now.gauges.fill()
	r.series.add(r.now.gauges)
	r.now = nil
}

// damaged notes what could not be read.
func (r *reading) damaged(f fileName, d damage) {
	what := "1 line is damaged"
	switch {
	case d.last && d.newlines == 0:
		what = "the last line is cut"
	case d.newlines > 1:
		what = fmt.Sprintf("about %d lines are damaged", d.newlines)
	}
	after := ""
	if r.now != nil && f.process != noProcess && r.now.second > 0 {
		after = fmt.Sprintf(", after second %d", r.now.second)
	}
	r.problems.add("%s: %s: %d bytes from offset %d on%s", f.name, what, d.bytes, d.offset, after)
}

// since is a time in seconds since the job started.
func (r *reading) since(at time.Time) float64 { return at.Sub(r.record.Job.Started).Seconds() }

// problemsMost bounds the problems that a record lists.
const problemsMost = 64

// problems are what could not be read.
type problems struct {
	list []string
	more int
}

func (p *problems) add(format string, values ...any) {
	if len(p.list) == problemsMost {
		p.more++
		return
	}
	p.list = append(p.list, fmt.Sprintf(format, values...))
}

func (p *problems) all() []string {
	if p.more == 0 {
		return p.list
	}
	return append(p.list, fmt.Sprintf("and %d problems more", p.more))
}
