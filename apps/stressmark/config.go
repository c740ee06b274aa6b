package stressmark

import "fmt"

// PointerConfig is what a run of Pointer or of Update can be told. The zero value is a run with all defaults.
type PointerConfig struct {
	// Words are those of the array, 2^4 to 2^24, of 8 bytes. 0 is 2^18.
	Words uint64
	// Window is how many words each hop reads, an odd number from 1 to 15. 0 is 7.
	Window int
	// Hops is how many there are at most of a chase, to 2^40. 0 is 4096.
	Hops uint64
	// Stop is how many indices end a chase, up to Words - Window; where they are is random. 0 is one in 1024, and at least
	// one.
	Stop uint64
	// Seed names the words, and where chases start and stop. All ranks must be given the same.
	Seed uint64
	// Progress, when not nil, is called on rank 0 now and then with its hops, and how many there are at most.
	Progress func(done, total uint64)
}

// sizes of all stressmarks.
const (
	sizeMin = 1 << 4
	sizeMax = 1 << 24

	windowMax = 15
	hopsMax   = 1 << 40
)

func (c PointerConfig) withDefaults() PointerConfig {
	fill(&c.Words, 1<<18)
	fill(&c.Window, 7)
	fill(&c.Hops, 4096)
	fill(&c.Stop, max(1, c.Words/1024))
	return c
}

// fill sets what was not given.
func fill[T int | uint64](v *T, standard T) {
	if *v == 0 {
		*v = standard
	}
}

// Check returns an error that says what is wrong with c.
func (c PointerConfig) Check() error {
	c = c.withDefaults()
	switch {
	case c.Words < sizeMin || c.Words > sizeMax:
		return fmt.Errorf("stressmark: a field of %d words: give %d to %d", c.Words, sizeMin, sizeMax)
	case c.Window < 1 || c.Window > windowMax || c.Window%2 == 0:
		return fmt.Errorf("stressmark: a window of %d words, which is to have a median: give an odd number from 1 to %d", c.Window, windowMax)
	case c.Hops > hopsMax:
		return fmt.Errorf("stressmark: %d hops are too many: give at most %d", c.Hops, uint64(hopsMax))
	case c.Stop > c.starts():
		return fmt.Errorf("stressmark: %d indices that end a chase, and there are %d: give fewer", c.Stop, c.starts())
	}
	return nil
}

// starts is how many indices windows begin at.
func (c PointerConfig) starts() uint64 { return c.Words - uint64(c.Window) }

// FieldConfig is what a run of Field can be told. The zero value is a run with all defaults.
type FieldConfig struct {
	// Bytes are those of the field, 2^4 to 2^24. 0 is 2^18.
	Bytes uint64
	// Tokens is how many are searched for, 1 to 256, one after the other. 0 is 16.
	Tokens int
	// TokenBytes is how long tokens are at most, 1 to 8 bytes; each has a random length. 0 is 4.
	TokenBytes int
	// Offset is how far on the bytes are that change those of a delimiter, 1 to 65535. 0 is 1021.
	Offset int
	// Values is how many values a byte has, 2 to 256. 0 is 256. With few of them even long tokens are often met.
	Values int
	// Seed names field and tokens. All ranks must be given the same.
	Seed uint64
	// Progress, when not nil, is called on rank 0 with the tokens that were searched for, and that will be.
	Progress func(done, total uint64)
}

const (
	tokensMax     = 256
	tokenBytesMax = 8
	offsetMax     = 65535
	valuesMax     = 256
)

func (c FieldConfig) withDefaults() FieldConfig {
	fill(&c.Bytes, 1<<18)
	fill(&c.Tokens, 16)
	fill(&c.TokenBytes, 4)
	fill(&c.Offset, 1021)
	fill(&c.Values, valuesMax)
	return c
}

// Check returns an error that says what is wrong with c.
func (c FieldConfig) Check() error {
	c = c.withDefaults()
	switch {
	case c.Bytes < sizeMin || c.Bytes > sizeMax:
		return fmt.Errorf("stressmark: a field of %d bytes: give %d to %d", c.Bytes, sizeMin, sizeMax)
	case c.Tokens < 1 || c.Tokens > tokensMax:
		return fmt.Errorf("stressmark: %d tokens: give 1 to %d", c.Tokens, tokensMax)
	case c.TokenBytes < 1 || c.TokenBytes > tokenBytesMax:
		return fmt.Errorf("stressmark: tokens of %d bytes: give 1 to %d", c.TokenBytes, tokenBytesMax)
	case c.Offset < 1 || c.Offset > offsetMax:
		return fmt.Errorf("stressmark: an offset of %d bytes: give 1 to %d", c.Offset, offsetMax)
	case c.Values < 2 || c.Values > valuesMax:
		return fmt.Errorf("stressmark: bytes with %d values: give 2 to %d", c.Values, valuesMax)
	}
	return nil
}

// NeighborhoodConfig is what a run of Neighborhood can be told. The zero value is a run with all defaults.
type NeighborhoodConfig struct {
	// Side is how many rows the image has, and how many pixels each, of 2 bytes, up to 32768. 0 is 512.
	Side int
	// Bits are those of a pixel, 7 to 15. 0 is 8.
	Bits int
	// Lines are drawn into the image, at most 2^24. 0 is as many as the image has rows.
	Lines int
	// Short and Long are the distances of the pixels of a pair; Short is less than Long, and Long less than Side. 0 is 1,
	// and 10, or half of the side where that is less.
	Short, Long int
	// Seed names the image. All ranks must be given the same.
	Seed uint64
	// Progress, when not nil, is called on rank 0 now and then with the rows that it has been through, and that it has.
	Progress func(done, total uint64)
}

const (
	sideMin  = 4
	sideMax  = 32768
	bitsMin  = 7
	bitsMax  = 15
	linesMax = 1 << 24
)

func (c NeighborhoodConfig) withDefaults() NeighborhoodConfig {
	fill(&c.Side, 512)
	fill(&c.Bits, 8)
	fill(&c.Lines, c.Side)
	fill(&c.Short, 1)
	fill(&c.Long, min(10, c.Side/2))
	return c
}

// Check returns an error that says what is wrong with c.
func (c NeighborhoodConfig) Check() error {
	c = c.withDefaults()
	switch {
	case c.Side < sideMin || c.Side > sideMax:
		return fmt.Errorf("stressmark: an image of %d pixels a side: give %d to %d", c.Side, sideMin, sideMax)
	case c.Bits < bitsMin || c.Bits > bitsMax:
		return fmt.Errorf("stressmark: pixels of %d bits: give %d to %d", c.Bits, bitsMin, bitsMax)
	case c.Lines < 1 || c.Lines > linesMax:
		return fmt.Errorf("stressmark: %d lines: give 1 to %d", c.Lines, linesMax)
	case c.Short < 1 || c.Short >= c.Long || c.Long >= c.Side:
		return fmt.Errorf("stressmark: distances %d and %d in an image of %d pixels a side: give a short one of 1 or more, and a long one between that and the side",
			c.Short, c.Long, c.Side)
	}
	return nil
}
