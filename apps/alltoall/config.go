package alltoall

import "fmt"

// Config is what a run of the all-to-all can be told. The zero value is a run with all defaults.
type Config struct {
	// Bytes is the size of an item, up to 64 KiB. 0 is 32.
	Bytes int
	// Rounds is how many items each rank sends to each other. 0 is as many as make about a million items a rank, or 64 MiB
	// when that is less.
	Rounds uint64
	// Seed names the bytes of the items. All ranks must be given the same.
	Seed uint64
	// Progress, when not nil, is called on rank 0 now and then with the number of items that rank 0 has sent, and will
	// have sent at the end.
	Progress func(done, total uint64)
}

const (
	bytesDefault = 32
	bytesMax     = 64 << 10
	itemsMost    = 1 << 20  // of a rank, when nobody says how many
	volumeMost   = 64 << 20 // and their bytes
	itemsMax     = 1 << 60  // of the whole job
)

func (c Config) withDefaults(ranks int) Config {
	if c.Bytes == 0 {
		c.Bytes = bytesDefault
	}
	if c.Rounds == 0 {
		items := min(itemsMost, volumeMost/max(1, c.Bytes))
		c.Rounds = uint64(max(1, items/max(1, ranks-1)))
	}
	return c
}

// Check returns an error that says what is wrong with c for a job of so many ranks.
func (c Config) Check(ranks int) error {
	switch {
	case ranks <= 0:
		return fmt.Errorf("alltoall: %d ranks: a job has at least one", ranks)
	case c.Bytes < 0 || c.Bytes > bytesMax:
		return fmt.Errorf("alltoall: items of %d bytes: give 1 to %d, or 0 for %d", c.Bytes, bytesMax, bytesDefault)
	case c.withDefaults(ranks).Rounds > itemsMax/uint64(ranks)/uint64(ranks):
		return fmt.Errorf("alltoall: %d rounds of %d ranks are too many: give less", c.Rounds, ranks)
	}
	return nil
}
