// Package ofi is the faster way between processes that an RDMA fabric connects: InfiniBand, RoCE, Slingshot, EFA. It
// uses libfabric, which it loads at run time, without cgo. A program gets it by importing the package:
//
//	import _ "github.com/activepebbles/pebbles/netio/ofi"
//
// Package netio/tcp still connects all processes, and reports a lost one.
//
// The way is a thin substrate (TreadMarks over GM, 2.1 and 2.2). A process has one endpoint of reliable datagrams.
// Frames up to 16 KiB are copied into packets, many per packet. For a larger frame the packet holds its location, and
// the receiver fetches it. Packets are received into slabs that were posted before the sender got permission to send,
// so every packet finds a slab. Frames without room go over TCP.
//
// Everything above the few calls of a fabric is plain Go. Tests also run it over their own fabric.
package ofi
