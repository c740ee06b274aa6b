package main

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"time"

	"github.com/activepebbles/pebbles/lab"
)

const (
	busySamples = 21
	busyEvery   = 50 * time.Millisecond
)

// busy returns the number of other runnable threads, the median over a second; 0 if unknown. MPI's processes spin while
// they wait, and lose more than ours to other threads: a busy machine makes a comparison unfair.
func busy() int {
	// With a second processor, Go would wake a second thread of this program at times, which would be counted.
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	var others []float64
	for range busySamples {
		text, _ := os.ReadFile("/proc/loadavg")
		others = append(others, float64(othersRunning(string(text))))
		time.Sleep(busyEvery)
	}
	return int(lab.Summarize(others).Median)
}

// othersRunning reads the fourth field of /proc/loadavg: runnable threads, with this one, and all threads.
func othersRunning(loadavg string) int {
	fields := strings.Fields(loadavg)
	if len(fields) < 4 {
		return 0
	}
	var running, all int
	if n, err := fmt.Sscanf(fields[3], "%d/%d", &running, &all); n != 2 || err != nil {
		return 0
	}
	return max(0, running-1)
}
