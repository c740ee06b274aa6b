package randomaccess

// Serial is RandomAccess without ranks, pebbles or any of this module's other code: the table that a job of so many
// ranks has after all updates, and its checksum. The configuration must pass Check.
func Serial(ranks int, c Config) (table []uint64, sum string) {
	c = c.withDefaults()
	table = make([]uint64, uint64(ranks)<<c.Log2Words)
	for i := range table {
		table[i] = uint64(i)
	}
	w := words{total: uint64(len(table)), own: c.words()}
	ran := uint64(1)
	for range c.updates() * uint64(ranks) {
		ran = next(ran)
		table[w.key(ran)] ^= ran
	}
	return table, digits(checksum(table, 0))
}
