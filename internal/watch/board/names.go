package board

// Name is a name in the table of the process: events hold numbers instead of texts.
type Name uint32

// names is the table. Programs use few names. Names beyond the limit are empty.
var names = interned[string]{most: 4096}

// lastName is the last name that a rank has looked up: programs often repeat the name of an epoch.
type lastName struct {
	text string
	name Name
}

// Named returns the number of a name.
func (b *Board) Named(text string) Name {
	if text == "" {
		return 0
	}
	if b.names.text != text {
		b.names = lastName{text, Name(names.number(text))}
	}
	return b.names.name
}

// String returns the text of the name.
func (n Name) String() string { return names.of(uint32(n)) }

// kindNames are the names of kinds from Collective on.
var kindNames []string

// NameCollectives sets the names of collectives, by their purpose. Call it once, before any board is read.
func NameCollectives(all []string) { kindNames = all }

// String returns a word for the kind.
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
