package ingest

import (
	"bytes"
	"encoding/json"
	"errors"
	"unicode/utf8"
)

// JSONLines gives the values of files with one JSON value a line, as [encoding/json] decodes them into a T: its tags
// and rules hold. Empty lines are skipped, and a line that is not UTF-8 cannot be read. What is given is the caller's.
func JSONLines[T any]() Format[T] {
	return Format[T]{"jsonl", func(in *input) (reader[T], error) {
		return records[T]{in, func(line []byte) (v T, ok bool, err error) {
			if len(bytes.TrimSpace(line)) == 0 {
				return v, false, nil
			}
			if !utf8.Valid(line) { // what is not would be replaced in silence
				return v, true, errors.New("the text is not UTF-8: convert it, for example by iconv")
			}
			return v, true, json.Unmarshal(line, &v)
		}}, nil
	}}
}
