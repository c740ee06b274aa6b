package board

// Name is a name in the table of the process: events have numbers in place of texts.
type Name uint32

// names is the table. What programs name is few; beyond these they have no name.
var names = interned[string]{most: 4096}

// lastName is the last name that a rank has asked for: programs name the same epoch again and again.
type lastName struct {
	text string
	name Name
}

// Named is the number of a name.
func (b *Board) Named(text string) Name {
	if text == "" {
		return 0
	}
	if b.names.text != text {
		b.names = lastName{text, Name(names.number(text))}
	}
	return b.names.name
}

// String is the name.
func (n Name) String() string { return names.of(uint32(n)) }

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
	case Epoch:
		return "epoch"
	}
	if n := int(k - Collective); n < len(kindNames) {
		return kindNames[n]
	}
	return "collective"
}
