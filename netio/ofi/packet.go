package ofi

import (
	"encoding/binary"
	"fmt"

	"github.com/activepebbles/pebbles/internal/cpu"
	"github.com/activepebbles/pebbles/internal/frame"
	"github.com/activepebbles/pebbles/netio"
)

// A packet is one message of the fabric: records, then the numbers of released frames. Numbers are little-endian.
//
//	head       token 8 │ CRC32C of the rest 4 │ process 4 │ limit 8 │ bytes 4 │ records 2 │ releases 2 │ short 1 │ 3 │
//	           packets taken 4
//	record     a frame's header 40 │ number 4 │ 4 │ its payload, to a multiple of 8, or a reference
//	reference  at 8 │ key 8 │ bytes 8 │ CRC32C 4 │ 4
//	release number 4
const (
	packetHead     = 40
	recordHead     = 48
	referenceBytes = 32
	releaseBytes   = 4

	eagerMax = 16 << 10 // of a copied payload
	// packetSmall is the largest packet of a provider that copies packets once more, or receives into its own buffers.
	packetSmall = 18 << 10
	// packetLarge is the largest packet of other providers: 64 KiB of frames, like one write of netio/tcp.
	packetLarge = 66 << 10
	packetRest  = packetSmall - packetHead - recordHead - eagerMax // of a packet, left by frames to releases and notes
)

// Kinds of records other than frames. Their key is in Seq.
const (
	byReference netio.Kind = 0x80 // of a frame: the receiver fetches its payload

	ask     netio.Kind = 0x41 // asks for a lease
	grant   netio.Kind = 0x42 // grants one, or has its fault in Tag
	revoke  netio.Kind = 0x43 // revokes a lease
	revoked netio.Kind = 0x44 // confirms a revocation
)

// head is the head of a packet.
type head struct {
	token             uint64
	process           uint32
	limit             uint64
	bytes             uint32
	records, releases uint16
	short             bool
	taken             uint32 // packets
}

// seal writes the head of a packet.
func (h *head) seal(packet []byte) {
	binary.LittleEndian.PutUint64(packet, h.token)
	binary.LittleEndian.PutUint32(packet[12:], h.process)
	binary.LittleEndian.PutUint64(packet[16:], h.limit)
	binary.LittleEndian.PutUint32(packet[24:], uint32(len(packet)))
	binary.LittleEndian.PutUint16(packet[28:], h.records)
	binary.LittleEndian.PutUint16(packet[30:], h.releases)
	clear(packet[32:packetHead])
	if h.short {
		packet[32] = 1
	}
	binary.LittleEndian.PutUint32(packet[36:], h.taken)
	binary.LittleEndian.PutUint32(packet[8:], cpu.Checksum(packet[12:]))
}

// unseal reads the head of a packet. It reports false if the packet does not come from a member.
func unseal(packet []byte, token uint64) (h head, member bool, err error) {
	if len(packet) < packetHead || binary.LittleEndian.Uint64(packet) != token {
		return h, false, nil
	}
	if binary.LittleEndian.Uint32(packet[8:]) != cpu.Checksum(packet[12:]) {
		return h, true, fmt.Errorf("check packet: %w: wrong CRC32C", netio.ErrDamaged)
	}
	h = head{
		token: token, process: binary.LittleEndian.Uint32(packet[12:]), limit: binary.LittleEndian.Uint64(packet[16:]),
		bytes: binary.LittleEndian.Uint32(packet[24:]), records: binary.LittleEndian.Uint16(packet[28:]),
		releases: binary.LittleEndian.Uint16(packet[30:]), short: packet[32] != 0,
		taken: binary.LittleEndian.Uint32(packet[36:]),
	}
	return h, true, nil
}

// reference is a location in the memory of the sender.
type reference struct {
	at, key uint64
	bytes   uint64
	check   uint32
}

func putRecord(b []byte, h *netio.Header, kind netio.Kind, n frame.Number) {
	b[0], b[1] = byte(kind), h.Flags
	binary.LittleEndian.PutUint16(b[2:], h.Target)
	for i, v := range [...]uint32{h.Epoch, h.From, h.To, h.Count, h.Bytes, h.Check, h.Tag} {
		binary.LittleEndian.PutUint32(b[4+4*i:], v)
	}
	binary.LittleEndian.PutUint64(b[32:], h.Seq)
	binary.LittleEndian.PutUint32(b[40:], uint32(n))
	binary.LittleEndian.PutUint32(b[44:], 0)
}

func record(b []byte) (h netio.Header, n frame.Number) {
	u32 := func(at int) uint32 { return binary.LittleEndian.Uint32(b[at:]) }
	return netio.Header{
		Kind: netio.Kind(b[0]), Flags: b[1], Target: binary.LittleEndian.Uint16(b[2:]),
		Epoch: u32(4), From: u32(8), To: u32(12),
		Count: u32(16), Bytes: u32(20), Check: u32(24), Tag: u32(28), Seq: binary.LittleEndian.Uint64(b[32:]),
	}, frame.Number(u32(40))
}

func putReference(b []byte, r reference) {
	binary.LittleEndian.PutUint64(b, r.at)
	binary.LittleEndian.PutUint64(b[8:], r.key)
	binary.LittleEndian.PutUint64(b[16:], r.bytes)
	binary.LittleEndian.PutUint32(b[24:], r.check)
	binary.LittleEndian.PutUint32(b[28:], 0)
}

func referenceIn(b []byte) reference {
	return reference{
		at: binary.LittleEndian.Uint64(b), key: binary.LittleEndian.Uint64(b[8:]),
		bytes: binary.LittleEndian.Uint64(b[16:]), check: binary.LittleEndian.Uint32(b[24:]),
	}
}

// words rounds bytes up to whole words.
func words(bytes int) int { return (bytes + 7) &^ 7 }

// access is the key to the transports' parts of netio.
var access frame.Access
