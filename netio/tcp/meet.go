package tcp

import (
	"context"
	"slices"

	"github.com/activepebbles/pebbles/netio/internal/idle"
)

// meet links this process with others by the faster ways, after TCP has connected all, and gives the ranks ports that take them.
func (t *Transport) meet(ctx context.Context) error {
	for _, w := range t.config.ways {
		addresses := make(map[int]string)
		for _, p := range t.others {
			if o, ok := p.offers[w.Name()]; ok && o.Place == w.Offer().Place {
				addresses[p.place.Process] = o.Address
			}
		}
		if err := w.Meet(ctx, t, addresses); err != nil {
			return err
		}
		for process := range addresses {
			p := t.peers[process]
			p.linked, p.onHost = true, p.onHost || w.OnHost(process)
		}
		if len(addresses) > 0 {
			t.ways = append(t.ways, w)
		}
	}
	if len(t.ways) == 0 {
		return nil
	}
	t.far = false
	here := t.place.Last - t.place.First
	onHost := here
	for _, p := range t.others {
		t.far = t.far || !p.linked
		if p.onHost {
			onHost += p.place.Last - p.place.First
		}
		p.sent.whenClosed(func() { t.unlink(p.place.Process) })
	}
	t.policy = idle.PolicyFor(here, onHost)
	if !slices.ContainsFunc(t.ways, Way.LooksAtMemory) {
		t.policy.YieldAsOverTCP()
	}
	for i, p := range t.ports {
		t.ends[i] = newFastPort(p, t.place.First+i)
	}
	return nil
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
