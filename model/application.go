package model

import "fmt"

// Application is what a pebble of one application costs, in seconds of a processor, as it was measured in that
// application with work of one size: its handler's misses of the cache, and what the program does to make it, are in
// it.
type Application struct {
	Send   float64 `json:"send"`   // where it is made, with what finds its owner and hop
	Handle float64 `json:"handle"` // where it is handled
	Spread float64 `json:"spread"` // half of the repeats are nearer to the median, as part of it
}

// Cores is what the ranks of a host share.
type Cores struct {
	Count         int     `json:"count"`          // of a host; 0: not known
	Switch        float64 `json:"switch"`         // seconds until a core continues with another rank of its process
	ProcessSwitch float64 `json:"process_switch"` // and with one of another process
	// seconds that a process has a core at most while another one waits for it; 0: not known
	Slice float64 `json:"slice"`
}

func (c Cores) check() error {
	if c.Count < 0 {
		return fmt.Errorf("model: %d cores: give a positive number, or 0", c.Count)
	}
	if err := checkSeconds(c); err != nil {
		return fmt.Errorf("model: cores: %w", err)
	}
	return nil
}
