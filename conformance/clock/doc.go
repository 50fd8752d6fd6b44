// Package clock moves the wall clock of programs under test, as an administrator or NTP
// moves the clock of a machine. It leaves the monotonic clock and all timers alone.
//
// Linux cannot give one process a wall clock of its own, so Overlay changes time.Now: a
// program that is built with it adds the number of seconds in a file that it shares with
// the test.
package clock
