package export

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
)

// Lines writes each record as a line. A record with a line break is an error.
func Lines() Format[[]byte] {
	return Format[[]byte]{name: "txt", open: func(s setting) (Writer[[]byte], error) { return lines{s}, nil }}
}

type lines struct{ setting }

var errBreak = errors.New("a line has a line break in it: write it as two, or as JSON")

func (l lines) Write(line []byte) error {
	if bytes.IndexByte(line, '\n') >= 0 {
		return errBreak
	}
	if _, err := l.setting.Write(line); err != nil {
		return err
	}
	_, err := l.setting.Write([]byte{'\n'})
	return err
}

func (lines) Close() error { return nil }

// column writes a table of one column as lines.
type column struct {
	setting
	line  []byte
	cells []cells
}

func (*column) begin(batch []Column) error {
	if len(batch) != 1 {
		return fmt.Errorf("rows of %d columns become no lines: give one column", len(batch))
	}
	return nil
}

func (w *column) rows(batch []Column, rows int) error {
	w.cells = cellsOf(w.cells, batch)
	for i := range rows {
		line := w.cells[0].appendText(w.line[:0], i)
		if bytes.IndexByte(line, '\n') >= 0 {
			return errBreak
		}
		w.line = append(line, '\n')
		if _, err := w.Write(w.line); err != nil {
			return err
		}
	}
	return nil
}

func (w *column) cut() error { return w.setting.cut() }

func (*column) Close() error { return nil }

// JSONLines writes each record as one line of JSON, as [encoding/json] encodes it.
func JSONLines[T any]() Format[T] {
	return Format[T]{name: "jsonl", open: func(s setting) (Writer[T], error) {
		return jsonLines[T]{json.NewEncoder(s)}, nil
	}}
}

type jsonLines[T any] struct{ *json.Encoder }

func (j jsonLines[T]) Write(v T) error { return j.Encode(v) }

func (jsonLines[T]) Close() error { return nil }
