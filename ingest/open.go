package ingest

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/activepebbles/pebbles/internal/dataset"
	"github.com/activepebbles/pebbles/pebble"
)

// cutsPerRank is the number of cuts to keep per rank. More cuts would make shares more equal.
const cutsPerRank = 16

// input is the state that all formats share: the files, and the counts of this rank.
type input struct {
	options
	rank   *pebble.Rank
	group  dataset.Group
	format string
	files  []file
	all    []int     // ranks that read these files together
	dealt  [][]piece // by place in all
	spare  []byte    // the buffer of the last window

	missing float64 // weight of an edge without one
	counts
	before   map[piece]extent // text before this rank's pieces; nil if it is not counted
	position func() Position  // position of the current record
}

// buffer returns the buffer of the last window, or a new one.
func (in *input) buffer() []byte {
	if in.spare == nil {
		in.spare = make([]byte, in.window)
	}
	return in.spare
}

// mine returns this rank's pieces.
func (in *input) mine() []piece { return in.dealt[slices.Index(in.all, in.rank.ID())] }

// agree lists the files, and compares the lists of all hosts. It is collective.
func (in *input) agree(patterns []string) (err error) {
	if in.group, err = dataset.GroupOf(in.rank, cmp.Or(in.host, dataset.Host(in.rank))); err != nil {
		return err
	}
	var own []file
	var failed error
	if none := in.perHost && len(patterns) == 0; in.rank.ID() == in.group.Leader() && !none {
		own, failed = list(patterns)
	}
	if failed != nil {
		failed = fmt.Errorf("read %w", failed)
	}
	if err := dataset.Agree(in.rank, failed); err != nil {
		return err
	}
	lists, err := in.lists(own)
	if err != nil {
		return err
	}
	if in.perHost {
		in.files, in.all = lists[in.group.Leader()], in.group.Members
		return nil
	}
	in.files = lists[0]
	for rank := range in.rank.Size() {
		in.all = append(in.all, rank)
	}
	return dataset.Agree(in.rank, in.compare(own))
}

// lists gathers the lists of files: that of rank 0, or with perHost that of each host's leader.
func (in *input) lists(own []file) ([][]file, error) {
	var text []byte
	if in.rank.ID() == in.group.Leader() {
		text, _ = json.Marshal(own) // names and numbers, which never fail
	}
	texts := make([][]byte, in.rank.Size())
	var err error
	if in.perHost {
		texts, err = in.rank.AllGatherBytes(text)
	} else {
		texts[0], err = in.rank.BroadcastBytes(0, text)
	}
	if err != nil {
		return nil, err
	}
	lists := make([][]file, len(texts))
	for rank, text := range texts {
		if len(text) > 0 {
			err = errors.Join(err, json.Unmarshal(text, &lists[rank]))
		}
	}
	return lists, err
}

// compare returns an error if this host's files differ from those of rank 0's host.
func (in *input) compare(own []file) error {
	if in.rank.ID() != in.group.Leader() {
		return nil
	}
	const advice = "copy the files, or set ingest.PerHost if each host has its own"
	here, there := in.group.Hosts[in.rank.ID()], in.group.Hosts[0]
	for i, f := range in.files {
		if i >= len(own) || own[i].Name != f.Name {
			return fmt.Errorf("read %s: is on host %s and not on host %s: %s", f.Name, there, here, advice)
		}
		if own[i].Size != f.Size {
			return fmt.Errorf("read %s: has %d bytes on host %s, but %d on host %s: %s", f.Name, own[i].Size, here,
				f.Size, there, advice)
		}
	}
	if len(own) > len(in.files) {
		return fmt.Errorf("read %s: is on host %s and not on host %s: %s", own[len(in.files)].Name, here, there, advice)
	}
	return nil
}

// look finds the compression of each file, and its cuts, on one of the ranks that read it. Unless uncut is nil, it
// reports whether a file may not be cut at all. It is collective.
func (in *input) look(find finder, uncut func(file) (bool, error)) error {
	place := slices.Index(in.all, in.rank.ID())
	total := int64(0)
	for _, f := range in.files {
		total += f.Size
	}
	gap := max(total/int64(cutsPerRank*len(in.all)), 1)
	seen := map[int]file{}
	var failed error
	for i := place; i < len(in.files); i += len(in.all) {
		f := in.files[i]
		if failed = f.look(find, gap); in.skip > 0 && errors.As(failed, new(*BlockError)) {
			failed = nil // the rank that reads the block counts it
		}
		if failed == nil && uncut != nil {
			if f.Uncut, failed = uncut(f); f.Uncut {
				f.Cuts = []int64{}
			}
		}
		if failed != nil {
			failed = cmp.Or(f.check(), failed) // for a part that was replaced, this is the better error
			break
		}
		if f.Kind != plain || f.Cuts != nil {
			seen[i] = f
		}
	}
	if err := dataset.Agree(in.rank, failed); err != nil {
		return err
	}
	text, err := json.Marshal(seen)
	if err != nil {
		return err
	}
	texts, err := in.rank.AllGatherBytes(text)
	if err != nil {
		return err
	}
	for _, member := range in.all {
		seen = map[int]file{}
		err = errors.Join(err, json.Unmarshal(texts[member], &seen))
		for i, f := range seen {
			in.files[i] = f
		}
	}
	return err
}

// remember records the identity of this rank's files, to detect replaced files.
func (in *input) remember() {
	for _, p := range in.mine() {
		if f := &in.files[p.file]; f.info == nil {
			f.info, _ = os.Stat(f.Name) // opening it reports the error
		}
	}
}

// checkParts compares files with their checksums, if they have any. On each host, the first rank that reads a file
// checks it. It is collective.
func (in *input) checkParts() error {
	host := in.group.Hosts[in.rank.ID()]
	checked := map[int]bool{}
	var failed error
	for place, rank := range in.all {
		if in.group.Hosts[rank] != host {
			continue
		}
		for _, p := range in.dealt[place] {
			if rank == in.rank.ID() && !checked[p.file] && failed == nil {
				failed = in.files[p.file].check()
			}
			checked[p.file] = true
		}
	}
	return dataset.Agree(in.rank, failed)
}

// check compares the file with its entry in its folder's manifest, if it has one.
func (f *file) check() error {
	if f.Part.Name == "" {
		return nil
	}
	if err := f.Part.Check(filepath.Dir(f.Name)); err != nil {
		return fmt.Errorf("read %w", err)
	}
	return nil
}

// A finder returns the offsets of the blocks of a file, in a format that has its own blocks.
type finder func(f io.ReaderAt, size int64) ([]int64, error)

// look finds the compression of the file and its cuts.
func (f *file) look(find finder, gap int64) error {
	if f.Size == 0 && find == nil {
		return nil // a file of blocks has a header
	}
	a, err := openAgreed(*f)
	if err != nil {
		return err
	}
	defer a.Close()
	var head [magicBytes]byte
	n, err := a.ReadAt(head[:], 0)
	if err != nil && err != io.EOF {
		return err
	}
	if f.Kind, err = kindOf(head[:n]); err != nil {
		return fmt.Errorf("read %s: %w", f.Name, err)
	}
	c := cuts{gap: gap}
	switch {
	case find != nil:
		return f.blocks(a, find, c)
	case f.Kind == gzipped:
		err = walkGzip(a, f.Size, &c)
	case f.Kind == zstandard:
		walkZstandard(a, f.Size, &c)
	}
	if f.Cuts = c.at; err != nil && err != io.EOF {
		return fmt.Errorf("read %s: %w", f.Name, err)
	}
	return nil
}

// blocks sets the cuts to the offsets that the format's finder returns.
func (f *file) blocks(a *agreed, find finder, c cuts) error {
	if f.Kind != plain {
		return fmt.Errorf("read %s: the file is compressed as a whole, but this format compresses its blocks: decompress "+
			"the file", f.Name)
	}
	starts, err := find(a, f.Size)
	f.Cuts = []int64{}
	for _, start := range starts {
		c.add(start)
	}
	f.Cuts = append(f.Cuts, c.at...)
	if err != nil {
		return fmt.Errorf("read %s: %w", f.Name, err)
	}
	return nil
}
