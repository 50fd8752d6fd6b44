package feed

import (
	"fmt"
	"strings"

	"github.com/vedette-io/vedette/platform/internal/model"
)

// MaxPartitions is the maximum number of partitions of a cursor.
const MaxPartitions = 64

// Partition is a part of the objects of a feed. All transitions of an object are in the same
// partition, so their order holds within it.
type Partition struct {
	Index int // from 0
	Of    int // number of partitions; 1 means that the feed is not divided
}

// String returns a text such as "2-of-4", which counts from 1.
func (p Partition) String() string { return fmt.Sprintf("%d-of-%d", p.Index+1, p.Of) }

// cursor returns the name of the cursor of a partition.
func (p Partition) cursor(name string) string {
	if p.Of == 1 {
		return name
	}
	return name + "/" + p.String()
}

// filter returns the filter for the rows of the feed.
func (p Partition) filter() model.FeedFilter {
	return model.FeedFilter{Remainder: p.Index, Divisor: p.Of}
}

// parseCursor returns the parts of the name of a cursor. A cursor without a partition has
// the partition 1 of 1.
func parseCursor(cursor string) (name string, p Partition) {
	if i := strings.LastIndexByte(cursor, '/'); i > 0 {
		var at Partition
		n, err := fmt.Sscanf(cursor[i+1:], "%d-of-%d", &at.Index, &at.Of)
		at.Index--
		if n == 2 && err == nil && at.Of > 1 && at.Of <= MaxPartitions && at.Index >= 0 && at.Index < at.Of && at.String() == cursor[i+1:] {
			return cursor[:i], at
		}
	}
	return cursor, Partition{Of: 1}
}
