// Package pmitest is a process manager that speaks PMI-1, for tests of its clients.
package pmitest

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
)

// Manager is a launcher as seen by its processes. The fields must be set before the first connection.
type Manager struct {
	Processes int
	// Answer may change an answer, or close the connection by returning "". Many goroutines may call it; nil leaves all
	// unchanged.
	Answer func(process int, request, answer string) string

	mu      sync.Mutex
	put     map[string]string
	waiting []io.Writer // in a barrier
	served  sync.WaitGroup
}

// Connect returns a process's end of a new connection.
func (m *Manager) Connect(process int) net.Conn {
	theirs, ours := net.Pipe()
	m.served.Go(func() {
		defer ours.Close()
		m.serve(process, ours)
	})
	return theirs
}

// Wait returns when all connections have been closed.
func (m *Manager) Wait() { m.served.Wait() }

// Put returns all values that were put.
func (m *Manager) Put() (all string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for k, v := range m.put {
		all += k + "=" + v + "\n"
	}
	return all
}

func (m *Manager) serve(process int, conn net.Conn) {
	for lines := bufio.NewScanner(conn); lines.Scan(); {
		request := lines.Text()
		a := m.answer(request)
		if m.Answer != nil {
			if a = m.Answer(process, request, a); a == "" {
				return
			}
		}
		if strings.HasPrefix(a, "cmd=barrier_out") {
			m.barrier(conn, a)
			continue
		}
		if _, err := io.WriteString(conn, a+"\n"); err != nil {
			return
		}
	}
}

func (m *Manager) answer(request string) string {
	m.mu.Lock()
	defer m.mu.Unlock()
	var key, value string
	command, rest, _ := strings.Cut(request, " ")
	for word := range strings.FieldsSeq(rest) {
		switch name, text, _ := strings.Cut(word, "="); name {
		case "key":
			key = text
		case "value":
			value = text
		}
	}
	switch command {
	case "cmd=init":
		return "cmd=response_to_init pmi_version=1 pmi_subversion=1 rc=0"
	case "cmd=get_maxes":
		return "cmd=maxes kvsname_max=256 keylen_max=64 vallen_max=1024"
	case "cmd=get_my_kvsname":
		return "cmd=my_kvsname kvsname=kvs_test_0"
	case "cmd=put":
		if m.put == nil {
			m.put = make(map[string]string)
		}
		m.put[key] = value
		return "cmd=put_result rc=0 msg=success"
	case "cmd=get":
		if v, ok := m.put[key]; ok {
			return "cmd=get_result rc=0 msg=success value=" + v
		}
		return fmt.Sprintf("cmd=get_result rc=-1 msg=key_%s_not_found value=unknown", key)
	case "cmd=barrier_in":
		return "cmd=barrier_out rc=0"
	case "cmd=finalize":
		return "cmd=finalize_ack"
	}
	return "cmd=unknown"
}

func (m *Manager) barrier(conn io.Writer, answer string) {
	m.mu.Lock()
	m.waiting = append(m.waiting, conn)
	var free []io.Writer
	if len(m.waiting) == m.Processes {
		free, m.waiting = m.waiting, nil
	}
	m.mu.Unlock()
	for _, w := range free {
		_, _ = io.WriteString(w, answer+"\n") // one that has left needs none
	}
}
