package tune

import "fmt"

// Setting is what a tuner chooses.
type Setting struct {
	Topology string `json:"topology"` // as route.ByName takes it
	Coalesce int    `json:"coalesce"` // pebbles a buffer
	Cache    int    `json:"cache"`    // entries of the reduction cache, 0 for none
}

// String describes the setting.
func (s Setting) String() string {
	cache := "no cache"
	if s.Cache > 0 {
		cache = fmt.Sprintf("a cache of %d entries", s.Cache)
	}
	return fmt.Sprintf("%s topology, %d pebbles a buffer, %s", s.Topology, s.Coalesce, cache)
}

func (s Setting) check() error {
	switch {
	case s.Topology == "":
		return fmt.Errorf("the topology has no name")
	case s.Coalesce < 1:
		return fmt.Errorf("coalescing factor %d: a buffer holds at least one pebble", s.Coalesce)
	case s.Cache < 0:
		return fmt.Errorf("a cache of %d entries: give a positive number, or 0 for none", s.Cache)
	}
	return nil
}

// Change describes what differs between two settings.
func Change(from, to Setting) string {
	text := ""
	add := func(name string, from, to any) {
		if from != to {
			text += fmt.Sprintf(", %s %v -> %v", name, from, to)
		}
	}
	add("topology", from.Topology, to.Topology)
	add("coalesce", from.Coalesce, to.Coalesce)
	add("cache", from.Cache, to.Cache)
	if text == "" {
		return "no change"
	}
	return text[2:]
}
