// Command bench compares Vedette with its peers: the same bytes, from a server that has
// encoded them in advance, to a process of its own for each contestant and round, in
// turn.
//
//	go run .                           the short round: one table of ratios, 5 minutes
//	go run . -full -out ../docs        everything, into docs/benchmarks.md
//	go run . -run '^sync$' -pods 10000 -rounds 5
//	go run . -list
//	go run . -json a.json
//	go run . diff a.json b.json
//
// Package scenario defines the measurements, package contest the contestants, packages
// workload and serve their input, and package report the targets.
package main
