package bootstrap

import (
	"fmt"
	"strconv"
	"strings"
)

// namesMax bounds how many processes a sentence names.
const namesMax = 8

// absent says which children have not come when the limit has ended. It returns nil when all have: those that wait for others say so
// themselves.
func (m *meeting) absent(cause error) error {
	var missing []int
	first, last := m.tree.children(m.c.Number)
	for child := first; child < last; child++ {
		if m.children[child] == nil {
			missing = append(missing, child)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	return fmt.Errorf("%w: %s did not come to process %d at %v: were all %d tasks started, and can their hosts reach this address?",
		cause, list(missing), m.c.Number, m.c.Listener.Addr(), m.c.Processes)
}

// list names processes.
func list(processes []int) string {
	var names []string
	for _, p := range processes {
		names = append(names, strconv.Itoa(p))
	}
	word := "process "
	if len(names) > 1 {
		word = "processes "
	}
	if more := len(names) - namesMax; more > 0 {
		names = append(names[:namesMax], fmt.Sprintf("and %d more", more))
	}
	return word + strings.Join(names, ", ")
}
