package main

import (
	"sync"
	"time"
)

// limitUpdates is what RandomAccess is held against: the same number of updates from the same kind of stream to tables of
// the same size, by one goroutine for each table, with no messages. It returns updates a second.
func limitUpdates(log2Words, goroutines, perWord int) float64 {
	words := 1 << log2Words
	updates := words * perWord
	tables := make([][]uint64, goroutines)
	for i := range tables {
		tables[i] = make([]uint64, words)
		for j := range tables[i] {
			tables[i][j] = uint64(j)
		}
	}
	var running sync.WaitGroup
	start := time.Now()
	for i := range tables {
		running.Go(func() { updateAll(tables[i], uint64(i)*0x9E3779B97F4A7C15+1, updates) })
	}
	running.Wait()
	return float64(goroutines*updates) / time.Since(start).Seconds()
}

func updateAll(table []uint64, ran uint64, updates int) {
	mask := uint64(len(table) - 1)
	var batch [256]uint64
	for done := 0; done < updates; done += len(batch) {
		for i := range batch {
			ran = ran<<1 ^ uint64(int64(ran)>>63)&7
			batch[i] = ran
		}
		for _, v := range batch {
			table[v&mask] ^= v
		}
	}
}
