package container

import "slices"

// blocks holds rows in memory. A row stays at its address: no later row moves it, and memory is touched once.
type blocks[R any] struct {
	full  [][]R
	last  []R   // block that receives new rows
	spare [][]R // empty blocks
	n     int
}

// Sizes of blocks, in rows: a block is as large as all blocks before it together, up to blockMost.
const (
	blockLeast = 64
	blockMost  = 1 << 16
)

// nextBlock starts a block.
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

// blocksOf returns the blocks that have rows, in order.
func blocksOf[R any](b *blocks[R]) [][]R {
	if len(b.last) == 0 {
		return b.full
	}
	return append(slices.Clip(b.full), b.last)
}

// rowAt returns a row by its number. It costs a step for each block before it.
func rowAt[R any](b *blocks[R], n int) R {
	for _, block := range b.full {
		if n < len(block) {
			return block[n]
		}
		n -= len(block)
	}
	return b.last[n]
}

// oneBlock moves all rows to one block, and returns it.
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
