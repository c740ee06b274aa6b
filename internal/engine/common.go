package engine

import "sync"

// common is what the ranks of one process have in common, by target and number.
type common struct {
	mu   sync.Mutex
	held map[commonKey]any
}

type commonKey struct {
	target uint16
	number int
}

func (c *common) get(target uint16, number int, make func() any) any {
	c.mu.Lock()
	defer c.mu.Unlock()
	key := commonKey{target, number}
	v, ok := c.held[key]
	if !ok {
		if c.held == nil {
			c.held = map[commonKey]any{}
		}
		v = make()
		c.held[key] = v
	}
	return v
}
