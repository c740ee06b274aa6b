package reduction

// verify counts the keys of this rank that have not the total of the closed formula, and works out the marks of their
// pebbles. It sends nothing.
func (b *bench) verify() error {
	items := b.config.Items * uint64(b.rank.Size())
	b.errors = wrong(b.totals, b.firstKey(), b.config.Keys, items, b.config.Kind)
	for i := range b.totals {
		key := b.firstKey() + uint64(i)
		b.tally.Sum += sequenceOf(key, b.config.Keys, items).marks(b.config.Kind, key)
	}
	return nil
}

func wrong(totals []Total, first, keys, items uint64, kind string) (errors uint64) {
	for i, t := range totals {
		if t != sequenceOf(first+uint64(i), keys, items).total(kind) {
			errors++
		}
	}
	return errors
}
