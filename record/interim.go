package record

import (
	"time"

	"github.com/vedette-io/vedette/record/internal/model"
)

// moment is the inverse of micros.
func moment(at int64) time.Time { return model.Time(at) }
