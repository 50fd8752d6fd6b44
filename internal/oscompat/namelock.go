package oscompat

// Namelock is the exclusive use of a name. It ends with the process, however that ends, and no
// sooner unless Release is called.
type Namelock struct {
	// ID is equal for two locks only if one of them was held after the other had ended. It has
	// 32 characters.
	ID      string
	release func()
}

// Release ends the lock.
func (l *Namelock) Release() { l.release() }

// LockName locks a name, in all processes that share the network namespace of this one: those of
// a machine or a pod. It returns nil if the name is locked, or if the operating system is not
// Linux.
func LockName(name string) *Namelock {
	if id, release := lockName(name); release != nil {
		return &Namelock{id, release}
	}
	return nil
}
