// Package report makes tables and pictures of what was measured, and keeps it in
// a file, to be put beside that of another day.
package report
