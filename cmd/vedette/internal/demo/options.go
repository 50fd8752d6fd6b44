package demo

import "github.com/vedette-io/vedette/cmd/vedette/internal/watchview"

// Options are the options of a demo.
type Options struct {
	Format  watchview.Options
	DB      string // URL of a database; "" means a new temporary file
	Jobs    int    // 0 means no end
	Seed    uint64
	Speed   float64
	Quiet   bool   // print no messages
	Listen  string // loopback address of the portal; "" means none
	Version string // of the program
}
