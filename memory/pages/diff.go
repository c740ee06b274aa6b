package pages

import (
	"bytes"
	"unsafe"
)

// run is a range of changed bytes of a page.
type run struct{ from, to int }

// chunk is the number of bytes compared at once where little has changed.
const chunk = 256

// diff appends the runs of bytes where a page differs from its twin. A run holds changed units alone, of grain bytes:
// 1, 2, 4 or 8. Both slices begin at multiples of grain.
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

// grain returns the size of the units of comparison for elements of the given size. Writes of two ranks to neighbouring
// elements must not share a unit.
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

// same reports whether the next chunk is complete, and equal.
func same[W uint8 | uint16 | uint32 | uint64](page, twin []W) bool {
	n := chunk / int(unsafe.Sizeof(*new(W)))
	if len(page) < n {
		return false
	}
	a := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(page))), chunk)
	b := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(twin))), chunk)
	return bytes.Equal(a, b)
}
