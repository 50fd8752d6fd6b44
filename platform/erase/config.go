package erase

import (
	"fmt"

	"github.com/vedette-io/vedette/platform/sqldb"
)

// Config is what Run and Clean need.
type Config struct {
	DB *sqldb.DB
	// By is the person who erases, for the audit.
	By string
	// Progress gets the progress, such as "300 of 4000 objects". It may be nil.
	Progress func(text string)
}

// say reports progress.
func (c *Config) say(format string, args ...any) {
	if c.Progress != nil {
		c.Progress(fmt.Sprintf(format, args...))
	}
}
