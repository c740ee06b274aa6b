package permutation

// verify counts the elements of this rank's block of the result that are not where the seed wants them. It sends
// nothing, so it can't fail as the kernel might have.
func (b *bench) verify() error {
	b.errors = wrong(b.out, b.first(), b.orders)
	return nil
}

// wrong counts the elements from first on of a result that do not hold the i with perm[data[i]] = their place. When
// none does, no i is anywhere else either: perm and data are bijections.
func wrong(out []uint64, first uint64, o orders) (errors uint64) {
	n := o.data.Len()
	for place, i := range out {
		if i >= n || o.permAt(o.dataAt(i)) != first+uint64(place) {
			errors++
		}
	}
	return errors
}
