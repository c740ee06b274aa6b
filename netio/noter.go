package netio

// Noter is implemented by transports that connect several processes. Notes are messages about processes, for people to
// read. They travel beside all frames and wait for no rank. A job does not depend on them.
type Noter interface {
	// Notes registers take as the handler of arriving notes. Any goroutine may call take, which must neither wait nor
	// keep note. The transport drops notes that arrive before the call of Notes.
	Notes(take func(process int, note []byte))
	// Note sends a note to another process, and returns immediately. It drops a note that is longer than NoteBytesMax,
	// or for a process that is lost or has finished. Any goroutine may call it.
	Note(process int, note []byte)
}

// Connected is implemented by transports that connect several processes.
type Connected interface {
	// Connections is how many connections this process has with others now. Any goroutine may call it.
	Connections() int
}

// NoteBytesMax bounds a note, in bytes.
const NoteBytesMax = 4 << 20
