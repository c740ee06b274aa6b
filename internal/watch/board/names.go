package board

import "sync"

// Name is a name in the table of the process: events have numbers in place of texts.
type Name uint32

// names is the table. What programs name is few; beyond namesMost all are called the same.
var names = struct {
	sync.RWMutex
	texts   []string
	numbers map[string]Name
}{texts: []string{""}, numbers: map[string]Name{"": 0}}

const namesMost = 4096

// lastName is the last name that a rank has asked for: programs name the same epoch again and again.
type lastName struct {
	text string
	name Name
}

// Named is the number of a name.
func (b *Board) Named(text string) Name {
	if b.names.text != text {
		b.names = lastName{text, nameOf(text)}
	}
	return b.names.name
}

func nameOf(text string) Name {
	names.Lock()
	defer names.Unlock()
	n, ok := names.numbers[text]
	if !ok && len(names.texts) < namesMost {
		n = Name(len(names.texts))
		names.texts = append(names.texts, text)
		names.numbers[text] = n
	}
	return n
}

// String is the name.
func (n Name) String() string {
	names.RLock()
	defer names.RUnlock()
	if int(n) >= len(names.texts) {
		return ""
	}
	return names.texts[n]
}

// kindNames are the names of kinds from Collective on.
var kindNames []string

// NameCollectives says what collectives are called, by what they are for: once, before any board is read.
func NameCollectives(all []string) { kindNames = all }

// String is the kind in a word.
func (k Kind) String() string {
	switch k {
	case none:
		return ""
	case Parked:
		return "wait"
	case Failed:
		return "failed"
	case Epoch:
		return "epoch"
	}
	if n := int(k - Collective); n < len(kindNames) {
		return kindNames[n]
	}
	return "collective"
}
