// Package fit measures the parameters of package model on the machine that it runs on, and keeps them in the user's folder of
// configuration.
//
// Links are measured through the ports of a transport, as the runtime uses them: ping-pongs of frames, bursts of sends, and
// streams of frames of several sizes. A stream's time a frame grows with its bytes along a line, whose rise is G and whose start is
// o+g; the burst tells o, and the ping-pong 2o+L+nG. Both ends touch each cache line of a frame, as filling it and handling it do,
// so that what is called G holds where nothing is copied too. What pebbles cost is measured on jobs of the runtime itself, on one
// thread, where times of ranks add up.
package fit
