package trace

import "fmt"

// lanesMost is the maximum number of tracks for a kind of a rank's events.
const lanesMost = 8

// lane is one track.
type lane struct {
	end  int64  // of the last slice
	told uint32 // generation of the file in which the track was last described
}

// tracks are the tracks of a rank, by the kind of their row.
type tracks [kinds][lanesMost]lane

// find returns the first lane of a row that is free from a time on.
func (t *tracks) find(row Kind, begin int64) (number int, ok bool) {
	for i := range t[row] {
		if t[row][i].end <= begin {
			return i, true
		}
	}
	return 0, false
}

// Numbers of tracks are unique in the job. They consist of a rank, a row and a lane, or identify a counter. The first
// lane of the first row is the rank's own track.
func rankTrack(rank int, row Kind, lane int) uint64 {
	return (uint64(rank)+1)<<16 | uint64(row)<<8 | uint64(lane)
}

func counterTrack(rank, number int) uint64 { return (uint64(rank)+1)<<16 | 1<<15 | uint64(number) }

func processTrack(process int) uint64 { return 1<<62 | (uint64(process) + 1) }

// describe describes a lane, and before it the rank's own track, unless that has been done.
func (f *File) describe(rank int, row Kind, number int) {
	f.describeRank(rank)
	l := &f.Rank(rank).tracks[row][number]
	if l.told == f.generation {
		return
	}
	l.told = f.generation
	at, track := f.child(rankTrack(rank, row, number), rank, words[row].track)
	f.buf = appendUint(f.buf, trackPlace, uint64(row)+1)
	f.shut(track)
	f.shut(at)
}

// describeRank describes a rank's own track, unless that has been done.
func (f *File) describeRank(rank int) {
	if own := &f.Rank(rank).tracks[0][0]; own.told != f.generation {
		own.told = f.generation
		f.appendRank(rank)
	}
}

// appendRank appends the track of a rank, a thread. No thread has the number of a process, as a main thread would.
func (f *File) appendRank(rank int) {
	at := f.packet()
	var track, thread int
	f.buf, track = open(f.buf, packetDescriptor)
	f.buf = appendUint(f.buf, trackID, rankTrack(rank, 0, 0))
	f.buf = appendUint(f.buf, trackParent, processTrack(f.config.Process))
	f.buf, thread = open(f.buf, trackThread)
	f.buf = appendUint(f.buf, threadPID, uint64(f.config.Process)+1)
	f.buf = appendUint(f.buf, threadID, uint64(max(f.config.Processes, 1)+1+rank))
	f.buf = appendText(f.buf, threadName, fmt.Sprintf("rank %d", rank))
	f.shut(thread)
	f.buf = appendUint(f.buf, trackChildren, inOrderOfPlace)
	f.shut(track)
	f.shut(at)
}

// child begins the packet of a track under that of a rank.
func (f *File) child(id uint64, rank int, name string) (at, track int) {
	at = f.packet()
	f.buf, track = open(f.buf, packetDescriptor)
	f.buf = appendUint(f.buf, trackID, id)
	f.buf = appendText(f.buf, trackName, name)
	f.buf = appendUint(f.buf, trackParent, rankTrack(rank, 0, 0))
	return at, track
}
