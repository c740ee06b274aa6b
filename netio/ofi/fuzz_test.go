package ofi

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/netio"
	"github.com/activepebbles/pebbles/netio/netiotest"
)

// FuzzHead reads heads of packets: a valid head was sealed, or its checksum was.
func FuzzHead(f *testing.F) {
	sealed := make([]byte, packetHead+64)
	h := head{token: 7, process: 3, limit: 1 << 40, bytes: uint32(len(sealed)), records: 2, releases: 5, short: true}
	h.seal(sealed)
	f.Add(sealed)
	f.Add(sealed[:packetHead-1])
	f.Add(make([]byte, packetSmall))
	f.Fuzz(func(t *testing.T, packet []byte) {
		h, member, err := unseal(packet, 7)
		if !member {
			require.NoError(t, err)
			return
		}
		if err != nil {
			require.ErrorIs(t, err, netio.ErrDamaged)
			return
		}
		require.EqualValues(t, 7, h.token)
	})
}

// FuzzPacket takes apart the records and releases of a packet from a member that sends nonsense: it is refused, and
// nothing beyond the packet is read.
func FuzzPacket(f *testing.F) {
	frame := make([]byte, recordHead+8)
	putRecord(frame, &netio.Header{Kind: netio.Data, From: 1, Bytes: 8}, netio.Data, 3)
	f.Add(frame, uint16(1), uint16(0))
	note := make([]byte, recordHead+referenceBytes)
	for _, kind := range []netio.Kind{ask, grant, revoke, revoked, netio.Data | byReference, 0, 0xff} {
		putRecord(note, &netio.Header{Kind: kind, From: 1, Bytes: eagerMax + 1, Seq: 1 << 32}, kind, 3)
		putReference(note[recordHead:], reference{at: 1, key: 2, bytes: eagerMax + 1, check: 4})
		f.Add(append([]byte(nil), note...), uint16(1), uint16(0))
	}
	f.Add([]byte{1, 2, 3, 4}, uint16(0), uint16(1))
	f.Fuzz(func(t *testing.T, records []byte, count, releases uint16) {
		all := dial(t, netiotest.Configs(t, 2, 2), Options{All: true}, (&loopback{}).ends)
		for _, p := range all {
			p.Start(func(error) {})
		}
		w, packet := all[0].way, append(make([]byte, packetHead), records...)
		h := head{token: w.token, process: 1, bytes: uint32(len(packet)), records: count, releases: releases}
		h.seal(packet)
		w.mu.Lock()
		w.arrived(packet)
		w.flushLinks()
		w.unlock()
		for range 3 {
			if f := all[0].Port(0).Recv(); f != nil {
				require.LessOrEqual(t, int(f.Bytes), netio.FrameBytesMax)
				f.Release()
			}
		}
		for _, p := range all {
			p.Abort("enough")
		}
		_ = netiotest.CloseAll(all) // without a goodbye
	})
}

// strict is a loopback that refuses foreign addresses, like libfabric.
type strict struct{ *loop }

func (s strict) Link(address []byte) (uint64, error) {
	if len(address) != len(s.Address()) {
		return 0, errors.New("no address")
	}
	return s.loop.Link(address)
}

// FuzzGreeting links another process's description of its endpoint.
func FuzzGreeting(f *testing.F) {
	f.Add(`{"Provider":"loopback","Packet":20000,"Packets":32,"Token":1,"Address":"AA=="}`)
	f.Add(`{"Provider":"tcp"}`)
	f.Add(`{"Provider":"loopback","Packet":-1}`)
	f.Fuzz(func(t *testing.T, text string) {
		w := &Way{
			fabric: strict{(&loopback{}).open()}, place: netio.PlaceOf(2, 2, 0), peers: make([]*peer, 2), packet: packetSmall,
		}
		if err := w.connect(1, text); err == nil {
			p := w.peers[1]
			require.GreaterOrEqual(t, p.packetMax, packetSmall)
			require.LessOrEqual(t, p.packetMax, w.packet)
		}
		w.fabric.Close()
	})
}
