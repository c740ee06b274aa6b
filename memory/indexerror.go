package memory

import (
	"fmt"

	"github.com/activepebbles/pebbles/internal/engine"
)

// IndexError is the error of a job in which elements were asked for that an array, a view or pages don't have.
type IndexError struct {
	Site   string // the call of the program's, as "main.go:31"; "" where that is not known
	Rank   int
	Call   string // of what, as `Get of array "words"`
	Reason string // which elements there are
}

func (e *IndexError) Error() string {
	return fmt.Sprintf("%srank %d: %s: %s", engine.At(e.Site), e.Rank, e.Call, e.Reason)
}

// arrayLacks ends the job: there are no such elements of an array.
func arrayLacks(s *Space, call, array, format string, args ...any) {
	lacks(s, call, fmt.Sprintf("array %q", array), format, args...)
}

// lacks ends the job: there are no such elements of an object.
func lacks(s *Space, call, of, format string, args ...any) {
	s.engine.Fail(&IndexError{engine.Site(), s.rank.ID(), call + " of " + of, fmt.Sprintf(format, args...)})
}
