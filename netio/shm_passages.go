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

// shmPassage is one of them; without a link, its number is not in use.
type shmPassage struct {
	frame   *Frame   // nil when its contents went by value: it can be lent again at once
	account *Account // of one that went by value; may be nil
	to      *shmLink
}

// enter returns the number of a new passage; there may be none.
func (p *passages) enter(passage shmPassage) (number uint32, ok bool) {
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
	p.all[number] = passage
	return number, true
}

// leave ends a passage to a process, if there is such a one.
func (p *passages) leave(number uint32, process int) (passage shmPassage, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if int64(number) >= int64(len(p.all)) {
		return shmPassage{}, false
	}
	if to := p.all[number].to; to == nil || to.place.Process != process {
		return shmPassage{}, false
	}
	return p.end(number), true
}

func (p *passages) end(number uint32) shmPassage {
	passage := p.all[number]
	p.all[number] = shmPassage{}
	p.free = append(p.free, number)
	return passage
}

// abandon ends the passages to processes that will release nothing any more, and returns them. Such a process may be reading
// still, if it is there at all: memory that it was shown is not used again.
func (p *passages) abandon() (all []shmPassage) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for number, passage := range p.all {
		if passage.to == nil || !passage.to.over.Load() {
			continue
		}
		if passage.frame != nil {
			passage.frame.stale = passage.frame.Bytes > inlineMax
		}
		all = append(all, p.end(uint32(number)))
	}
	return all
}
