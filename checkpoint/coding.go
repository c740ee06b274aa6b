package checkpoint

import (
	"fmt"
	"reflect"

	"github.com/activepebbles/pebbles/internal/layout"
	"github.com/activepebbles/pebbles/target/avro"
)

// coding makes bytes of elements and elements of bytes: plain data as it lies in memory, other types by target/avro.
type coding[T any] struct {
	of    string // describes the type
	size  int    // bytes of an element of plain data; 0 for other types
	coder *avro.Codec[T]
}

func codingOf[T any]() (c coding[T], err error) {
	t := reflect.TypeFor[T]()
	if layout.Plain(t) == nil && t.Size() > 0 {
		c.of, c.size = layout.Describe(t), int(t.Size())
		return c, nil
	}
	if c.coder, err = avro.New[T](); err == nil {
		c.of = c.coder.Schema()
	}
	return c, err
}

// most is how many elements go into one record.
func (c *coding[T]) most() int {
	if c.size == 0 {
		return chunkCoded
	}
	return max(1, chunkBytes/c.size)
}

// chunkCoded is how many elements that are not plain data go into one record.
const chunkCoded = 256

// bytes are those of elements, in buffer where they need a place.
func (c *coding[T]) bytes(buffer []byte, vs []T) (_ []byte, err error) {
	if c.size > 0 {
		return layout.BytesOf(vs), nil
	}
	for _, v := range vs {
		if buffer, err = c.coder.Append(buffer, v); err != nil {
			return buffer, err
		}
	}
	return buffer, nil
}

// elements are those that a record has.
func (c *coding[T]) elements(r record) ([]T, error) {
	if c.size > 0 {
		if len(r.Data) != r.Count*c.size {
			return nil, errRecord
		}
		return layout.GetAll[T](r.Data), nil
	}
	var vs []T
	for src := r.Data; len(src) > 0; {
		v, rest, err := c.coder.Next(src)
		if err != nil {
			return nil, err
		}
		vs, src = append(vs, v), rest
	}
	if len(vs) != r.Count {
		return nil, fmt.Errorf("%d elements instead of %d: %w", len(vs), r.Count, errRecord)
	}
	return vs, nil
}
