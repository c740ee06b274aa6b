package main

import (
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/activepebbles/pebbles/lab"
)

const (
	busyLooks = 21
	busyEvery = 50 * time.Millisecond
)

// busy tells how many threads besides this one want a core, in the median over a second; 0 where the system doesn't tell.
// MPI's processes spin while they wait, and suffer more than ours from others: on a busy machine a comparison is not fair.
func busy() int {
	var others []float64
	for range busyLooks {
		text, _ := os.ReadFile("/proc/loadavg")
		others = append(others, float64(othersRunning(string(text))))
		time.Sleep(busyEvery)
	}
	return int(lab.Summarize(others).Median)
}

// othersRunning reads the fourth field of /proc/loadavg: runnable threads, this one among them, over all threads.
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
