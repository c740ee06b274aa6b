package stressmark

import (
	"bytes"
	"encoding/hex"
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

// Field runs the Field Stressmark on a job, as package apps says. For one token after the other each rank searches its
// part of the field, and as many bytes after it as a token has but one. Each delimiter that was found ends a sample
// set. When all have been found, each of their bytes is changed by the one Offset further on, or, at the end of the
// field, around it; both are those of before the search. What differs from the serial twin is counted in the result's
// Errors.
func Field(r *pebble.Rank, c FieldConfig) (result FieldResult, err error) {
	if err := c.Check(r.Size()); err != nil {
		return result, err
	}
	f := &field{rank: r, config: c.withDefaults(), space: memory.New(r)}
	result = FieldResult{Report: newReport(r, "field", c.Seed), Bytes: f.config.Bytes, Offset: f.config.Offset}
	err = result.run(f.space, f.phases(&result))
	return result, err
}

func (f *field) phases(result *FieldResult) apps.Phases {
	return apps.Phases{
		Load: f.load, Kernel: f.kernel,
		Sum:    func() error { return f.sum(result) },
		Verify: func() error { return f.judge(result) },
		Free:   func() error { return f.array.Free() },
	}
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
		f.config.Progress.Passed(f.rank, 1, uint64(i), uint64(i+1), uint64(f.config.Tokens))
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
	result.BytesPerSecond = apps.Rate(float64(f.config.Bytes)*float64(len(f.tokens)), result.Seconds)
	return nil
}

// judge verifies, and adds to the result what is wrong with it.
func (f *field) judge(result *FieldResult) error {
	missed, wrong, err := f.verify()
	if err != nil {
		return err
	}
	if err := result.Found(f.rank, missed, "tokens have other sample sets than the serial search finds"); err != nil {
		return err
	}
	return result.Found(f.rank, wrong, "bytes of the field are wrong")
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

// A rank takes delimiters from left to right, none of which overlap. So where it begins depends on where the last
// delimiter of the rank before ends, which may be some bytes into this one's part: its carry. What each carry becomes
// is a table; the tables of all ranks before this one, one after the other, give its own.

// carries says, for each carry that may come in, what goes out.
type carries [tokenBytesMax]uint8

// then is what two parts do, one after the other.
func (c carries) then(o carries) (both carries) {
	for in, out := range c {
		both[in] = o[out]
	}
	return both
}

// none carries what it is given.
func none() (c carries) {
	for in := range c {
		c[in] = uint8(in)
	}
	return c
}

// matches is where a token is found in a rank's part, by carry.
type matches struct {
	token int   // its length
	part  int   // that of the part
	first []int // with no carry
}

// find looks for a token in text: a part of so many bytes, and those after it where a token that begins in the part may
// end.
func find(text []byte, part int, token []byte, room []int) (m matches) {
	m = matches{len(token), part, room[:0]}
	for at := 0; ; {
		i := bytes.Index(text[min(at, len(text)):], token)
		if i < 0 {
			return m
		}
		m.first = append(m.first, at+i)
		at += i + len(token)
	}
}

// from is where delimiters are with a carry: some by themselves, and then those from an index of first on.
func (m matches) from(text, token []byte, carry int) (own []int, rest int) {
	for at := carry; ; {
		for rest < len(m.first) && m.first[rest] < at {
			rest++
		}
		i := bytes.Index(text[min(at, len(text)):], token)
		switch {
		case i < 0:
			return own, len(m.first)
		case rest < len(m.first) && m.first[rest] == at+i:
			return own, rest
		}
		own = append(own, at+i)
		at += i + len(token)
	}
}

// table is what all carries become.
func (m matches) table(text, token []byte) (c carries) {
	for in := range c {
		end := in
		if in < m.token { // no other comes
			own, rest := m.from(text, token, in)
			switch {
			case rest < len(m.first):
				end = m.first[len(m.first)-1] + m.token
			case len(own) > 0:
				end = own[len(own)-1] + m.token
			}
		}
		c[in] = uint8(max(0, end-m.part))
	}
	return c
}

// samples is a sample set: bytes between two delimiters.
type samples struct{ Count, Minimum, Sum uint64 }

func (s *samples) add(b byte) { *s = s.with(samples{1, uint64(b), uint64(b)}) }

// with is two parts of a set together.
func (s samples) with(o samples) samples {
	switch {
	case s.Count == 0:
		return o
	case o.Count == 0:
		return s
	}
	return samples{s.Count + o.Count, min(s.Minimum, o.Minimum), s.Sum + o.Sum}
}

// samplesOf is a set of all of some bytes.
func samplesOf(all []byte) samples {
	if len(all) == 0 {
		return samples{}
	}
	least, sum := all[0], uint64(0)
	for _, b := range all {
		least = min(least, b)
		sum += uint64(b)
	}
	return samples{uint64(len(all)), uint64(least), sum}
}

// Token is what was found of a token. Its sample sets are what lies before the first delimiter, between two, and after
// the last.
type Token struct {
	Token    string `json:"token"`    // its bytes, in hexadecimal
	Sets     uint64 `json:"sets"`     // one more than it was found
	Samples  uint64 `json:"samples"`  // bytes in all sets
	Sum      uint64 `json:"sum"`      // of all samples
	Minima   uint64 `json:"minima"`   // the sum of the least sample of each set that has any
	Checksum uint64 `json:"checksum"` // of place, count, minimum and sum of each set, in any order
}

func newToken(text []byte) Token { return Token{Token: hex.EncodeToString(text)} }

// add adds a set that ends before a byte of the field.
func (t *Token) add(s samples, end uint64) {
	t.Sets++
	t.Samples += s.Count
	t.Sum += s.Sum
	t.Minima += s.Minimum
	t.Checksum += apps.Fold(apps.Fold(end, s.Count), apps.Fold(s.Minimum, s.Sum))
}

// found is a Token that is plain data.
type found struct{ Sets, Samples, Sum, Minima, Checksum uint64 }

func (t Token) found() found { return found{t.Sets, t.Samples, t.Sum, t.Minima, t.Checksum} }

func (f found) with(o found) found {
	return found{f.Sets + o.Sets, f.Samples + o.Samples, f.Sum + o.Sum, f.Minima + o.Minima, f.Checksum + o.Checksum}
}
