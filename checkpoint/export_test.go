package checkpoint

import "github.com/activepebbles/pebbles/pebble"

// Watched is a part without data that calls a function while records are restored.
func Watched(name string, restoring func()) Part { return Part{name, &watched{call: restoring}} }

type watched struct {
	nothing
	call func()
}

func (*watched) begin(*pebble.Rank) (string, error) { return "watched", nil }

func (*watched) save(emit func(record) error) error { return emit(record{Count: 1}) }

func (w *watched) load(record, func(int, record)) error {
	w.call()
	return nil
}

// Altered changes the saved records of a part: it omits some and repeats others.
func Altered(p Part, times func(n int) int) Part { return Part{p.name, &altered{p.kept, times, 0}} }

type altered struct {
	kept
	times func(n int) int
	n     int
}

func (a *altered) save(emit func(record) error) error {
	return a.kept.save(func(r record) error {
		for range a.times(a.n) {
			if err := emit(r); err != nil {
				return err
			}
		}
		a.n++
		return nil
	})
}

// In gives a rank's host its own folder.
func (c *Checkpoint) In(folder string) *Checkpoint {
	c.config.Folder = folder
	return c
}
