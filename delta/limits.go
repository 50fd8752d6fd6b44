package delta

// Defaults of Limits.
const (
	DefaultDeltas = 1024
	DefaultBytes  = 1 << 20
)

// Limits bound a queue. The zero value means the defaults. They keep a store busy while
// the next bytes arrive, and are small compared with the content of a store.
type Limits struct {
	// Deltas is the maximum number of deltas; 0 means DefaultDeltas.
	Deltas int
	// Bytes is the maximum total size of their bodies; 0 means DefaultBytes.
	Bytes int
}

// withDefaults returns l with defaults for unset limits.
func (l Limits) withDefaults() Limits {
	if l.Deltas <= 0 {
		l.Deltas = DefaultDeltas
	}
	if l.Bytes <= 0 {
		l.Bytes = DefaultBytes
	}
	return l
}
