package ingest

import (
	"encoding/json"
	"errors"
	"fmt"
)

// counts are a rank's totals.
type counts struct {
	Bytes, Rows, Skipped int64
	First, Failed        told // the first skipped record, and the error that has ended the loop
}

// told is a message about a file. File is its place among those of the job.
type told struct {
	File int
	Text string
}

// earlier returns the message that comes first if ranks read their pieces in turn.
func (t told) earlier(later told) told {
	if t.Text == "" || later.Text != "" && later.File < t.File {
		return later
	}
	return t
}

// judge counts a record or block that cannot be read, and returns its error unless it is skipped.
func (in *input) judge(file int, tell func() error) (err error) {
	if in.Skipped++; in.Skipped == 1 {
		err = tell()
		in.First = told{file, err.Error()}
	}
	switch {
	case in.Skipped <= in.skip:
		return nil
	case in.skip > 0:
		return in.tooMany(in.First.Text)
	}
	return err
}

func (in *input) tooMany(first string) error {
	return fmt.Errorf("%s; more than %d such records were found, which is the limit of ingest.Skip", first, in.skip)
}

// A Report is the number of bytes and records that all ranks have read.
type Report struct {
	Bytes   int64  // bytes of the files as they are stored
	Rows    int64  // records that All has yielded
	Skipped int64  // records or blocks that could not be read
	First   string // the first of these: file, line or block, and cause
}

// Report adds the counts of the last loops over All. It is collective: all ranks call it between epochs. It returns an
// error if a rank's source has one, or if all ranks together have skipped more records than Skip allows. Its result,
// including the choice among several errors, does not depend on the number of ranks.
func (s *Source[T]) Report() (Report, error) {
	text, err := json.Marshal(s.in.counts)
	if err != nil {
		return Report{}, err
	}
	texts, err := s.in.rank.AllGatherBytes(text)
	if err != nil {
		return Report{}, err
	}
	var all counts
	for _, text := range texts {
		var c counts
		if err := json.Unmarshal(text, &c); err != nil {
			return Report{}, err
		}
		all = counts{all.Bytes + c.Bytes, all.Rows + c.Rows, all.Skipped + c.Skipped, all.First.earlier(c.First),
			all.Failed.earlier(c.Failed)}
	}
	report := Report{all.Bytes, all.Rows, all.Skipped, all.First.Text}
	switch {
	case s.in.skip > 0 && all.Skipped > s.in.skip:
		return report, s.in.tooMany(all.First.Text)
	case s.err != nil && s.in.Failed == all.Failed:
		return Report{}, s.err
	case all.Failed.Text != "":
		return Report{}, errors.New(all.Failed.Text)
	}
	return report, nil
}
