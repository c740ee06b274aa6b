package checkpoint

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
)

// version is the format of checkpoints. It increases when older programs can no longer read new checkpoints.
const version = 1

// note is the description of a checkpoint in its manifest.
type note struct {
	Version   int
	Name      string // of the checkpoint
	Program   string
	ByteOrder string // of plain data
	Ranks     int    // number of ranks that wrote it, one file each
	ID        string // identity, also in its files
	Parts     []described
}

// described is the description of a part.
type described struct {
	Name, Is string
	Elements uint64 // number on all ranks
}

// description returns the description of the checkpoints that this program writes.
func (c *Checkpoint) description() note {
	n := note{Version: version, Name: c.name, Program: program(), ByteOrder: "little-endian",
		Ranks: c.rank.Size()}
	if binary.NativeEndian.Uint16([]byte{1, 0}) != 1 {
		n.ByteOrder = "big-endian"
	}
	n.Parts = append(n.Parts, c.told...)
	return n
}

// program returns the path of this program's main package, or the name of its file.
func program() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Path != "" {
		return info.Path
	}
	return filepath.Base(os.Args[0])
}

// readNote decodes the description in a manifest.
func readNote(text json.RawMessage) (n note, err error) {
	if err = json.Unmarshal(text, &n); err == nil && n.Ranks < 1 {
		err = errors.New("the folder is not a checkpoint: " + another)
	} else if err != nil {
		err = fmt.Errorf("its manifest is damaged: %w: %s", err, remedy)
	}
	return n, err
}

const (
	remedy  = "remove it, and the one before it is restored"
	another = "name another -checkpoint folder"
)

// fits returns an error if the program cannot continue from a checkpoint.
func (n *note) fits(found *note) error {
	switch {
	case found.Version != n.Version:
		return fmt.Errorf("it has format %d, and this program reads format %d: use the build that wrote it, or %s",
			found.Version, n.Version, another)
	case found.Program != n.Program:
		return fmt.Errorf("it is the checkpoint of the program %s, this is %s: %s", found.Program, n.Program, another)
	case found.Name != n.Name:
		return fmt.Errorf("it is the checkpoint %q, not %q: has its folder been renamed? %s", found.Name, n.Name, another)
	case found.ByteOrder != n.ByteOrder:
		return fmt.Errorf("it was written on a machine with another byte order (%s): continue on such a machine, or %s",
			found.ByteOrder, another)
	}
	for i, p := range n.Parts {
		if i >= len(found.Parts) || found.Parts[i].Name != p.Name {
			return fmt.Errorf("it has the parts %q, the program has %q: use the build that wrote it, or %s",
				names(found.Parts), names(n.Parts), another)
		}
		if was := found.Parts[i].Is; was != p.Is {
			return fmt.Errorf("the part %q is %s, and in the checkpoint it is %s: give the same arguments, or %s", p.Name,
				p.Is, was, another)
		}
	}
	if len(found.Parts) > len(n.Parts) {
		return fmt.Errorf("it has the parts %q, the program has %q: use the build that wrote it, or %s",
			names(found.Parts), names(n.Parts), another)
	}
	return nil
}

func names(parts []described) (all []string) {
	for _, p := range parts {
		all = append(all, p.Name)
	}
	return all
}
