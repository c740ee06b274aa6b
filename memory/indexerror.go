package memory

import (
	"fmt"

	"github.com/activepebbles/pebbles/internal/engine"
)

// IndexError is the error of a job that accessed elements beyond an array, a view or pages.
type IndexError struct {
	Site   string // call of the program, as "main.go:31"; "" if unknown
	Rank   int
	Call   string // call and object, as `Get of array "words"`
	Reason string // requested and existing elements
}

func (e *IndexError) Error() string {
	return fmt.Sprintf("%srank %d: %s: %s", engine.At(e.Site), e.Rank, e.Call, e.Reason)
}

// arrayLacks ends the job: an array has no such elements.
func arrayLacks(s *Space, call, array, format string, args ...any) {
	lacks(s, call, fmt.Sprintf("array %q", array), format, args...)
}

// lacks ends the job: an object has no such elements.
func lacks(s *Space, call, of, format string, args ...any) {
	s.engine.Fail(&IndexError{engine.Site(), s.rank.ID(), call + " of " + of, fmt.Sprintf(format, args...)})
}
