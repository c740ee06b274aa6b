// Package population has the people and the locations of a contagion simulation, and who visits which location when.
// A [Schedule] is read from files and kept in memory; a [Town] is made on the fly, by random numbers that need none;
// a [Grid] is a town as Loimos makes it. [Curve] spreads people and locations over ranks so that what is near stays
// together.
package population

// Population is people, locations, and visits. Both are numbered from 0. It never changes, so that all ranks of a
// process share one, and call it at the same time.
type Population interface {
	// Name says what it is, in a few words.
	Name() string
	People() int
	Locations() int
	// Days is after how many days the visits begin anew.
	Days() int
	// Visits appends the visits of a person on a day of 0 to Days−1 to dst, in no order, and returns it.
	Visits(dst []Visit, person, day int) []Visit
	// Age is that of a person in years, below 0 if it is not known.
	Age(person int) int
	// Home is the location that a person is near to.
	Home(person int) int
	// Where is the place of a location on a map; not ok if there is none.
	Where(location int) (x, y float64, ok bool)
	// Crowd is how many persons are in a location at one time at most, 0 if that is not known.
	Crowd(location int) int
	// Kinds are the kinds that locations may be of, such as "school".
	Kinds() []string
	// Is reports whether a location is of a kind.
	Is(location int, kind string) bool
	// PersonID and LocationID are what files call a person and a location.
	PersonID(person int) int64
	LocationID(location int) int64
}

// Visit is one person's visit to a location. Persons meet at one place of a location, if their times overlap. Times
// are in seconds since midnight, the arrival before the departure.
type Visit struct {
	Location, Place uint32
	Arrive, Depart  int32
}

// most is how many people, and how many locations, there may be: pebbles number them by 32 bits.
const most = 1<<32 - 2
