package container

import "slices"

// blocks are rows in memory. A row stays where it was added: none is copied when others come, and memory is touched
// once.
type blocks[R any] struct {
	full  [][]R
	last  []R   // the block that rows are added to
	spare [][]R // empty ones
	n     int
}

// The sizes of blocks, in rows: each is as large as all before it, up to the largest.
const (
	blockLeast = 64
	blockMost  = 1 << 16
)

// nextBlock begins a block.
func nextBlock[R any](b *blocks[R]) {
	if len(b.last) > 0 {
		b.full = append(b.full, b.last)
	}
	if spare := len(b.spare) - 1; spare >= 0 {
		b.last, b.spare = b.spare[spare], b.spare[:spare]
		return
	}
	b.last = make([]R, 0, min(max(b.n, blockLeast), blockMost))
}

// blocksOf are the blocks with rows in them, in the order of the rows.
func blocksOf[R any](b *blocks[R]) [][]R {
	if len(b.last) == 0 {
		return b.full
	}
	return append(slices.Clip(b.full), b.last)
}

// rowAt is a row by its number. It costs a step for each block before it.
func rowAt[R any](b *blocks[R], n int) R {
	for _, block := range b.full {
		if n < len(block) {
			return block[n]
		}
		n -= len(block)
	}
	return b.last[n]
}

// oneBlock has all rows in one block.
func oneBlock[R any](b *blocks[R]) []R {
	if len(b.full) > 0 {
		*b = blocks[R]{last: slices.Concat(blocksOf(b)...), n: b.n}
	}
	return b.last
}

// empty removes all rows, and keeps their memory.
func empty[R any](b *blocks[R]) {
	for _, block := range blocksOf(b) {
		clear(block)
		b.spare = append(b.spare, block[:0])
	}
	b.full, b.last, b.n = nil, nil, 0
}
