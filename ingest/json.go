package ingest

import (
	"bytes"
	"encoding/json"
	"errors"
	"unicode/utf8"
)

// JSONLines gives the values of files with one JSON value in a line, as [encoding/json] decodes them into a T, by its
// tags and rules. Empty lines are skipped. A line that is not UTF-8, an object with a repeated name, and a string with
// half of a surrogate pair cannot be read. The caller owns the values.
func JSONLines[T any]() Format[T] {
	return Format[T]{"jsonl", func(in *input) (reader[T], error) {
		var strict strictJSON
		return records[T]{in, func(line []byte) (v T, ok bool, err error) {
			if len(bytes.Trim(line, " \t\r")) == 0 {
				return v, false, nil
			}
			if !utf8.Valid(line) { // encoding/json would replace other bytes in silence
				return v, true, errors.New("the text is not UTF-8: convert it, for example by iconv")
			}
			if err = json.Unmarshal(line, &v); err == nil {
				err = strict.check(line)
			}
			return v, true, err
		}}, nil
	}}
}
