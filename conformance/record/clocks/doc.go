// Package clocks tests recorders and notifiers whose clocks jump or differ. It does nothing without
// `-clocks`, because it compiles the program and the standard library with another clock.
package clocks
