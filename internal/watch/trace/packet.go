package trace

import (
	"fmt"
	"math"
	"time"
)

// version is the version of a file's description of itself.
const version = 1

// IDs of interned names of annotations: those of kinds, then weightID.
const weightID = 2*uint64(kinds) + 1

func categoryID(k Kind) uint64 { return uint64(k) + 1 }
func idOfA(k Kind) uint64      { return 2*uint64(k) + 1 }
func idOfB(k Kind) uint64      { return 2*uint64(k) + 2 }

// packet begins a packet of the file's sequence; shut ends it.
func (f *File) packet() (at int) {
	f.ready()
	f.buf, at = open(f.buf, tracePacket)
	f.buf = appendUint(f.buf, packetSequence, uint64(f.config.Process)+1)
	f.buf = appendUint(f.buf, packetFlags, flagNeeds)
	return at
}

func (f *File) shut(at int) { f.buf = shut(f.buf, at) }

// ready begins the sequence if it has not begun, or was lost.
func (f *File) ready() {
	if !f.fresh {
		return
	}
	f.fresh = false
	f.buf = f.appendFirst(f.buf)
	if f.size == 0 {
		f.appendClocks()
		f.appendJob()
	}
}

// appendFirst appends the packet that begins the sequence, with texts and the process's track.
func (f *File) appendFirst(b []byte) []byte {
	b, packet := open(b, tracePacket)
	b = appendUint(b, packetSequence, uint64(f.config.Process)+1)
	b = appendUint(b, packetFlags, flagCleared)
	b, interned := open(b, packetInterned)
	for k := range kinds {
		b = appendEntry(b, internedCategories, categoryID(k), words[k].name)
	}
	for k := range kinds {
		b = appendEntry(b, internedAnnotations, idOfA(k), words[k].a)
		b = appendEntry(b, internedAnnotations, idOfB(k), words[k].b)
	}
	b = appendEntry(b, internedAnnotations, weightID, "weight")
	b = shut(b, interned)
	b, track := open(b, packetDescriptor)
	b = appendUint(b, trackID, processTrack(f.config.Process))
	b, process := open(b, trackProcess)
	b = appendUint(b, processPID, uint64(f.config.Process)+1)
	b = appendText(b, processCommand, clean(f.config.Program))
	b = appendText(b, processName, clean(fmt.Sprintf("process %d on %s", f.config.Process, f.config.Host)))
	return shut(shut(shut(b, process), track), packet)
}

// appendEntry appends an interned text, unless it is empty.
func appendEntry(b []byte, field int, id uint64, text string) []byte {
	if text == "" {
		return b
	}
	b, at := open(b, field)
	return shut(appendText(appendUint(b, entryID, id), entryName, text), at)
}

// appendClocks appends the declaration that the trace's clock is wall time.
func (f *File) appendClocks() {
	at := f.packet()
	var clocks int
	f.buf, clocks = open(f.buf, packetClocks)
	for _, id := range []uint64{clockRealtime, clockBoottime} {
		b, clock := open(f.buf, clocksClock)
		f.buf = shut(appendUint(appendUint(b, clockID, id), clockTime, uint64(f.zero)), clock)
	}
	f.shut(clocks)
	f.shut(at)
}

// appendJob appends the description of the job.
func (f *File) appendJob() {
	c := &f.config
	at, event := f.instant(f.zero, "job", categoryJob)
	for _, n := range []struct {
		name  string
		value int64
	}{
		{"version", version}, {"process", int64(c.Process)}, {"processes", int64(c.Processes)},
		{"first rank", int64(c.First)}, {"last rank", int64(c.Last) - 1}, {"pid", int64(c.PID)}, {"started", f.zero},
	} {
		f.buf = appendNamed(f.buf, n.name, uint64(n.value), "")
	}
	f.buf = appendNamed(f.buf, "program", 0, clean(c.Program))
	f.buf = appendNamed(f.buf, "job", 0, clean(c.Job))
	f.buf = appendNamed(f.buf, "host", 0, clean(c.Host))
	f.shut(event)
	f.shut(at)
}

// instant begins an instant on the process's track.
func (f *File) instant(time int64, name, category string) (at, event int) {
	at = f.packet()
	f.buf = appendUint(f.buf, packetTime, uint64(time))
	f.buf, event = open(f.buf, packetEvent)
	f.buf = appendUint(f.buf, eventType, typeInstant)
	f.buf = appendUint(f.buf, eventTrack, processTrack(f.config.Process))
	f.buf = appendText(f.buf, eventCategory, category)
	f.buf = appendText(f.buf, eventName, name)
	return at, event
}

// appendNamed appends an annotation whose name is written out: a text, or a number if the text is empty.
func appendNamed(b []byte, name string, number uint64, text string) []byte {
	b, at := open(b, eventAnnotations)
	b = appendText(b, annotationName, name)
	if text != "" {
		return shut(appendText(b, annotationText, text), at)
	}
	return shut(appendUint(b, annotationUint, number), at)
}

// wall converts a time on the job's clock to the form of files.
func (f *File) wall(t time.Duration) int64 {
	if t > 0 && f.zero > math.MaxInt64-int64(t) {
		return math.MaxInt64
	}
	return max(f.zero+int64(t), 0)
}
