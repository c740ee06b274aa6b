package jobs

import (
	"errors"
	"os"
	"syscall"
)

// An identity tells a process from all that had its number before, and will have it.
type identity struct {
	Where string `json:"where"` // the host and the container
	Start string `json:"start"` // when the process began there
}

// standing is what has become of a process.
type standing int

const (
	runs    standing = iota
	gone             // from this host
	unknown          // it is of another host or another container, or this system does not tell now
)

var errEnded = errors.New("it has ended")

// stands finds out what has become of the process that had a number.
func (i identity) stands(pid int) standing {
	if i.Where != where() {
		return unknown
	}
	switch now, err := identify(pid); {
	case errors.Is(err, os.ErrNotExist), errors.Is(err, syscall.ESRCH), errors.Is(err, errEnded):
		return gone
	case err != nil:
		return unknown
	case now != i:
		return gone
	}
	return runs
}
