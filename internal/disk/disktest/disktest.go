// Package disktest makes calls of package disk fail, one after the other.
package disktest

import (
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/activepebbles/pebbles/internal/disk"
)

// Err is the error of a call that fails.
var Err = errors.New("the disk has failed in a test")

// drawn matches the part of a temporary file's name that differs from run to run.
var drawn = regexp.MustCompile(`(tmp|spill-)(\d+|\*)`)

// Each runs do once without a fault, and then once for each call on a file that it has made, with that call failing. do
// gets a separate test and the failing call, such as "sync of part-00000-of-00002.txt, 1"; "" for none. It must fail
// the test if that error is lost. Each returns the calls. A file that is opened must be closed.
func Each(t *testing.T, do func(t *testing.T, call string)) (all []string) {
	t.Helper()
	all = calls(t, do)
	if opened, closed := Count(all, "open"), Count(all, "close"); opened != closed {
		t.Errorf("%d files were opened, and %d closed: %q", opened, closed, all)
	}
	for _, call := range all {
		t.Run("fails: "+call, func(t *testing.T) {
			met, _ := watch(t, call)
			do(t, call)
			if !*met {
				t.Error("the call was not made again")
			}
		})
	}
	return all
}

// Count returns the number of calls of a kind.
func Count(calls []string, kind string) (n int) {
	for _, call := range calls {
		if strings.HasPrefix(call, kind+" of ") {
			n++
		}
	}
	return n
}

// calls returns the calls of do.
func calls(t *testing.T, do func(t *testing.T, call string)) (all []string) {
	t.Run("none fails", func(t *testing.T) {
		_, made := watch(t, "")
		do(t, "")
		disk.SetFault(nil)
		all = *made
	})
	slices.Sort(all)
	return all
}

// watch makes one call fail until the test ends, and records the calls.
func watch(t *testing.T, fails string) (met *bool, made *[]string) {
	met, made = new(bool), new([]string)
	Watch(func(call string) error {
		*made = append(*made, call)
		if call != fails {
			return nil
		}
		*met = true
		return Err
	})
	t.Cleanup(func() { disk.SetFault(nil) })
	return met, made
}

// Watch calls do before each call on a file, one at a time, with the call in the form of Each; the result of do is the
// error of the call. disk.SetFault(nil) ends it.
func Watch(do func(call string) error) {
	var mu sync.Mutex
	times := map[string]int{}
	disk.SetFault(func(call, name string) error {
		mu.Lock()
		defer mu.Unlock()
		key := fmt.Sprintf("%s of %s", call, drawn.ReplaceAllString(filepath.Base(name), "$1"))
		times[key]++
		return do(fmt.Sprintf("%s, %d", key, times[key]))
	})
}
