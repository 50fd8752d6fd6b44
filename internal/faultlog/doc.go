// Package faultlog writes faults to a log: a line when a fault begins or becomes
// another one, and a line when it is over. A fault that is met again with every try
// is one line, and a fault that comes and goes cannot fill the log.
package faultlog
