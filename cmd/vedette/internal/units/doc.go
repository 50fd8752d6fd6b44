// Package units parses and formats times, durations, sizes and counts for people.
package units
