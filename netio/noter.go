package netio

// Noter is what a transport offers besides when it connects several processes: notes, which processes tell each other
// of themselves. They travel beside all frames and wait for no rank. They are for what helps people: nothing is done by
// them that a job depends on.
type Noter interface {
	// Notes has take called with each note that arrives, from any goroutine. It must not wait; the note is good until it
	// returns. Notes that come before that are dropped.
	Notes(take func(process int, note []byte))
	// Note sends a note to another process, and returns at once. A note longer than NoteBytesMax is dropped, and so is
	// one to a process that is lost or has finished. Any goroutine may call it.
	Note(process int, note []byte)
}

// NoteBytesMax bounds a note, in bytes.
const NoteBytesMax = 4 << 20
