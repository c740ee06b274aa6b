// Package leaks has tests end with a check that nothing is left: no entry of a table, no turn, no file. Whoever keeps
// such things tells what is left at its end, where all should be gone. Outside of tests nobody asks.
package leaks

import (
	"fmt"
	"os"
	"runtime"
	"slices"
	"sync"
	"time"
)

var (
	mu   sync.Mutex
	left = map[string]int{}
)

// Left says how many things of a kind are left at the end of what had them.
func Left(kind string, n int) {
	if n == 0 {
		return
	}
	mu.Lock()
	defer mu.Unlock()
	left[kind] += n
}

// Tests runs tests: a testing.M.
type Tests interface{ Run() int }

// Main is the tests of a package, which fail when something is left: what Left was told, or files.
func Main(m Tests) Tests { return checked{m} }

type checked struct{ Tests }

// Run implements Tests.
func (c checked) Run() int {
	before := descriptors()
	code := c.Tests.Run()
	if code != 0 {
		return code // what a failed test leaves says nothing
	}
	for _, what := range Found(before) {
		fmt.Println("leaks: the tests leave", what)
		code = 1
	}
	return code
}

// Found is what is left: beyond files that were open before.
func Found(before []string) (all []string) {
	mu.Lock()
	for kind, n := range left {
		all = append(all, fmt.Sprintf("%d %s", n, kind))
	}
	mu.Unlock()
	slices.Sort(all)
	var more []string
	for range 50 { // finalizers close what nobody has any more
		if more = beyond(before); len(more) == 0 {
			return all
		}
		runtime.GC()
		time.Sleep(10 * time.Millisecond)
	}
	return append(all, fmt.Sprintf("open files: %v", more))
}

// beyond is what is open now and was not before. Go keeps files of its own, which it opens when it first needs them.
func beyond(before []string) (more []string) {
	for _, name := range descriptors() {
		if i := slices.Index(before, name); i >= 0 {
			before = slices.Delete(slices.Clone(before), i, i+1)
		} else if !slices.Contains([]string{"anon_inode:[eventpoll]", "anon_inode:[eventfd]", "anon_inode:[pidfd]",
			"/sys/fs/cgroup/cpu.max"}, name) {
			more = append(more, name)
		}
	}
	return more
}

// descriptors are what this process has open; none where the system does not say.
func descriptors() (names []string) {
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return nil
	}
	for _, e := range entries {
		if name, err := os.Readlink("/proc/self/fd/" + e.Name()); err == nil {
			names = append(names, name)
		}
	}
	return names
}
