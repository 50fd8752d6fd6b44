// Package faultlog writes faults to a log: one line when a fault begins or changes, and
// one line when it is over. A fault that recurs with every retry is one line, and a
// fault that comes and goes cannot fill the log.
package faultlog
