//go:build amd64 || arm64

package ofi

import (
	"errors"
	"math"

	"golang.org/x/sys/unix"
)

// ask asks the library for its providers.
func (f *Finding) ask() error {
	l, err := load()
	if err != nil {
		return err
	}
	f.Version = l.Version()
	var list *fiInfo
	keepingSignals(func() { list, err = query(l, "", "", 0) })
	if errors.Is(err, errNoData) {
		return nil
	}
	if err != nil {
		return err
	}
	seen := make(map[string]bool)
	for i := list; i != nil; i = i.next {
		name := goString(i.fabric.provider)
		if !seen[name] {
			seen[name] = true
			f.Providers = append(f.Providers, examineProvider(l, i, name))
		}
	}
	invoke(l.freeInfo, ptr(list))
	return nil
}

// examineProvider opens an endpoint to examine it.
func examineProvider(l *library, i *fiInfo, name string) Provider {
	mode := i.domain.mrMode
	p := Provider{Name: name, Largest: int64(min(i.ep.messageMax, math.MaxInt64)), Locks: mode&(mrLocal|mrAllocated) != 0}
	for _, m := range []struct {
		bit  int32
		name string
	}{
		{mrLocal, "FI_MR_LOCAL"}, {mrVirtual, "FI_MR_VIRT_ADDR"}, {mrAllocated, "FI_MR_ALLOCATED"},
		{mrProvKey, "FI_MR_PROV_KEY"}, {mrEndpoint, "FI_MR_ENDPOINT"},
	} {
		if mode&m.bit != 0 {
			p.Registration = append(p.Registration, m.name)
		}
	}
	if with, err := query(l, name, "", flagMultiRecv); err == nil {
		p.MultiReceive = true
		invoke(l.freeInfo, ptr(with))
	}
	e, err := openLibfabric(name, "127.0.0.1", 2)
	if err != nil {
		p.Problem = err.Error()
		return p
	}
	defer e.Close()
	p.Wait = WaitsBySleep
	if quiet(e, func() { _, _ = e.Poll(make([]event, eventsMax)) }) {
		p.Wait = WaitsByDescriptor
	}
	return p
}

// lockedMax returns the bytes that may be locked; -1 means no limit.
func lockedMax() int64 {
	var limit unix.Rlimit
	if unix.Getrlimit(unix.RLIMIT_MEMLOCK, &limit) != nil || limit.Cur > math.MaxInt64 {
		return -1
	}
	return int64(limit.Cur)
}
