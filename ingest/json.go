package ingest

import (
	"bytes"
	"encoding/json"
	"errors"
	"unicode/utf8"
)

// JSONLines gives the values of files with one JSON value a line, as [encoding/json] decodes them into a T: its tags
// and rules hold. Empty lines are skipped. A line that is not UTF-8, an object that has a name twice, and a string with
// half of a surrogate pair cannot be read. What is given is the caller's.
func JSONLines[T any]() Format[T] {
	return Format[T]{"jsonl", func(in *input) (reader[T], error) {
		var strict strictJSON
		return records[T]{in, func(line []byte) (v T, ok bool, err error) {
			if len(bytes.Trim(line, " \t\r")) == 0 {
				return v, false, nil
			}
			if !utf8.Valid(line) { // what is not would be replaced in silence
				return v, true, errors.New("the text is not UTF-8: convert it, for example by iconv")
			}
			if err = json.Unmarshal(line, &v); err == nil {
				err = strict.check(line)
			}
			return v, true, err
		}}, nil
	}}
}
