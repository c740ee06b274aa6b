package checkpoint

import (
	"errors"

	"github.com/activepebbles/pebbles/container"
	"github.com/activepebbles/pebbles/pebble"
)

// records are the entries or elements of a container.
type records[E any] struct {
	nothing
	coding[E]
	of container.Loadable[E]
}

// Records is the entries or elements of a container. The container must be empty when Restore is called, which adds
// them as container.Load does. Compress the sets of a container.DisjointSets before Save.
func Records[E any](name string, of container.Loadable[E]) Part {
	return Part{name, &records[E]{of: of}}
}

func (e *records[E]) begin(*pebble.Rank) (_ string, err error) {
	if e.coding, err = codingOf[E](); err == nil && e.of == nil {
		err = errors.New("the container is nil")
	}
	return "records of " + e.coding.of, err
}

func (e *records[E]) save(emit func(record) error) (err error) {
	batch := make([]E, 0, e.most())
	var buffer []byte
	flush := func() error {
		if len(batch) == 0 {
			return nil
		}
		r := record{Count: len(batch)}
		if r.Data, err = e.bytes(buffer[:0], batch); err != nil {
			return err
		}
		if e.size == 0 {
			buffer = r.Data
		}
		batch = batch[:0]
		return emit(r)
	}
	for v := range container.LocalRecords[E](e.of) {
		if batch = append(batch, v); len(batch) == cap(batch) {
			if err := flush(); err != nil {
				return err
			}
		}
	}
	return flush()
}

func (e *records[E]) load(r record, _ func(int, record)) error {
	vs, err := e.elements(r)
	if err == nil {
		container.AddRecords(e.of, vs)
	}
	return err
}
