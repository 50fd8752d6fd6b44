package access

import "time"

// Sight says what a person sees. It does not change.
type Sight struct {
	all     bool
	key     string
	expired chan struct{} // nil: never
	until   time.Time
}

// All reports whether the person sees everything. The page of operations and dead letters
// are for such persons, see [Access.Operates].
func (s *Sight) All() bool { return s.all }

// Sees reports whether the person sees jobs of any type in a namespace. Jobs need SeesType.
func (s *Sight) Sees(cluster, namespace string) bool { return s.all }

// SeesType reports whether the person sees jobs of a type ("jobs.batch") in a namespace.
func (s *Sight) SeesType(cluster, typ, namespace string) bool { return s.all }

// Key is equal for two sights that see the same.
func (s *Sight) Key() string { return s.key }

// Expired returns a channel that is closed when the sight has to be asked for again: after
// 30 s, or earlier if a binding of the person changed. It is nil for a sight that lasts. An
// open stream asks for its sight then, and says so if its key is another.
func (s *Sight) Expired() <-chan struct{} { return s.expired }
