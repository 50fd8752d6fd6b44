package controller

import (
	"fmt"
	"sync/atomic"
)

// idSequence numbers reconciles. The random prefix distinguishes the numbers of several
// processes.
type idSequence struct {
	first uint32
	n     atomic.Uint64
}

func (i *idSequence) next() string { return fmt.Sprintf("%08x-%d", i.first, i.n.Add(1)) }
