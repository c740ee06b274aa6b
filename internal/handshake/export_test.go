package handshake

// SumOf is sumOf.
var SumOf = sumOf
