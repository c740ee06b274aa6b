// Package leaks makes tests end with a check that nothing is left: no entry of a table, no turn, no file. The owner of
// such things reports the rest at its end, when all should be gone. Outside of tests the reports are unused.
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

// Left reports the number of things of a kind that are left when their owner ends.
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

// Main returns the tests of a package, with a failure if anything is left: reports by Left, open files, or temporary
// files, as by Temporary.
func Main(m Tests) Tests { return checked{Temporary(m)} }

type checked struct{ Tests }

// Run implements Tests.
func (c checked) Run() int {
	before := descriptors()
	code := c.Tests.Run()
	if code != 0 {
		return code // a failed test may leave anything
	}
	for _, what := range Found(before) {
		fmt.Println("leaks: the tests leave", what)
		code = 1
	}
	return code
}

// Found returns the reports, and the open files that were not open before.
func Found(before []string) (all []string) {
	mu.Lock()
	for kind, n := range left {
		all = append(all, fmt.Sprintf("%d %s", n, kind))
	}
	mu.Unlock()
	slices.Sort(all)
	var more []string
	for range 50 { // finalizers close unreferenced files
		if more = beyond(before); len(more) == 0 {
			return all
		}
		runtime.GC()
		time.Sleep(10 * time.Millisecond)
	}
	return append(all, fmt.Sprintf("open files: %v", more))
}

// beyond returns the files that are open now and were not before. Go opens some files on first use and keeps them.
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

// descriptors returns the open files of this process; none if the system does not report them.
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
