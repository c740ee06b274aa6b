package delegate_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/apps/appstest"
	"github.com/activepebbles/pebbles/delegate"
	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/target"
	"github.com/activepebbles/pebbles/task"
)

// The codec of text rejects words that begin with a full stop.
type text struct{}

var errStop = errors.New("a full stop")

func (text) Append(dst []byte, word string) ([]byte, error) {
	if strings.HasPrefix(word, ".") {
		return nil, errStop
	}
	return append(dst, word...), nil
}

func (text) Decode(src []byte) (string, error) { return string(src), nil }

func (text) Schema() string { return "text" }

func length(word string) uint64 { return uint64(len(word)) }

// Strings are asked and answered in all ways, on the own rank and on others, and their memory is not retained.
func TestStrings(t *testing.T) {
	everywhere(t, func(_ *testing.T, r *pebble.Rank) error {
		s := task.New(r, task.Workers(20))
		owner := distribution.Cyclic(1000, r.Size())
		noted := 0
		twice := delegate.New(s, "twice", owner, length, func(word string) string { return word + word },
			delegate.Coded[string, string](text{}, text{}))
		back := delegate.New(s, "back", owner, length, func(word string) []byte { return []byte(word) },
			target.Coded(pebble.Strings{}), target.Coded(pebble.Bytes{}))
		note := delegate.New(s, "note", owner, length, func(string) bool { noted++; return true },
			delegate.Coded[string, bool](text{}, nil))
		wrong := 0
		check := func(word, answer string) {
			if answer != word+word {
				wrong++
			}
		}
		if err := s.Run(func() {
			for n := range 300 {
				s.Go(func() {
					word := strings.Repeat(fmt.Sprint(n%10), n)
					check(word, twice.Call(word))
					check(word, word+string(back.Call(word)))
					f := twice.Start(word)
					many := []string{word, "", "a", word + word}
					answers := make([]string, len(many))
					twice.CallAll(many, answers)
					for i := range many {
						check(many[i], answers[i])
					}
					check(word, f.Wait())
					note.Do(word)
				})
			}
		}); err != nil {
			return err
		}
		all, err := pebble.AllReduce(r, [2]int{wrong, noted}, func(a, b [2]int) [2]int {
			return [2]int{a[0] + b[0], a[1] + b[1]}
		})
		if err == nil && all != [2]int{0, 300 * r.Size()} {
			return fmt.Errorf("%d wrong answers and %d notes", all[0], all[1])
		}
		return err
	})
}

// Codecs that don't fit, and missing functions, are reported.
func TestCodecsThatDoNotFit(t *testing.T) {
	ranks := distribution.Ranks(2)
	yes, none := func(string) bool { return true }, func(string) string { return "" }
	name := func(uint64) string { return "" }
	questions := delegate.Coded[string, bool](text{}, nil)
	const notPlain = "its answer: type string is not plain data: string is a string, which means nothing on another " +
		"rank: "
	for want, register := range map[string]func(s *task.Scheduler){
		`target "d": ` + notPlain + "give delegate.Coded pebble.Strings{}": func(s *task.Scheduler) {
			delegate.New(s, "d", ranks, length, none, delegate.Coded[string, string](text{}, nil))
		},
		`target "d": delegate.Coded got delegate_test.text and delegate_test.text: its question a string, its ` +
			`answer a bool`: func(s *task.Scheduler) {
			delegate.New(s, "d", ranks, length, yes, delegate.Coded[string, string](text{}, text{}))
		},
		notPlain + "add target.Coded(pebble.Strings{})": func(s *task.Scheduler) {
			delegate.New(s, "d", ranks, itself, name)
		},
		"which is a codec of none of these values: its question is a uint64, its answer a string": func(s *task.Scheduler) {
			delegate.New(s, "d", ranks, itself, name, target.Coded(pebble.Bytes{}))
		},
		`target "d": it has no key function, or none that answers: give both`: func(s *task.Scheduler) {
			delegate.New[uint64, bool](s, "d", ranks, itself, nil)
		},
		"it has no key function, or none that answers": func(s *task.Scheduler) {
			delegate.New(s, "d", ranks, nil, func(uint64) bool { return true })
		},
		"no key function, or none that answers": func(s *task.Scheduler) {
			delegate.NewBatch[uint64, bool](s, "d", ranks, itself, nil)
		},
		`target "t"`: func(s *task.Scheduler) {
			target.New(s.Rank(), "t", ranks, target.Key(itself), target.Each(func(uint64) {}), questions)
		},
	} {
		err := run(t, pebble.Config{Ranks: 2}, func(r *pebble.Rank) error { register(task.New(r)); return nil })
		require.ErrorContains(t, err, want)
	}
	require.ErrorContains(t, run(t, pebble.Config{Ranks: 2}, func(r *pebble.Rank) error {
		s := task.New(r)
		d := delegate.New(s, "d", ranks, length, yes, questions)
		return s.Run(func() { d.Call(".") })
	}), "a full stop")
}

// Answers have separate options: one for each frame, while their questions share one.
func TestAnswersHaveOptions(t *testing.T) {
	const questions = 8
	for want, options := range map[uint64][]target.Option{
		1: nil, questions: {target.Answers(target.Coalesce(1))},
	} {
		require.NoError(t, appstest.Mem(2).Run(t, func(r *pebble.Rank) error {
			s := task.New(r)
			d := delegate.New(s, "operation", distribution.Ranks(2), func(uint64) uint64 { return 1 },
				func(q uint64) uint64 { return q }, options...)
			before := r.Counters().FramesSent
			err := s.Run(func() {
				if r.ID() == 0 {
					d.CallAll(make([]uint64, questions), make([]uint64, questions))
				}
			})
			if frames := r.Counters().FramesSent - before; err == nil && r.ID() == 1 && frames != want {
				err = fmt.Errorf("%d frames, not %d", frames, want)
			}
			return err
		}))
	}
}
