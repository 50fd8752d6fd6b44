package history

import "github.com/vedette-io/vedette/platform/internal/model"

// remainder is the part of a list that a scan has not read yet: the rows between two
// positions, both exclusive. The scan moves the near end toward the far end.
type remainder struct {
	low, high model.Position
	order     Order
	empty     bool
}

// near returns the end that the scan moves.
func (r *remainder) near() model.Position {
	if r.order == OldestFirst {
		return r.low
	}
	return r.high
}

// far returns the other end.
func (r *remainder) far() model.Position {
	if r.order == OldestFirst {
		return r.high
	}
	return r.low
}

// rows returns the interval of the remainder, with a limit.
func (r *remainder) rows(limit int) model.Interval {
	return model.Interval{Low: r.low, High: r.high, Ascending: r.order == OldestFirst, Limit: limit}
}

// rowsUpTo returns the rows up to a position, inclusive.
func (r *remainder) rowsUpTo(end model.Position, limit int) model.Interval {
	i := r.rows(limit)
	if r.order == OldestFirst {
		i.High = earlier(model.Position{At: end.At, ID: end.ID + 1}, i.High)
	} else {
		i.Low = later(model.Position{At: end.At, ID: end.ID - 1}, i.Low)
	}
	return i
}

// advance moves the near end to a position, after everything up to it was read.
func (r *remainder) advance(to model.Position) {
	if r.order == OldestFirst {
		r.low = to
	} else {
		r.high = to
	}
	r.empty = r.empty || !r.low.Before(r.high)
}

// skipTo moves the near end to the beginning of an hour, unless it is beyond it already.
func (r *remainder) skipTo(hour int64) {
	if r.order == OldestFirst {
		r.advance(later(r.low, model.Position{At: model.HourStart(hour)}))
	} else {
		r.advance(earlier(r.high, model.Position{At: model.HourStart(hour + 1)}))
	}
}

// after returns the position that follows an hour in the direction of the scan, but none
// beyond the far end.
func (r *remainder) after(hour int64) model.Position {
	if r.order == OldestFirst {
		return earlier(r.high, model.Position{At: model.HourStart(hour + 1)})
	}
	return later(r.low, model.Position{At: model.HourStart(hour)})
}

// contains reports whether a part of an hour may lie in the remainder.
func (r *remainder) contains(hour int64) bool {
	return model.HourOf(r.low.At) <= hour && hour <= model.HourOf(r.high.At)
}

// compare orders positions in the direction of the scan.
func (r *remainder) compare(x, y model.Position) int {
	if r.order == OldestFirst {
		return x.Compare(y)
	}
	return y.Compare(x)
}

func earlier(x, y model.Position) model.Position {
	if x.Before(y) {
		return x
	}
	return y
}

func later(x, y model.Position) model.Position {
	if x.Before(y) {
		return y
	}
	return x
}
