// Package source opens the history that a command reads: of a database, or through a portal.
package source
