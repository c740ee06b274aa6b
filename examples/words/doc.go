// Words counts words of text in a map that is spread over all ranks, and then looks some of them up: delegates whose
// questions are strings, which travel through codecs.
//
//	go run ./examples/words
package main
