// Package bootstrap is the address exchange of processes that another launcher has started: each begins with its number
// and the number of processes, and ends with the secret of the job and the listening addresses of all.
//
//	process i                                      its parent (i-1)/8
//	  listen; publish an entry in the store          the same
//	  look up the parent's entry, dial, prove  ──►   prove
//	  when all children have reported:
//	    processes of the subtree               ──►   when all children have reported: the same
//	                                                 process 0 makes the secret
//	  job: secret, all processes               ◄──   job
//	  send it to the children
//
// A [Store] holds values that all processes can read: in the launcher's key-value space ([LauncherStore]), or in a
// folder that their hosts share ([FolderStore]). It holds no secret. An entry has an address and the fingerprint of a
// certificate that its process has made for this start; TLS 1.3 checks both ends of a connection against their entries.
// A process that can write to the store can join the job: a launcher lets only its own tasks put values, and a folder's
// files belong to the user, with mode 0600.
//
// Processes that have the addresses and the secret beforehand ([ExchangeAt]) need no store, and each end proves the
// secret as on every other connection of a job (package handshake).
//
// Process 0 has at most 8 connections, for any size of the job, and a job of P processes has a tree of log8(P) levels.
package bootstrap
