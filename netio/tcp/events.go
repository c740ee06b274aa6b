package tcp

import "sync"

// events takes what has gone wrong to the function given to [Transport.Start], and keeps it until there is one.
type events struct {
	mu     sync.Mutex
	failed func(error)
	kept   []error
	first  chan error // capacity 1: the first one
}

func newEvents() *events { return &events{first: make(chan error, 1)} }

func (e *events) tell(err error) {
	select {
	case e.first <- err:
	default:
	}
	e.mu.Lock()
	failed := e.failed
	if failed == nil {
		e.kept = append(e.kept, err)
	}
	e.mu.Unlock()
	if failed != nil {
		failed(err)
	}
}

func (e *events) start(failed func(error)) {
	e.mu.Lock()
	kept := e.kept
	e.failed, e.kept = failed, nil
	e.mu.Unlock()
	for _, err := range kept {
		failed(err)
	}
}
