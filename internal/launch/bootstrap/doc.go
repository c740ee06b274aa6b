// Package bootstrap lets processes that another launcher has started find each other: each knows its number and how many there are,
// and in the end all know the secret of their job and where every one of them listens.
//
//	process i                                      its parent (i-1)/8
//	  listen; leave a card on the board              the same
//	  read the parent's card, dial, prove      ──►   prove
//	  when all children have reported:
//	    processes of the subtree               ──►   when all children have reported: the same
//	                                                 process 0 makes the secret
//	  job: secret, all processes               ◄──   job
//	  pass it on to the children
//
// A board is what the launcher has for values that all of its processes can read: its key-value store ([Store]), or a folder that their
// hosts share ([Folder]). What lies there is no secret. A card has an address and the fingerprint of a certificate that its process
// has made for this start; two ends of a connection are held to their cards by TLS 1.3. Who can write to the board can join the job:
// a launcher lets only its own tasks put values, and a folder's cards belong to the user, with mode 0600.
//
// Where the processes know addresses and secret beforehand ([MeetAt]), no board is needed, and each end proves the secret as on every
// other connection of a job (package handshake).
//
// Process 0 has at most 8 connections, whatever the size of the job, and a job of P processes has a tree of log8(P) levels.
package bootstrap
