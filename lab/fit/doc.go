// Package fit measures the parameters of package model on the machine that it runs on, and stores them in the user's
// configuration folder.
//
// Links are measured through the ports of a transport, as the runtime uses them: ping-pongs of frames, streams of
// frames of several sizes, and trades, in which both ends send and receive. A stream's time per frame is linear in its
// bytes: the slope is G and the intercept is o+g. The ping-pong gives 2o+L+nG; a trade, beyond writing and reading the
// bytes, gives 2o and what processors pay for bytes and for system calls. Both ends touch each cache line of a frame,
// as filling it and handling it do, so that G is meaningful where nothing is copied too. What pebbles cost is measured
// on jobs of the runtime itself, on one thread, where times of ranks add up; and so are those of one application, on
// two ranks.
package fit
