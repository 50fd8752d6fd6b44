// Package source opens the history that a command reads: from a database, or through a portal.
package source
