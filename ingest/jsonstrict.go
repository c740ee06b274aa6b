package ingest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
)

// strictJSON finds values that encoding/json decodes without an error although RFC 8259 leaves their meaning open
// (sections 4 and 8.2), so that other programs read other values: of a repeated name in an object encoding/json keeps
// one value, and it replaces half of a surrogate pair.
type strictJSON struct {
	names [][]byte // names of the open objects, one object behind the other
	open  []int    // index of the first name of each open object; -1 for an array
}

// check returns an error for a value that another program may read differently.
func (s *strictJSON) check(text []byte) error {
	names, open := s.names[:0], s.open[:0]
	defer func() { s.names, s.open = names, open }()
	named := false // whether a string at this place is a name
	for len(text) > 0 {
		switch text[0] {
		case '{':
			open, named = append(open, len(names)), true
		case '[':
			open, named = append(open, -1), false
		case '}', ']':
			last := len(open) - 1
			if from := open[last]; from >= 0 {
				if err := differ(names[from:]); err != nil {
					return err
				}
				names = names[:from]
			}
			open, named = open[:last], false
		case ',':
			named = open[len(open)-1] >= 0
		case ':':
			named = false
		case '"':
			n := stringEnd(text)
			if err := surrogates(text[:n]); err != nil {
				return err
			}
			if named {
				names = append(names, plainName(text[:n]))
			}
			text = text[n:]
			continue
		}
		text = text[1:]
	}
	return nil
}

// differ returns an error if two names are equal. It sorts the names.
func differ(names [][]byte) error {
	slices.SortFunc(names, bytes.Compare)
	for i, name := range names {
		if i > 0 && bytes.Equal(name, names[i-1]) {
			return fmt.Errorf("an object has the name %.80q twice: remove one of them", name)
		}
	}
	return nil
}

// stringEnd returns the length of the string at the front of a text.
func stringEnd(text []byte) int {
	for i := 1; ; i++ {
		switch text[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
}

// plainName returns a name without quotes and escapes.
func plainName(quoted []byte) []byte {
	if bytes.IndexByte(quoted, '\\') < 0 {
		return quoted[1 : len(quoted)-1]
	}
	var name string
	if json.Unmarshal(quoted, &name) != nil {
		return quoted // not reached: it has been read
	}
	return []byte(name)
}

// surrogates returns an error for a string with an escape of half a surrogate pair.
func surrogates(text []byte) error {
	for {
		at := bytes.IndexByte(text, '\\')
		if at < 0 {
			return nil
		}
		if text = text[at:]; text[1] != 'u' {
			text = text[2:]
			continue
		}
		high := escaped(text)
		text = text[6:]
		switch {
		case high < 0xd800 || high > 0xdfff:
		case high < 0xdc00 && bytes.HasPrefix(text, []byte(`\u`)) && escaped(text)&^0x3ff == 0xdc00:
			text = text[6:]
		default:
			return errors.New(`a string has half of a surrogate pair: write a character beyond U+FFFF as \uD83D\uDE00`)
		}
	}
}

// escaped returns the number of an escape such as \u00e4.
func escaped(text []byte) uint64 {
	n, _ := strconv.ParseUint(string(text[2:6]), 16, 16)
	return n
}
