package recordapi

import (
	"github.com/vedette-io/vedette/platform/history"
	"github.com/vedette-io/vedette/platform/portal/web"
)

// reader has the data sources of all operations.
type reader struct {
	Config
	history *history.History
	counts  *web.Share
}

// Statistics that all people together, and each person, compute at once.
const maxCounts, countsOfOne = 4, 1
