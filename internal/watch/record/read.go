package record

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
)

// Read reads the record in a folder: all readable lines, and the problems of the rest. A folder without a record is an
// error. The files may be damaged, and may grow meanwhile. Read keeps a few KiB per rank and process, however long the
// files are.
func Read(dir string) (*Record, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("read the folder of the record: %w", err)
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
		return nil, fmt.Errorf("%s holds no readable line of a record: %s", dir, why[0])
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
	now      *fold // process whose files are read
	lines    int
	known    bool // the record describes the job
}

func newReading() *reading {
	return &reading{epochs: epochs{by: map[epochKey]*Epoch{}}, series: newSeries(), ranks: map[int]*rankFold{}}
}

// choose returns the files of the job with the most files: a folder with copied files may hold strays.
func (r *reading) choose(jobs map[string][]fileName) []fileName {
	tokens := slices.SortedFunc(maps.Keys(jobs), func(a, b string) int {
		return cmp.Or(cmp.Compare(len(jobs[b]), len(jobs[a])), cmp.Compare(a, b))
	})
	for _, other := range tokens[1:] {
		r.problems.add("files of another job (%s) are ignored (%d): move them to a directory of their own",
			other, len(jobs[other]))
	}
	return jobs[tokens[0]]
}

// file reads one file.
func (r *reading) file(dir string, f fileName) {
	if f.process != noProcess {
		r.begin(f)
	}
	file, err := os.Open(filepath.Join(dir, f.name))
	if err != nil {
		r.problems.add("%v", err)
		return
	}
	defer file.Close()
	if err := r.scan(f, file); err != nil {
		r.problems.add("%s: the rest cannot be read: %v", f.name, err)
	}
}

// scan reads the lines of a file, and reports the damaged ones.
func (r *reading) scan(f fileName, file io.Reader) error {
	in := bufio.NewReaderSize(file, lineMax)
	damaged, first := 0, 0
	for n := 1; ; n++ {
		text, err := in.ReadSlice('\n')
		long := false
		for errors.Is(err, bufio.ErrBufferFull) {
			long = true
			_, err = in.ReadSlice('\n')
		}
		if len(bytes.TrimSpace(text)) > 0 && (long || r.line(f, text) != nil) {
			if errors.Is(err, io.EOF) {
				r.problems.add("%s: the last line is cut%s", f.name, r.afterSecond(f))
			} else if damaged++; damaged == 1 {
				first = n
			}
		}
		if err != nil {
			if damaged > 0 {
				r.problems.add("%s: %d %s damaged, the first is line %d", f.name, damaged,
					plural(damaged, "line is", "lines are"), first)
			}
			if errors.Is(err, io.EOF) {
				return nil
			}
			return err
		}
	}
}

// afterSecond names the last second of the current process.
func (r *reading) afterSecond(f fileName) string {
	if f.process == noProcess || r.now.process.Seconds == 0 {
		return ""
	}
	return fmt.Sprintf(", after second %d", r.now.process.Seconds)
}

// begin prepares to read a file of a process.
func (r *reading) begin(f fileName) {
	if r.now == nil || r.now.process.Process != f.process {
		r.leave()
		r.now = newFold(f.process)
	}
	if missing := f.segment - r.now.segment; missing > 0 {
		r.problems.add("process %d: %d files after its second %d were removed to keep the record in bounds",
			f.process, missing, r.now.process.Seconds)
	}
	r.now.segment = f.segment + 1
}

// leave adds a process to the record after its files were read.
func (r *reading) leave() {
	if r.now == nil {
		return
	}
	p := r.now.process
	if p.skipped > 0 {
		r.problems.add("process %d: %d seconds were skipped because its disk was slow", p.Process, p.skipped)
	}
	if p.lost > 0 {
		r.problems.add("process %d: its disk refused %d writes (%s): their contents are missing", p.Process, p.lost, p.why)
	}
	if !r.now.empty {
		r.record.Processes = append(r.record.Processes, p)
	}
	r.now.gauges.fill()
	r.series.add(r.now.gauges)
	r.now = nil
}

// problemsMost bounds the problems that a record lists.
const problemsMost = 64

// problems are the parts of a record that could not be read.
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
	return append(p.list, fmt.Sprintf("and %d more problems", p.more))
}
