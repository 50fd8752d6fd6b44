// Command bench measures Vedette side by side with client-go: the same bytes,
// from a server that has them encoded beforehand, into a process of its own for
// each contestant and round, in turn. It prints medians and their ratio.
//
//	go run .                 50,000 pods, 3 rounds
//	go run . -pods 10000 -rounds 5
//
// Times of a machine that does other things as well are noisy; bytes and ratios
// are what to look at.
package main
