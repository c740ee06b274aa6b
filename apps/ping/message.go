package ping

// message is a message: all of its bytes are words, of which the first is its head.
type message interface {
	[1]uint64 | [2]uint64 | [4]uint64 | [8]uint64 | [16]uint64 | [32]uint64 | [64]uint64 | [128]uint64 | [256]uint64 | [512]uint64
}

// A head says to which rank a message goes, and the how manieth of its sender it is, from 0 on.
const rankBits = 24

func head(to, number uint64) uint64 { return number<<rankBits | to }

// contents are the words of messages behind their heads: a number that follows from the message's own, and one more in
// each word.
type contents struct{ seed uint64 }

// first is the word behind the head.
func (c contents) first(number uint64) uint64 { return (number + c.seed) * 0x9E3779B97F4A7C15 }

// fill makes messages from a number on.
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

// sum is that of all words of a stream of n messages: what fill makes, added up by formula.
func (c contents) sum(to, n uint64, words int) uint64 {
	numbers := n / 2 * (n - 1) // the sum of 0 to n-1
	if n%2 == 1 {
		numbers = (n - 1) / 2 * n
	}
	behind := uint64(words - 1)
	firsts := (numbers + n*c.seed) * 0x9E3779B97F4A7C15
	steps := uint64(0) // how much more the words behind a first one are, in each message
	for w := range behind {
		steps += w
	}
	return numbers<<rankBits + n*to + behind*firsts + n*steps
}
