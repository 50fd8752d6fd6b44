package workqueue

import "fmt"

// The tests of handshake_test.go check the handshake between Queue.AddWith, Queue.GetBatch and Queue.Close in
// every interleaving. The model below has one step for each access to memory that another
// goroutine may read at that moment: the locks, inbox.count, inbox.idle and inbox.closed.
// Steps that only touch memory below the lock of the queue are joined.

// handshakeFault breaks the handshake on purpose.
type handshakeFault uint8

const (
	noFault             handshakeFault = iota
	checkBeforeIdle                    // the worker checks the inbox before it sets idle
	noSecondCheck                      // the worker does not check the inbox after it sets idle
	noCheckAfterPut                    // the producer does not check idle after it puts the item
	closeInboxAfterLock                // Close closes the inbox after it has filed the items
)

// step is the program counter of a goroutine of the model.
type step uint8

const (
	ended step = iota

	// AddWith.
	addCount   // q.inbox.count.Load
	addTryLock // q.mu.TryLock
	addIdle    // first check of idle, in inbox.put
	addPut     // appends to the inbox
	addRecheck // second check of idle, in inbox.put
	addWake    // q.lock and q.unlock, in putInbox
	addLock    // q.mu.Lock
	addItem    // addLocked
	added

	// GetBatch.
	getLock
	getItem
	getWait
	getRelock
	getUnpark
	getCancel
	getCanceled

	// Close.
	closeInbox
	closeLock
	closeQueue
	closeInboxLate

	// Queue.advance, after which resume follows.
	advance
	advanceFile

	// Queue.unlock, after which resume follows.
	unlock
	unlockClose
	unlockIdle
	unlockCheck
	unlockFile
	unlockSignal
	release
)

// actor is a goroutine of the model.
type actor struct {
	at, resume step
	items      int8 // that a producer still adds
	cancelable bool // a worker whose context may end while it waits
	parked     bool
	woken      bool
}

// world is a state of the model. It is comparable, so that each state is explored once.
type world struct {
	locked, idle, sealed, closing, closed   bool
	inbox, queued, taken, accepted, signals int8
	actors                                  [4]actor
}

// explorer visits all states that a world can reach.
type explorer struct {
	fault   handshakeFault
	visited map[world]bool
	failure string
}

func (e *explorer) explore(w world) {
	if e.failure != "" || e.visited[w] {
		return
	}
	e.visited[w] = true
	stuck := true
	for i := range w.actors {
		next := w
		if e.step(&next, &next.actors[i]) {
			stuck = false
			e.explore(next)
		}
		if a := &w.actors[i]; a.cancelable && a.at == getWait && !a.woken {
			next := w
			next.actors[i].at = getCancel
			e.explore(next)
		}
	}
	if stuck {
		e.failure = w.check()
	}
}

// check returns the fault of a state in which no goroutine can continue.
func (w *world) check() string {
	for i, a := range w.actors {
		if a.at != ended && a.at != getWait {
			return fmt.Sprintf("deadlock: goroutine %d waits at step %d", i, a.at)
		}
		if a.at == getWait && w.closing {
			return fmt.Sprintf("worker %d waits on a closed queue", i)
		}
	}
	if w.taken != w.accepted {
		return fmt.Sprintf("%d items were added and %d handed out; %d are in the inbox and %d in the queue", w.accepted, w.taken, w.inbox, w.queued)
	}
	return ""
}

// step takes one step of a goroutine, and reports whether it could.
func (e *explorer) step(w *world, a *actor) bool {
	switch {
	case a.at == ended:
		return false
	case a.at < getLock:
		return e.add(w, a)
	case a.at < closeInbox:
		return w.get(a)
	case a.at < advance:
		return e.close(w, a)
	}
	return e.underLock(w, a)
}

// lock takes the lock of the queue. The goroutine continues at resume after Queue.advance.
func (w *world) lock(a *actor, resume step) bool {
	if w.locked {
		return false
	}
	w.locked, a.at, a.resume = true, advance, resume
	return true
}

func (a *actor) unlock(resume step) bool {
	a.at, a.resume = unlock, resume
	return true
}

func (e *explorer) add(w *world, a *actor) bool {
	switch a.at {
	case addCount:
		a.at = choose(w.inbox > 0, addIdle, addTryLock)
	case addTryLock:
		if !w.lock(a, addItem) {
			a.at = addIdle
		}
	case addIdle:
		a.at = choose(w.idle, addLock, addPut)
	case addPut:
		if w.sealed {
			a.at = addLock
			break
		}
		w.inbox++
		w.accepted++
		a.at = choose(e.fault == noCheckAfterPut, added, addRecheck)
	case addRecheck:
		a.at = choose(w.idle, addWake, added)
	case addWake:
		return w.lock(a, unlock) // resume is then that of unlock: see underLock
	case addLock:
		return w.lock(a, addItem)
	case addItem:
		if !w.closing {
			w.queued++
			w.accepted++
		}
		return a.unlock(added)
	case added:
		a.items--
		a.at = choose(a.items > 0, addCount, ended)
	}
	return true
}

func (w *world) get(a *actor) bool {
	switch a.at {
	case getLock:
		return w.lock(a, getItem)
	case getItem:
		switch {
		case w.closed:
			return a.unlock(ended)
		case w.queued > 0:
			w.queued--
			w.taken++
			return a.unlock(getLock)
		}
		a.parked = true
		return a.unlock(getWait)
	case getWait:
		if !a.woken {
			return false
		}
		a.at = getRelock
	case getRelock:
		return w.lock(a, getUnpark)
	case getUnpark:
		w.unpark(a)
		a.at = getItem
	case getCancel:
		return w.lock(a, getCanceled)
	case getCanceled:
		w.unpark(a)
		return a.unlock(ended)
	}
	return true
}

// unpark is waiters.unpark.
func (w *world) unpark(a *actor) {
	if !a.parked {
		w.signals--
	}
	a.parked, a.woken = false, false
}

func (e *explorer) close(w *world, a *actor) bool {
	switch a.at {
	case closeInbox:
		w.sealed = e.fault != closeInboxAfterLock
		a.at = closeLock
	case closeLock:
		return w.lock(a, closeQueue)
	case closeQueue:
		w.closing = true
		if e.fault != closeInboxAfterLock {
			return a.unlock(ended)
		}
		a.at = closeInboxLate
	case closeInboxLate:
		w.sealed = true
		return a.unlock(ended)
	}
	return true
}

// underLock takes a step of Queue.advance or Queue.unlock.
func (e *explorer) underLock(w *world, a *actor) bool {
	switch a.at {
	case advance:
		if w.inbox > 0 {
			a.at = advanceFile
		} else {
			w.advanced(a)
		}
	case advanceFile:
		w.file()
		w.advanced(a)
	case unlock:
		a.at = choose(w.closing || w.anyParked() || w.idle, unlockClose, release)
	case unlockClose:
		if w.closing && w.queued == 0 && !w.closed {
			w.closed = true
			for w.signal() {
			}
		}
		a.at = unlockSignal
		if w.signals == 0 && w.anyParked() && w.queued == 0 {
			a.at = choose(e.fault == checkBeforeIdle, unlockCheck, unlockIdle)
		}
	case unlockIdle:
		w.idle = true
		a.at = choose(e.fault == noSecondCheck || e.fault == checkBeforeIdle, unlockSignal, unlockCheck)
	case unlockCheck:
		a.at = choose(w.inbox > 0, unlockFile, choose(e.fault == checkBeforeIdle, unlockIdle, unlockSignal))
	case unlockFile:
		w.file()
		a.at = unlockSignal
	case unlockSignal:
		waits := w.signals == 0 && w.anyParked()
		if waits && w.queued > 0 {
			w.signal()
			waits = false
		}
		w.idle = waits
		a.at = release
	case release:
		w.locked, a.at = false, a.resume
	}
	return true
}

// advanced ends Queue.advance.
func (w *world) advanced(a *actor) {
	if a.at = a.resume; a.at == unlock {
		a.resume = added
	}
}

// file is Queue.fileInbox.
func (w *world) file() {
	w.queued += w.inbox
	w.inbox = 0
}

func (w *world) anyParked() bool {
	for _, a := range w.actors {
		if a.parked {
			return true
		}
	}
	return false
}

// signal wakes a worker, and reports whether one was parked.
func (w *world) signal() bool {
	for i := range w.actors {
		if a := &w.actors[i]; a.parked {
			a.parked, a.woken = false, true
			w.signals++
			return true
		}
	}
	return false
}

func choose(condition bool, then, otherwise step) step {
	if condition {
		return then
	}
	return otherwise
}
