package netio

// Noter is implemented by transports that connect several processes. Notes are messages about processes, for people to
// read: they travel beside all frames, wait for no rank, and a job does not depend on them.
type Noter interface {
	// Notes registers take as the handler of arriving notes. Any goroutine may call take, which must not wait and must not
	// keep note. Notes that arrive before the call of Notes are dropped.
	Notes(take func(process int, note []byte))
	// Note sends a note to another process, and returns at once. A note longer than NoteBytesMax is dropped, and so is
	// one to a process that is lost or has finished. Any goroutine may call it.
	Note(process int, note []byte)
}

// NoteBytesMax bounds a note, in bytes.
const NoteBytesMax = 4 << 20
