// Package fit measures the parameters of package model on the present machine, and stores them in the user's
// configuration folder.
//
// Links are measured through the ports of a transport, as the runtime uses them: ping-pongs of frames, streams of
// frames of several sizes, and trades, where both ends send and receive. A stream's time per frame is linear in its
// bytes: the slope is G and the intercept is o+g. The ping-pong gives 2o+L+nG. A trade, minus writing and reading the
// bytes, gives 2o and the processor times for bytes and for system calls. Both ends touch each cache line of a frame,
// as filling and handling it do, so that G is also meaningful where nothing is copied. The costs of pebbles are
// measured on jobs of the runtime itself, on one thread, where times of ranks add up; and so are those of one
// application, on two ranks.
package fit
