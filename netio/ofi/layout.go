//go:build linux && (amd64 || arm64)

package ofi

import "unsafe"

// The used structures of libfabric's ABI 1.x, on 64-bit systems. TestLayout compares them with the headers.

type fiInfo struct {
	next             *fiInfo
	caps, mode       uint64
	addrFormat       uint32
	srcLen, dstLen   uint64
	src, dst, handle unsafe.Pointer
	tx               *txAttr
	rx               unsafe.Pointer
	ep               *epAttr
	domain           *domainAttr
	fabric           *fabricAttr
	nic              unsafe.Pointer
}

type txAttr struct {
	caps, mode, opFlags, msgOrder, compOrder, inject, size, iov, rmaIov uint64
}

type epAttr struct {
	kind, protocol, version uint32
	messageMax              uint64
}

type domainAttr struct {
	domain                                              unsafe.Pointer
	name                                                *byte
	threading, control, data, resources, vector, mrMode int32
	keyBytes                                            uint64
}

type fabricAttr struct {
	fabric         unsafe.Pointer
	name, provider *byte
	provVersion    uint32
	apiVersion     uint32
}

// ops is a table of functions; the first entry is its size.
type ops [16]uintptr

type fid struct {
	class   uint64
	context unsafe.Pointer
	ops     *ops
}

// object is a fabric, domain, address vector or completion queue.
type object struct {
	fid
	ops *ops
	mr  *ops // of a domain
}

type endpoint struct {
	fid
	ops, cm, msg, rma *ops
}

type memoryRegion struct {
	fid
	desc uintptr
	key  uint64
}

type cqAttr struct {
	size, flags                   uint64
	format, wait, vector, waitFor int32
	set                           unsafe.Pointer
}

type avAttr struct {
	kind, bits   int32
	count, nodes uint64
	name, base   unsafe.Pointer
	flags        uint64
}

type cqEntry struct {
	context       uintptr
	flags, length uint64
	buffer        uintptr
	data          uint64
}

type cqError struct {
	context        uintptr
	flags, length  uint64
	buffer         uintptr
	data, tag      uint64
	beyond         uint64
	err, provErr   int32
	detail, detLen uintptr
}

type ioVec struct{ base, length uintptr }

type rmaVec struct{ at, length, key uint64 }

type rmaMessage struct {
	local   *ioVec
	desc    *uintptr
	locals  uint64
	peer    uint64
	remote  *rmaVec
	remotes uint64
	context uintptr
	data    uint64
}

type message struct {
	local   *ioVec
	desc    *uintptr
	locals  uint64
	peer    uint64
	context uintptr
	data    uint64
}

// Indexes of functions in their tables.
const (
	opClose, opBind, opControl = 1, 2, 3
	opSetOption                = 3
	opDomain, opTryWait        = 1, 5
	opAV, opCQ, opEndpoint     = 1, 2, 3
	opRegister                 = 1
	opInsert                   = 1
	opRead, opReadError        = 1, 3
	opGetName                  = 2
	opRecvMsg, opSend          = 3, 4
	opRMARead, opRMAWriteMsg   = 1, 6
)

// Flags and numbers.
const (
	capMsg, capRMA = 1 << 1, 1 << 2
	flagRead       = 1 << 8
	flagWrite      = 1 << 9
	flagRecv       = 1 << 10
	flagSend       = 1 << 11
	flagRemoteRead = 1 << 12
	flagRemoteWrit = 1 << 13
	flagMultiRecv  = 1 << 16
	flagDelivered  = 1 << 28
	flagSource     = 1 << 57
	modeContext    = 1 << 59
	modeContext2   = 1 << 52

	mrLocal, mrVirtual, mrAllocated, mrProvKey, mrEndpoint = 1 << 2, 1 << 4, 1 << 5, 1 << 6, 1 << 9

	kindRDM         = 3
	threadDomain    = 3
	progressManual  = 2
	vectorTable     = 2
	formatData      = 3
	waitNone        = 0
	waitDescriptor  = 3
	controlEnable   = 6
	controlGetWait  = 5
	optionEndpoint  = 0
	optionMinMulti  = 0
	errAgainNumber  = 11
	errNoDataNumber = 61
	errAvailable    = 259
)
