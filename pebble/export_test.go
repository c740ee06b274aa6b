package pebble

// StartCounters lets a test begin the counts of frames next to a wrap.
func StartCounters(c *Config, n uint64) { c.counterStart = n }
