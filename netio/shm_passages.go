package netio

import "sync"

// passages are the data frames of one rank's port that are under way in shared memory, until their receivers have released
// them: frames that its pool has lent, for it is the rank's goroutine that takes them back. Another rank of this process
// may have sent them.
type passages struct {
	mu   sync.Mutex
	all  []shmPassage
	free []uint32 // numbers that are not in use
}

type shmPassage struct {
	frame *Frame
	to    *shmLink
}

// enter returns the number of a new passage; there may be none.
func (p *passages) enter(f *Frame, to *shmLink) (number uint32, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if last := len(p.free) - 1; last >= 0 {
		number = p.free[last]
		p.free = p.free[:last]
	} else if number = uint32(len(p.all)); number < returnsMax {
		p.all = append(p.all, shmPassage{})
	} else {
		return 0, false
	}
	p.all[number] = shmPassage{f, to}
	return number, true
}

// leave ends a passage to a process; nil when there is no such one.
func (p *passages) leave(number uint32, process int) *Frame {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.end(number, process)
}

func (p *passages) end(number uint32, process int) *Frame {
	if int64(number) >= int64(len(p.all)) || p.all[number].frame == nil || p.all[number].to.place.Process != process {
		return nil
	}
	f := p.all[number].frame
	p.all[number] = shmPassage{}
	p.free = append(p.free, number)
	return f
}

// abandon ends the passages to processes that will release nothing any more. Such a process may be reading still, if it is
// there at all: memory that it was shown is not used again.
func (p *passages) abandon() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for number, passage := range p.all {
		if passage.frame == nil || !passage.to.over.Load() {
			continue
		}
		f := p.end(uint32(number), passage.to.place.Process)
		f.stale = f.Bytes > inlineMax
		f.Release()
	}
}
