// Command bench measures Vedette side by side with its peers: the same bytes,
// from a server that has them encoded beforehand, into a process of its own for
// each contestant and round, in turn.
//
//	go run .                           the short round: one table of ratios, 5 minutes
//	go run . -full -out ../docs        everything, into docs/benchmarks.md
//	go run . -run '^sync$' -pods 10000 -rounds 5
//	go run . -list
//	go run . -json a.json
//	go run . diff a.json b.json
//
// What is measured is in package scenario, who takes part in package contest,
// what they are given in packages workload and serve, and what is to be reached in
// package report.
package main
