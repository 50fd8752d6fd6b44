package recordapi

import "github.com/vedette-io/vedette/record/history"

// reader has what all operations read from.
type reader struct {
	Config
	history *history.History
}
