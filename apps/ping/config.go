package ping

import (
	"cmp"
	"fmt"
	"math/bits"
)

// Config is what a run can be told. The zero value is a run with all defaults.
type Config struct {
	// Bytes is the size of a message, a power of two from 8 to 4,096. 0 is 32.
	Bytes int
	// Messages is how many each sender sends. 0 is as many as make 64 MiB, or a million when that is less.
	Messages uint64
	// Seed names the contents of the messages. All ranks must be given the same.
	Seed uint64
	// Progress, when not nil, is called on rank 0 now and then with the messages that it has sent, and will send.
	Progress func(done, total uint64)
}

const (
	bytesDefault = 32
	bytesLeast   = 8
	bytesMost    = 4096
	messagesMost = 1 << 40 // of a sender: their numbers have so many bits
	ranksMost    = 1 << 24
)

func (c Config) withDefaults() Config {
	c.Bytes = c.size()
	c.Messages = cmp.Or(c.Messages, min(1<<20, uint64(64<<20/c.Bytes)))
	return c
}

// Check returns an error that says what is wrong with c for a job of so many ranks.
func (c Config) Check(ranks int) error {
	switch bytes := c.size(); {
	case ranks <= 0 || ranks > ranksMost:
		return fmt.Errorf("ping: %d ranks: a job has 1 to %d", ranks, ranksMost)
	case bytes < bytesLeast || bytes > bytesMost || bits.OnesCount(uint(bytes)) != 1:
		return fmt.Errorf("ping: messages of %d bytes: give a power of two from %d to %d", bytes, bytesLeast, bytesMost)
	case c.Messages > messagesMost:
		return fmt.Errorf("ping: %d messages are too many: give at most %d", c.Messages, uint64(messagesMost))
	}
	return nil
}

// size is that of a message.
func (c Config) size() int {
	return cmp.Or(c.Bytes, bytesDefault)
}
