package apitest

// ring holds the latest values. Server.logMu guards it.
type ring[T any] struct {
	values []T
	limit  int
	next   int
}

func (r *ring[T]) add(v T) {
	if len(r.values) < r.limit {
		r.values = append(r.values, v)
		return
	}
	r.values[r.next] = v
	r.next = (r.next + 1) % r.limit
}

// all returns a copy of the values, the oldest first.
func (r *ring[T]) all() []T {
	return append(append([]T(nil), r.values[r.next:]...), r.values[:r.next]...)
}
