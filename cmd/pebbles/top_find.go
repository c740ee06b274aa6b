package main

import (
	"cmp"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/activepebbles/pebbles/internal/watch/jobs"
)

// find is the address of the page of a job that is named by its id, its pid or its address, or is the only one.
func find(name string) (address string, err error) {
	if strings.Contains(name, "://") {
		return name, nil
	}
	all, wrong := jobs.List()
	var named, paged []jobs.Entry
	for _, e := range all {
		if name != "" && name != e.Job && name != strconv.Itoa(e.PID) {
			continue
		}
		named = append(named, e)
		if e.URL != "" {
			paged = append(paged, e)
		}
	}
	switch {
	case len(paged) == 1:
		return paged[0].URL, nil
	case len(paged) > 1:
		return "", fmt.Errorf("%d jobs have a page: name one of them by its pid%s", len(paged), told(paged))
	case len(named) > 0:
		return "", fmt.Errorf("no page of a job to look at: start it with --http%s", told(named))
	case name != "":
		err = fmt.Errorf("you run no job %q on this host: pebbles ps lists them; name one elsewhere by the address of "+
			"its page", name)
	default:
		err = errors.New("you run no job on this host: start one with --http, or name one elsewhere by the address of " +
			"its page")
	}
	return "", errors.Join(err, wrong)
}

// told lists jobs, one on a line.
func told(all []jobs.Entry) string {
	var b strings.Builder
	for _, e := range all {
		fmt.Fprintf(&b, "\n  pid %d: %s", e.PID, escaped(e.Program))
		if e.Job != "" {
			fmt.Fprintf(&b, ", job %s", escaped(e.Job))
		}
		fmt.Fprintf(&b, ", %s, for %s", plural(e.Ranks, "rank", "ranks"), spanText(time.Since(e.Started).Seconds()))
	}
	return b.String()
}

// nameOf names a job as an argument.
func nameOf(e jobs.Entry) string { return cmp.Or(e.Job, strconv.Itoa(e.PID)) }
