// Package report creates tables and images from measurements, and saves the measurements
// in a file for later comparisons.
package report
