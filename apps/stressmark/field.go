package stressmark

import (
	"fmt"

	"github.com/activepebbles/pebbles/apps"
	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/memory"
	"github.com/activepebbles/pebbles/pebble"
)

// FieldResult is what a run of Field tells.
type FieldResult struct {
	Report
	Bytes          uint64  `json:"bytes"`
	Offset         int     `json:"offset"`
	Delimiters     uint64  `json:"delimiters"` // that were found, of all tokens
	BytesPerSecond float64 `json:"bytes_per_second"`
	Tokens         []Token `json:"tokens"`
}

// Rows is the result for display: labels and values.
func (r FieldResult) Rows() [][2]string {
	return [][2]string{
		{"delimiters", fmt.Sprintf("%d of %d tokens, in a field of %d bytes", r.Delimiters, len(r.Tokens), r.Bytes)},
		{"bytes per second", fmt.Sprintf("%.2f million searched", r.BytesPerSecond/1e6)},
		r.accesses(),
	}
}

// bytes are those of the field from lo to hi-1, before the run.
func (c FieldConfig) bytes(lo, hi uint64) []byte {
	all := make([]byte, hi-lo)
	for i := range all {
		all[i] = byte(draw(c.Seed, forBytes, lo+uint64(i), uint64(c.Values)))
	}
	return all
}

// token is one of those that are searched for: bytes of the field before the run, from a random place on.
func (c FieldConfig) token(i int) []byte {
	length := 1 + draw(c.Seed, forLengths, uint64(i), uint64(c.TokenBytes))
	lo := draw(c.Seed, forTokens, uint64(i), c.Bytes-length+1)
	return c.bytes(lo, lo+length)
}

// changed is a byte of a delimiter that was found: its sum with the one further on.
func (c FieldConfig) changed(b, further byte) byte { return byte((int(b) + int(further)) % c.Values) }

// Field runs the Field Stressmark on a job. Every rank calls it, between epochs, with the same configuration but for
// Progress. For one token after the other each rank searches its part of the field, and as many bytes after it as a
// token has but one. Each delimiter that was found ends a sample set. When all have been found, each of their bytes is
// changed by the one Offset further on, or, at the end of the field, around it; both are those of before the search.
// The result is complete on every rank. What differs from the serial twin is counted in its Errors; an error means that
// the job failed, or can't work.
func Field(r *pebble.Rank, c FieldConfig) (result FieldResult, err error) {
	if err := c.Check(); err != nil {
		return result, err
	}
	f := &field{rank: r, config: c.withDefaults(), space: memory.New(r)}
	result = FieldResult{Report: newReport(r, "field", c.Seed), Bytes: f.config.Bytes, Offset: f.config.Offset}
	if result.SetUp, err = apps.Timed(r, f.load); err != nil {
		return result, err
	}
	if err := result.kernel(f.space, f.kernel); err != nil {
		return result, err
	}
	if err := f.sum(&result); err != nil {
		return result, err
	}
	if err := f.judge(&result); err != nil {
		return result, err
	}
	return result, f.array.Free()
}

// field is one rank's part of a run.
type field struct {
	rank   *pebble.Rank
	config FieldConfig
	space  *memory.Space
	array  *memory.Array[byte]
	lo     uint64 // the first byte of this rank's part
	tokens []Token

	// of the token that is searched for
	text    []byte // this rank's part, and what comes after it
	starts  []int  // of delimiters with no carry
	places  []uint64
	further []byte
}

// load makes this rank's part.
func (f *field) load() (err error) {
	c, d := f.config, distribution.Block(f.config.Bytes, f.rank.Size())
	part := c.Bytes/uint64(f.rank.Size()) + 1
	if err := apps.MustFit(f.rank, "stressmark: the field", 2*part, "give fewer bytes"); err != nil {
		return err
	}
	f.array = memory.NewArray[byte](f.space, "field", d)
	if n := len(f.array.Local()); n > 0 {
		f.lo = d.Key(f.rank.ID(), 0)
		copy(f.array.Local(), c.bytes(f.lo, f.lo+uint64(n)))
	}
	return nil
}

// kernel searches for all tokens.
func (f *field) kernel() error {
	for i := range f.config.Tokens {
		text := f.config.token(i)
		f.tokens = append(f.tokens, newToken(text))
		if err := f.search(text, &f.tokens[i]); err != nil {
			return err
		}
		if f.config.Progress != nil && f.rank.ID() == 0 {
			f.config.Progress(uint64(i+1), uint64(f.config.Tokens))
		}
	}
	return nil
}

// search searches for one token: three epochs, in which all ranks read what they need of others, read what delimiters
// are changed by, and change them.
func (f *field) search(token []byte, found *Token) error {
	part := len(f.array.Local())
	if err := f.rank.Epoch(func() error { f.read(len(token)); return nil }); err != nil {
		return err
	}
	m := find(f.text, part, token, f.starts)
	f.starts = m.first
	before, err := pebble.ExclusiveScan(f.rank, m.table(f.text, token), none(), carries.then)
	if err != nil {
		return err
	}
	carry := int(before[0])
	own, rest := m.from(f.text, token, carry)
	starts := append(own, m.first[rest:]...)
	if err := f.sample(starts, carry, len(token), found); err != nil {
		return err
	}
	f.places = f.places[:0]
	for _, at := range starts {
		for i := range token {
			f.places = append(f.places, f.lo+uint64(at+i))
		}
	}
	if err := f.rank.Epoch(func() error { f.readFurther(); return nil }); err != nil {
		return err
	}
	for i, place := range f.places {
		f.further[i] = f.config.changed(f.text[place-f.lo], f.further[i])
	}
	return f.rank.Epoch(func() error { f.array.Scatter(f.places, f.further); return nil })
}

// read reads this rank's part, and the bytes after it where a token may end.
func (f *field) read(token int) {
	local := f.array.Local()
	f.text = append(f.text[:0], local...)
	if len(local) == 0 {
		return
	}
	after := f.lo + uint64(len(local))
	overhang := make([]byte, min(uint64(token-1), f.config.Bytes-after))
	f.array.GetRange(after, overhang)
	f.text = append(f.text, overhang...)
}

// readFurther reads what each byte of a delimiter is changed by.
func (f *field) readFurther() {
	for i := range f.places {
		f.places[i] = (f.places[i] + uint64(f.config.Offset)) % f.config.Bytes
	}
	f.further = append(f.further[:0], make([]byte, len(f.places))...)
	f.array.Gather(f.further, f.places)
	for i := range f.places {
		f.places[i] = (f.places[i] + f.config.Bytes - uint64(f.config.Offset)%f.config.Bytes) % f.config.Bytes
	}
}

// open is the set that is not yet ended at the end of some parts: Since says that it began there.
type open struct {
	Since   uint64
	Samples samples
}

func (o open) then(next open) open {
	if next.Since != 0 {
		return next
	}
	return open{o.Since, o.Samples.with(next.Samples)}
}

// sample takes the sets that end in this rank's part. The last rank takes the one that ends with the field.
func (f *field) sample(starts []int, carry, token int, found *Token) error {
	part := len(f.array.Local())
	var head samples // of the set that was open when the part began
	var o open
	at := carry
	for i, start := range starts {
		s := samplesOf(f.text[at:start])
		if i == 0 {
			head, o.Since = s, 1
		} else {
			found.add(s, f.lo+uint64(start))
		}
		at = start + token
	}
	if at < part {
		o.Samples = samplesOf(f.text[at:part])
	}
	before, err := pebble.ExclusiveScan(f.rank, o, open{}, open.then)
	if err != nil {
		return err
	}
	if len(starts) > 0 {
		found.add(before.Samples.with(head), f.lo+uint64(starts[0]))
	}
	if f.rank.ID() == f.rank.Size()-1 {
		found.add(before.then(o).Samples, f.config.Bytes)
	}
	return nil
}

// sum adds up what the ranks have found.
func (f *field) sum(result *FieldResult) error {
	for i, t := range f.tokens {
		all, err := pebble.AllReduce(f.rank, t.found(), found.with)
		if err != nil {
			return err
		}
		f.tokens[i] = Token{t.Token, all.Sets, all.Samples, all.Sum, all.Minima, all.Checksum}
		result.Delimiters += all.Sets - 1
	}
	result.Tokens = f.tokens
	if result.Seconds > 0 {
		result.BytesPerSecond = float64(f.config.Bytes) * float64(len(f.tokens)) / result.Seconds
	}
	return nil
}

// judge verifies, and adds to the result what is wrong with it.
func (f *field) judge(result *FieldResult) (err error) {
	var missed, wrong uint64
	result.Verify, err = apps.Timed(f.rank, func() (err error) {
		missed, wrong, err = f.verify()
		return err
	})
	if err != nil {
		return err
	}
	if err := result.Found(f.rank, missed, "tokens have other sample sets than the serial search finds"); err != nil {
		return err
	}
	if err := result.Found(f.rank, wrong, "bytes of the field are wrong"); err != nil {
		return err
	}
	return result.finish(f.rank)
}

// verify compares all with the serial twin, on rank 0.
func (f *field) verify() (missed, wrong uint64, err error) {
	err = f.rank.Epoch(func() error {
		if f.rank.ID() != 0 {
			return nil
		}
		tokens, bytes := SerialField(f.config)
		for i, t := range tokens {
			if f.tokens[i] != t {
				missed++
			}
		}
		wrong = different(f.array, bytes)
		return nil
	})
	return missed, wrong, err
}
