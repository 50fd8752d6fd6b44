// Package window tests what is recorded when a part of the history is lost: the server has compacted it,
// or the database is restored from a backup.
package window
