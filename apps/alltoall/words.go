package alltoall

import "unsafe"

// words are the types of items of four words and more that travel as plain data.
type words interface {
	[4]uint64 | [8]uint64 | [16]uint64 | [64]uint64
}

// foursOf returns the number of fours of words of an item.
func foursOf[B words]() int { return int(unsafe.Sizeof(*new(B)) / 32) }

// fours returns four words of an item, from its word 4w on.
func fours[B words](it *B, w int) *[4]uint64 {
	return (*[4]uint64)(unsafe.Add(unsafe.Pointer(it), 32*w))
}

// generator makes a word of an item from the one before, by a step of a linear congruential generator. The second word
// follows from the first and the seed. Loops keep its numbers in registers, unlike constants.
var generator = step{6364136223846793005, 1442695040888963407}

// fourth is four steps at once: a processor can begin with the next four words before the present four are known.
var fourth = generator.twice().twice()

// step leads from a word of an item to a later one.
type step struct{ times, plus uint64 }

func (s step) twice() step { return step{s.times * s.times, s.times*s.plus + s.plus} }

// next returns the word after a word.
func next(word uint64) uint64 { return word*generator.times + generator.plus }
