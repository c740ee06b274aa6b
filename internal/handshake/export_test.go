package handshake

// SumUnlessTold is sumUnlessTold.
var SumUnlessTold = sumUnlessTold
