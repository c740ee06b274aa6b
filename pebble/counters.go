package pebble

import "github.com/activepebbles/pebbles/coalesce"

// Counters counts the work of one rank since the job began.
type Counters = coalesce.Counters

// Memory is the memory of one rank for pebbles that wait or travel, in bytes.
type Memory = coalesce.Memory

// Counters counts the work of this rank since the job began.
func (r *Rank) Counters() Counters { return r.engine.Account("Counters was called").Count }

// Memory is the memory that the rank holds now, and its peak.
func (r *Rank) Memory() Memory { return r.engine.Account("Memory was called").Memory() }
