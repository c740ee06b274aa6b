// Package fit measures the parameters of package model on the machine that it runs on, and keeps them in the user's folder of
// configuration.
//
// Links are measured through the ports of a transport, as the runtime uses them: ping-pongs of frames,
// streams of frames of several sizes, and trades, in which both ends send and take in. A stream's time a frame grows with its bytes along a line, whose rise is G and whose start is
// o+g; the ping-pong tells 2o+L+nG; a trade, beyond writing and reading the bytes, 2o and what processors pay for bytes and for
// system calls. Both ends touch each cache line of a frame, as filling it and handling it do,
// so that what is called G holds where nothing is copied too. What pebbles cost is measured on jobs of the runtime itself, on one
// thread, where times of ranks add up; and so are those of one application, on two ranks.
package fit
