package reduction

// Serial is the reduction without ranks and pebbles: the totals of all keys that a job of so many ranks has. The
// configuration must pass Check.
func Serial(ranks int, c Config) []Total {
	c = c.withDefaults(0)
	totals := make([]Total, c.Keys)
	for n := range c.Items * uint64(ranks) {
		t := &totals[n%c.Keys]
		switch c.Kind {
		case "count":
			t.Count++
		case "max":
			t.Value = max(t.Value, n+1)
		case "distinct":
			t.Value |= 1 << (n / c.Keys % values)
		default:
			t.Count++
			t.Value += n + 1
		}
	}
	return totals
}
