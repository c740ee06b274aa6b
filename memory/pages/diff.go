package pages

import (
	"bytes"
	"unsafe"
)

// run is bytes of a page that have changed.
type run struct{ from, to int }

// chunk is how many bytes are compared at once where little has changed.
const chunk = 256

// diff appends the runs of bytes in which a page differs from its twin. A run holds nothing but what has changed, in
// units of grain bytes: 1, 2, 4 or 8. Both slices begin at multiples of that.
func diff(runs []run, page, twin []byte, grain int) []run {
	switch grain {
	case 8:
		return compare(runs, words[uint64](page), words[uint64](twin))
	case 4:
		return compare(runs, words[uint32](page), words[uint32](twin))
	case 2:
		return compare(runs, words[uint16](page), words[uint16](twin))
	}
	return compare(runs, page, twin)
}

// grain is the size of the units that elements of so many bytes are compared by: what two ranks write to neighbouring
// elements must not meet in one.
func grain(size int) int { return min(8, size&-size) }

func words[W uint8 | uint16 | uint32 | uint64](b []byte) []W {
	return unsafe.Slice((*W)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/int(unsafe.Sizeof(*new(W))))
}

func compare[W uint8 | uint16 | uint32 | uint64](runs []run, page, twin []W) []run {
	size := int(unsafe.Sizeof(*new(W)))
	twin = twin[:len(page)]
	for at := 0; at < len(page); {
		if at*size%chunk == 0 && same(page[at:], twin[at:]) {
			at += chunk / size
			continue
		}
		if page[at] == twin[at] {
			at++
			continue
		}
		from := at
		for at < len(page) && page[at] != twin[at] {
			at++
		}
		runs = append(runs, run{from * size, at * size})
	}
	return runs
}

// same reports whether the next chunk is there, and equal.
func same[W uint8 | uint16 | uint32 | uint64](page, twin []W) bool {
	n := chunk / int(unsafe.Sizeof(*new(W)))
	if len(page) < n {
		return false
	}
	a := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(page))), chunk)
	b := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(twin))), chunk)
	return bytes.Equal(a, b)
}
