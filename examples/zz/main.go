package main

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"runtime/pprof"
	"strconv"
	"time"

	"github.com/activepebbles/pebbles/apps/randomaccess"
	"github.com/activepebbles/pebbles/netio"
	"github.com/activepebbles/pebbles/netio/sim"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/route"
)

func main() {
	p, _ := strconv.Atoi(os.Args[1])
	f, _ := os.Create("/tmp/w/cpu.prof")
	pprof.StartCPUProfile(f)
	w, err := sim.New(sim.Config{Ranks: p, Network: sim.Machines["odin"]})
	t := time.Now()
	n := 0
	err = w.Each(func(t netio.Transport) error {
		return pebble.Run(context.Background(), pebble.Config{Transport: t, Topology: route.Hypercube}, func(r *pebble.Rank) error {
			_, err := randomaccess.Run(r, randomaccess.Config{Log2Words: 4, UpdatesPerWord: 4})
			if n++; n == p/2 {
				g, _ := os.Create("/tmp/w/mem.prof")
				runtime.GC()
				pprof.WriteHeapProfile(g)
				g.Close()
			}
			return err
		})
	})
	pprof.StopCPUProfile()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	fmt.Println(err, time.Since(t), w.Stats(), m.TotalAlloc>>20, m.Sys>>20, m.StackSys>>20, m.HeapSys>>20)
}
