package tcp

import (
	"context"

	"github.com/activepebbles/pebbles/internal/idle"
)

// openWays opens the faster ways, before others are greeted.
func (t *Transport) openWays() error {
	for _, open := range t.config.open {
		w, err := open(&t.config)
		if err != nil {
			return err
		}
		if w != nil {
			t.config.ways = append(t.config.ways, w)
		}
	}
	return nil
}

// meet links this process with others by the faster ways, after TCP has connected all.
func (t *Transport) meet(ctx context.Context) error {
	for _, w := range t.config.ways {
		addresses := t.addresses(w)
		if err := w.Meet(ctx, t, addresses); err != nil {
			return err
		}
		if len(addresses) > 0 {
			t.ways = append(t.ways, w)
		}
		for process := range addresses {
			p := t.peers[process]
			p.linked, p.onHost = true, p.onHost || w.OnHost()
		}
	}
	if len(t.ways) > 0 {
		t.hurry()
	}
	return nil
}

// addresses are those of the processes that a way is to link.
func (t *Transport) addresses(w Way) map[int]string {
	all, mine := make(map[int]string), w.Offer().Place
	for i, p := range t.peers {
		if p == nil {
			continue
		}
		p.mu.Lock()
		if o, ok := p.offers[w.Name()]; ok && o.Place == mine {
			all[i] = o.Address
		}
		p.mu.Unlock()
	}
	return all
}

// hurry gives the ranks ports that take the faster ways.
func (t *Transport) hurry() {
	here := t.place.Last - t.place.First
	onHost := here
	t.far = false
	for _, p := range t.peers {
		if p == nil {
			continue
		}
		t.far = t.far || !p.linked
		if p.onHost {
			onHost += p.place.Last - p.place.First
		}
	}
	t.policy = idle.PolicyFor(here, onHost)
	for i, p := range t.ports {
		t.ends[i] = newFastPort(p, t.place.First+i)
	}
	for i, p := range t.peers {
		if p != nil && p.linked {
			p.sent.whenClosed(func() { t.unlink(i) })
		}
	}
}

// unlink tells that a peer will release nothing any more.
func (t *Transport) unlink(process int) {
	for _, w := range t.ways {
		w.Unlink(process)
	}
	for _, p := range t.ports {
		p.Wake()
	}
}
