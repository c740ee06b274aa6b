// Package ping measures streams of messages on Active Pebbles for Go, as Grappa's ping test does (Nelson and others,
// 2014, section 8.2 and figure 10). Each rank of the first half of a job sends messages to one rank of the second half,
// as fast as it can. With a coalescing factor of 1 each message is a frame; with others they share frames. Messages
// have 8 bytes to 4 KiB, and the receiver reads all of them: it checks their number and the sum of words.
package ping

import (
	"cmp"
	"fmt"
	"math/bits"

	"github.com/activepebbles/pebbles/apps"
	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/target"
)

// Config configures a run, as described in package apps.
type Config struct {
	apps.Common        // Seed determines the contents of the messages; Progress counts messages that rank 0 has sent
	Bytes       int    // of a message, a power of two from 8 to 4,096. 0 means 32
	Messages    uint64 // of each sender. 0 means 64 MiB of messages, or a million messages if that is less
}

const (
	bytesLeast   = 8
	bytesMost    = 4096
	messagesMost = 1 << 40 // of a sender: the number of bits of a message's number
	ranksMost    = 1 << 24
)

func (c Config) withDefaults() Config {
	c.Bytes = cmp.Or(c.Bytes, 32)
	c.Messages = cmp.Or(c.Messages, min(1<<20, uint64(64<<20/max(1, c.Bytes))))
	return c
}

// Check returns an error if c is invalid for a job of this number of ranks.
func (c Config) Check(ranks int) error {
	switch bytes := c.withDefaults().Bytes; {
	case ranks > ranksMost:
		return fmt.Errorf("ping: %d ranks: a job has 1 to %d", ranks, ranksMost)
	case bytes < bytesLeast || bytes > bytesMost || bits.OnesCount(uint(bytes)) != 1:
		return fmt.Errorf("ping: messages of %d bytes: give a power of two from %d to %d", bytes, bytesLeast, bytesMost)
	case c.Messages > messagesMost:
		return fmt.Errorf("ping: %d messages are too many: give at most %d", c.Messages, uint64(messagesMost))
	}
	return nil
}

// message is a message: all of its bytes are words, and the first word is its head.
type message interface {
	[1]uint64 | [2]uint64 | [4]uint64 | [8]uint64 | [16]uint64 | [32]uint64 |
		[64]uint64 | [128]uint64 | [256]uint64 | [512]uint64
}

// A head is the rank that a message goes to, and the number of the message at its sender, from 0 on.
const rankBits = 24

func head(to, number uint64) uint64 { return number<<rankBits | to }

// contents makes the words of messages after their heads: the first follows from the message's number, and each other
// word is one more than the word before.
type contents struct{ seed uint64 }

// first returns the word after the head.
func (c contents) first(number uint64) uint64 { return (number + c.seed) * 0x9E3779B97F4A7C15 }

// fill makes messages with consecutive numbers from number on.
func fill[M message](ms []M, c contents, to, number uint64) {
	for i := range ms {
		m := &ms[i]
		word := c.first(number)
		(*m)[0] = head(to, number)
		for w := 1; w < len(*m); w++ {
			(*m)[w] = word
			word++
		}
		number++
	}
}

// sum returns the sum of all words of a stream of n messages, as made by fill, by a formula.
func (c contents) sum(to, n uint64, words int) uint64 {
	numbers := n / 2 * (n - 1) // the sum of 0 to n-1
	if n%2 == 1 {
		numbers = (n - 1) / 2 * n
	}
	behind := uint64(words - 1)
	firsts := (numbers + n*c.seed) * 0x9E3779B97F4A7C15
	steps := uint64(0) // in each message: sum of the differences to the first word after the head
	for w := range behind {
		steps += w
	}
	return numbers<<rankBits + n*to + behind*firsts + n*steps
}

// Result is the report of a run.
type Result struct {
	apps.Report
	Bytes             int     `json:"bytes"`    // of a message
	Messages          uint64  `json:"messages"` // of all streams
	Streams           int     `json:"streams"`
	MessagesPerSecond float64 `json:"messages_per_second"`
	BytesPerSecond    float64 `json:"bytes_per_second"`
}

// Rows returns labels and values of the result for display.
func (r Result) Rows() [][2]string {
	streams := "1 stream"
	if r.Streams > 1 {
		streams = fmt.Sprintf("%d streams", r.Streams)
	}
	return [][2]string{
		{"messages", fmt.Sprintf("%d of %d bytes in %s", r.Messages, r.Bytes, streams)},
		{"messages a second", fmt.Sprintf("%.4g million", r.MessagesPerSecond/1e6)},
		{"bytes a second", fmt.Sprintf("%.4g billion", r.BytesPerSecond/1e9)},
	}
}

// Run runs the streams on a job, as described in package apps. It registers one target. The result's Errors include
// streams whose received messages differ from those sent.
func Run(r *pebble.Rank, c Config) (Result, error) {
	if err := c.Check(r.Size()); err != nil {
		return Result{}, err
	}
	return newBench(r, c.withDefaults()).run()
}

func (b *bench) run() (Result, error) {
	c, streams := b.config, b.streams.count()
	result := Result{
		Report: apps.NewReport(b.rank, "ping", c.Seed),
		Bytes:  c.Bytes, Messages: c.Messages * uint64(streams), Streams: streams,
	}
	result.Cache = 0
	err := result.RunPhases(b.rank, apps.Phases{
		Kernel: b.kernel(),
		Rate: func() {
			seconds := max(result.Seconds, 1e-9) // a coarse clock may not have moved
			result.MessagesPerSecond = float64(result.Messages) / seconds
			result.BytesPerSecond = result.MessagesPerSecond * float64(result.Bytes)
		},
		Wrong: func() (uint64, string) {
			return b.verify(), "streams went wrong: the sum of what came is not that of what was sent"
		},
		Tally: &b.tally,
	})
	return result, err
}

// bench is one rank's part of a run.
type bench struct {
	rank     *pebble.Rank
	config   Config
	contents contents
	streams  streams
	tally    apps.Tally
	sum      uint64 // of all received words
}

func newBench(r *pebble.Rank, c Config) *bench {
	return &bench{rank: r, config: c, contents: contents{c.Seed}, streams: streams{r.Size()}}
}

// streams pairs senders and receivers: the ranks of the first half of a job send to those of the second. Of an odd
// number of ranks, the middle one has no part; a single rank sends to itself.
type streams struct{ ranks int }

func (s streams) count() int { return max(1, s.ranks/2) }

// from returns the receiver of a rank's stream, and reports whether the rank sends.
func (s streams) from(rank int) (to int, sends bool) {
	return s.ranks - s.count() + rank, rank < s.count()
}

// to reports whether a rank receives a stream.
func (s streams) to(rank int) bool { return rank >= s.ranks-s.count() }

// kernel registers the target for messages of the configured size.
func (b *bench) kernel() func() error {
	switch b.config.Bytes {
	case 8:
		return kernel[[1]uint64](b)
	case 16:
		return kernel[[2]uint64](b)
	case 32:
		return kernel[[4]uint64](b)
	case 64:
		return kernel[[8]uint64](b)
	case 128:
		return kernel[[16]uint64](b)
	case 256:
		return kernel[[32]uint64](b)
	case 512:
		return kernel[[64]uint64](b)
	case 1024:
		return kernel[[128]uint64](b)
	case 2048:
		return kernel[[256]uint64](b)
	default:
		return kernel[[512]uint64](b)
	}
}

// chunkBytes is the number of bytes of messages made and sent at a time; they stay in the nearest cache.
const chunkBytes = 8 << 10

// kernel returns the timed part: one epoch that sends this rank's stream.
func kernel[M message](b *bench) func() error {
	self := uint64(b.rank.ID())
	t := target.New(b.rank, "message", distribution.Ranks(b.rank.Size()), target.Keys(func(ms []M, keys []uint64) {
		keys = keys[:len(ms)]
		for i := range ms {
			keys[i] = ms[i][0] & (1<<rankBits - 1)
		}
	}), target.Batch(func(ms []M) {
		sum := uint64(0)
		for i := range ms {
			m := &ms[i]
			b.tally.Take(0, (*m)[0]&(1<<rankBits-1) == self)
			for w := range len(*m) {
				sum += (*m)[w]
			}
		}
		b.sum += sum
	}))
	return func() error {
		return b.rank.Epoch(func() error {
			if to, sends := b.streams.from(b.rank.ID()); sends {
				stream(b, t.SendAll, uint64(to))
			}
			return nil
		}, pebble.Depth(1), pebble.Named("ping"))
	}
}

// stream sends this rank's messages.
func stream[M message](b *bench, sendAll func(ms []M), to uint64) {
	ms := make([]M, max(1, chunkBytes/b.config.Bytes))
	for number, all := uint64(0), b.config.Messages; number < all; {
		n := min(uint64(len(ms)), all-number)
		fill(ms[:n], b.contents, to, number)
		sendAll(ms[:n])
		number += n
		b.tally.Sent += n
		b.config.Progress.Passed(b.rank, progressEvery, number-n, number, all)
	}
}

const progressEvery = 1 << 16 // messages of rank 0 between two reports of progress

// verify returns 1 if the stream received here differs from the one sent.
func (b *bench) verify() uint64 {
	self, want := b.rank.ID(), uint64(0)
	if b.streams.to(self) {
		want = b.contents.sum(uint64(self), b.config.Messages, b.config.Bytes/8)
	}
	if b.sum != want {
		return 1
	}
	return 0
}

// Serial is the streams without a job. It returns, for each rank, the number of messages and the sum of their words.
func Serial(ranks int, c Config) (counts, sums []uint64) {
	c = c.withDefaults()
	s := streams{ranks}
	counts, sums = make([]uint64, ranks), make([]uint64, ranks)
	for rank := range s.count() {
		to, _ := s.from(rank)
		for number := range c.Messages {
			word := contents{c.Seed}.first(number)
			sums[to] += head(uint64(to), number)
			for range c.Bytes/8 - 1 {
				sums[to] += word
				word++
			}
			counts[to]++
		}
	}
	return counts, sums
}
