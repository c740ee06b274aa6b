package alltoall

// generator makes a word of an item from the one before, by a step of a linear congruential generator; the word after
// the first follows from the first and the seed. Loops take its numbers into registers, which the compiler does not do
// with constants.
var generator = step{6364136223846793005, 1442695040888963407}

// fourth is four steps at once: a processor can begin with the words after the next four before those are known.
var fourth = generator.twice().twice()

// step is from a word of an item to a later one.
type step struct{ times, plus uint64 }

func (s step) twice() step { return step{s.times * s.times, s.times*s.plus + s.plus} }

// next is a step from a word.
func next(word uint64) uint64 { return word*generator.times + generator.plus }

// follow writes the words that come after a word.
func follow(words []uint64, word uint64) {
	one, four := generator, fourth
	i := 0
	for ; i < len(words)-3; i += 4 {
		some := words[i : i+4 : i+4]
		some[0] = word*one.times + one.plus
		some[1] = some[0]*one.times + one.plus
		some[2] = some[1]*one.times + one.plus
		word = word*four.times + four.plus
		some[3] = word
	}
	for ; i < len(words); i++ {
		word = word*one.times + one.plus
		words[i] = word
	}
}

// followed tells whether words are those that come after a word.
func followed(words []uint64, word uint64) bool {
	one, four := generator, fourth
	wrong, i := uint64(0), 0
	for ; i < len(words)-3; i += 4 {
		some := words[i : i+4 : i+4]
		first := word*one.times + one.plus
		second := first*one.times + one.plus
		third := second*one.times + one.plus
		word = word*four.times + four.plus
		wrong |= (some[0] ^ first) | (some[1] ^ second) | (some[2] ^ third) | (some[3] ^ word)
	}
	for ; i < len(words); i++ {
		word = word*one.times + one.plus
		wrong |= words[i] ^ word
	}
	return wrong == 0
}
