package recordapi

import "github.com/vedette-io/vedette/platform/history"

// reader has the data sources of all operations.
type reader struct {
	Config
	history *history.History
}
