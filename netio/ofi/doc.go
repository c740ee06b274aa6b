// Package ofi is the faster way between processes that an RDMA fabric connects: InfiniBand, RoCE, Slingshot, EFA. It
// uses libfabric, which it loads at run time, without cgo. A program has it when it imports the package:
//
//	import _ "github.com/activepebbles/pebbles/netio/ofi"
//
// Package netio/tcp connects all processes besides, and tells when one is lost.
//
// The way is what TreadMarks over GM calls a thin substrate (TreadMarks over GM, 2.1 and 2.2). A process has one
// endpoint of reliable datagrams. Frames up to 16 KiB are copied into packets, many in one; for a larger one the packet
// says where it is, and its receiver fetches it. Packets are received into slabs that were posted before the sender was
// told that it may send, so no packet ever finds none. What has no room goes over TCP.
//
// All that is above the few calls of a fabric is plain Go. Tests run it over a fabric of their own, too.
package ofi
