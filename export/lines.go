package export

import (
	"bytes"
	"encoding/json"
	"errors"
)

// Lines writes each record as a line. A record that has a line break in it is an error.
func Lines() Format[[]byte] {
	return Format[[]byte]{name: "txt", open: func(s setting) (Writer[[]byte], error) { return lines{s}, nil }}
}

type lines struct{ setting }

func (l lines) Write(line []byte) error {
	if bytes.IndexByte(line, '\n') >= 0 {
		return errors.New("a line has a line break in it: write it as two, or as JSON")
	}
	if _, err := l.setting.Write(line); err != nil {
		return err
	}
	_, err := l.setting.Write([]byte{'\n'})
	return err
}

func (lines) Close() error { return nil }

// JSONLines writes each record as one line of JSON, as [encoding/json] encodes it.
func JSONLines[T any]() Format[T] {
	return Format[T]{name: "jsonl", open: func(s setting) (Writer[T], error) {
		return jsonLines[T]{json.NewEncoder(s)}, nil
	}}
}

type jsonLines[T any] struct{ *json.Encoder }

func (j jsonLines[T]) Write(v T) error { return j.Encode(v) }

func (jsonLines[T]) Close() error { return nil }
