package model

import (
	"cmp"
	"fmt"
)

// Parameters are what a machine and its runtime cost. All times are in seconds.
type Parameters struct {
	Process Link `json:"process"` // between ranks of one process
	Host    Link `json:"host"`    // between processes of one host
	Network Link `json:"network"` // between hosts
	// Interfaces is how many network interfaces a host has, which its ranks share: when r ranks of a host send at once,
	// gap and bytes of each take r/Interfaces times as long. 0: each rank has one of its own, as LogGP takes it.
	Interfaces int    `json:"interfaces"`
	Pebble     Pebble `json:"pebble"`
	// of both ends together, beside the overheads: making a frame, taking it in, its credit
	Frame float64 `json:"frame"`
	Cores Cores   `json:"cores"` // for simulations: predictions by formula leave them out
}

// Pebble is what a pebble costs the processor of a rank, in seconds: the overhead o_p of the paper (Active Pebbles,
// section 3) without that of frames.
type Pebble struct {
	Send    float64 `json:"send"`    // to find its owner and hop, and to store it in a buffer
	Handle  float64 `json:"handle"`  // to hand it to a handler that does next to nothing
	Forward float64 `json:"forward"` // to pass it on at a hop
	Look    float64 `json:"look"`    // c: to look it up in a reduction cache (Active Pebbles, section 3.5)
}

// Link is that of a class.
func (p *Parameters) Link(c Class) Link { return [...]Link{p.Process, p.Host, p.Network}[c] }

// Check returns an error for impossible values.
func (p *Parameters) Check() error {
	for c := range classes {
		if err := checkSeconds(p.Link(c)); err != nil {
			return fmt.Errorf("model: link %q: %w", c, err)
		}
	}
	if err := cmp.Or(checkSeconds(p.Pebble), checkTime("frame", p.Frame)); err != nil {
		return fmt.Errorf("model: cost %w", err)
	}
	if err := p.Cores.check(); err != nil {
		return err
	}
	if p.Interfaces < 0 {
		return fmt.Errorf("model: %d interfaces a host: give a positive number, or 0 for one a rank", p.Interfaces)
	}
	return nil
}

// Over are the parameters of a machine whose processes all talk over the network's link, as those of one host do by
// TCP.
func (p Parameters) Over(c Class) Parameters {
	p.Host = p.Link(c)
	return p
}
