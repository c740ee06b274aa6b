package checkpoint

import (
	"fmt"
	"reflect"

	"github.com/activepebbles/pebbles/internal/layout"
	"github.com/activepebbles/pebbles/target/avro"
)

// coding encodes and decodes elements: plain data as in memory, other types by target/avro.
type coding[T any] struct {
	of    string // description of the type
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

// most returns the maximum number of elements in a record.
func (c *coding[T]) most() int {
	if c.size == 0 {
		return chunkCoded
	}
	return max(1, chunkBytes/c.size)
}

// chunkCoded is the number of elements in a record of a type that is not plain data.
const chunkCoded = 256

// bytes encodes elements. It appends to buffer those that are not plain data.
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

// elements decodes the elements of a record.
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
