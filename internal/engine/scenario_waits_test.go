package engine

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/activepebbles/pebbles/internal/collective"
	"github.com/activepebbles/pebbles/internal/scenario"
)

// collective makes ranks take part in one, with their numbers as values.
func (s *script) collective(c *scenario.Command) {
	name, root, typed := c.Word("collective"), c.Int("root", 0), c.Has("signed")
	for _, m := range s.each(c) {
		of := Values{Type: reflect.TypeFor[uint64]()}
		if typed && m.id > 0 {
			of.Type = reflect.TypeFor[int64]()
		}
		m.does(c, func() {
			told, err := m.takePart(name, root, of)
			if err != nil {
				m.say("leaves %s%s", name, s.failure(err))
				return
			}
			m.say("gets from %s: %s", name, told)
		})
	}
}

func (m *member) takePart(name string, root int, of Values) (told string, err error) {
	r, value := m.rank, binary.LittleEndian.AppendUint64(nil, uint64(10+m.id))
	text := []byte(strings.Repeat(string(rune('a'+m.id)), m.id+1))
	number := func(b []byte) string {
		if len(b) == 0 {
			return "nothing"
		}
		return fmt.Sprint(binary.LittleEndian.Uint64(b))
	}
	sum := func(into, from []byte) {
		binary.LittleEndian.PutUint64(into, binary.LittleEndian.Uint64(into)+binary.LittleEndian.Uint64(from))
	}
	join := func(own, from []byte) []byte { return append(append([]byte{}, from...), own...) }
	var all [][]byte
	switch name {
	case "barrier":
		return "all are there", r.Collectives.Barrier()
	case "allreduce":
		value, err = r.Collectives.AllReduce(of, value, sum)
	case "scan":
		value, err = r.Collectives.Scan(of, value, sum)
	case "broadcast":
		value, err = r.Collectives.Broadcast(of, root, value)
	case "allgather":
		value, err = r.Collectives.AllGather(of, value)
		return fmt.Sprint(len(value)/8, " values, the first is ", number(value)), err
	case "fold":
		text, err = r.Collectives.AllFold(of, text, join)
		return fmt.Sprint(len(text), " letters"), err
	case "scanfold":
		text, err = r.Collectives.ScanFold(of, text, join)
		return cmp.Or(string(text), "nothing"), err
	case "gather":
		all, err = r.Collectives.Gather(of, root, text)
		return fmt.Sprintf("%s", all), err
	case "allgatherv":
		all, err = r.Collectives.AllGatherV(of, text)
		return fmt.Sprintf("%s", all), err
	case "share", "share-flat":
		var records []byte
		records, err = r.Collectives.Share(r.Collectives.Sharing(name == "share-flat"), collective.AppendRecord(nil, text))
		for rank, v := range collective.Records(records, r.Size()) {
			told += fmt.Sprintf("%s of rank %d ", v, rank)
		}
		return strings.TrimSpace(told), err
	default:
		err = errors.New("there is no such collective")
	}
	return number(value), err
}

// await makes the main function of a rank wait for an answer.
func (s *script) await(c *scenario.Command) {
	m, others, between := s.one(c), c.Has("others"), c.Has("between")
	failure := c.Time("failure")
	done := func() bool { return m.answers }
	m.does(c, func() {
		m.answers = false
		switch {
		case failure > 0:
			m.rank.Loop.AwaitFailure(failure)
			m.say("has heard of no failure")
			return
		case others:
			m.rank.AwaitOthers("Lock", done)
		case between:
			m.rank.Loop.AwaitBetween("Wait", done)
		default:
			m.rank.Loop.Await("Call", done)
		}
		m.say("has its answer: %v", m.answers)
	})
}

func (s *script) answer(c *scenario.Command) {
	m := s.one(c)
	m.answers = true
	m.wake()
}

// post makes a rank post a message, or take posted messages.
func (s *script) post(c *scenario.Command) {
	m, to := s.one(c), c.Int("to", -1)
	m.does(c, func() {
		if to >= 0 {
			m.rank.Exposed.Post(to, []byte{7})
			return
		}
		m.rank.Exposed.Posts(func(from int, value []byte) { m.say("takes message %d from rank %d", value[0], from) })
	})
}

// operation begins an operation on exposed memory, or ends it.
func (s *script) operation(c *scenario.Command) {
	m := s.one(c)
	switch what := c.Word("what it does"); what {
	case "begins":
		m.does(c, func() {
			m.rank.Exposed.OneSided(func() error { return m.fault })
			m.open++
		})
	case "ends", "fails":
		m.open--
		m.wake()
		if what == "fails" {
			m.fault = errors.New("Put of 8 bytes: nobody has exposed them")
		}
	}
}
