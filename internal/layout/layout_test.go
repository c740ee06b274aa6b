package layout_test

import (
	"fmt"
	"reflect"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/internal/layout"
)

type inner struct {
	A int32
	B [2]float64
}

type outer struct {
	Key uint64
	In  [3]inner
	ok  bool
}

func TestPlain(t *testing.T) {
	for _, v := range []any{1, uint8(1), 1.5, complex(1, 2), true, [4]int{}, struct{}{}, inner{}, outer{ok: true},
		uint64(1)} {
		require.NoError(t, layout.Plain(reflect.TypeOf(v)), "%T", v)
	}
	for path, v := range map[string]any{
		"string is a string":                            "",
		"[]int is a []int":                              []int{},
		"*int is a *int":                                new(int),
		"map[int]int is a map[int]int":                  map[int]int{},
		"func() is a func()":                            func() {},
		"chan int is a chan int":                        make(chan int),
		"uintptr is a uintptr":                          uintptr(0),
		"unsafe.Pointer is a unsafe.Pointer":            unsafe.Pointer(nil),
		"[2]struct { S string }[].S is a string":        [2]struct{ S string }{},
		"struct { E interface {} }.E is a interface {}": struct{ E any }{},
	} {
		require.ErrorContains(t, layout.Plain(reflect.TypeOf(v)), path)
	}
}

func TestDescribeTellsLayoutsApart(t *testing.T) {
	seen := map[string]reflect.Type{}
	for _, v := range []any{
		uint64(0), int64(0), uint32(0), [2]uint32{}, inner{}, outer{}, struct{ A, B int32 }{}, struct{ B, A int32 }{},
		struct {
			A int32
			B int64
		}{}, struct{}{},
	} {
		text := layout.Describe(reflect.TypeOf(v))
		require.NotContains(t, seen, text)
		seen[text] = reflect.TypeOf(v)
	}
}

func ExampleDescribe() {
	fmt.Println(layout.Describe(reflect.TypeFor[inner]()))
	// Output: struct{A int32 @0; B [2]float64 @8} of 24 bytes
}

func TestBytesOfAndBack(t *testing.T) {
	for n := range 3 {
		numbers, nothing := make([]outer, n), make([]struct{}, n)
		for i := range numbers {
			numbers[i].Key = uint64(i + 1)
		}
		require.Len(t, layout.BytesOf(numbers), n*int(unsafe.Sizeof(outer{})))
		require.Equal(t, numbers, layout.GetAll[outer](layout.BytesOf(numbers)))
		require.Equal(t, nothing, layout.GetAll[struct{}](layout.BytesOf(nothing)))
	}
}
