package workqueue

import "testing"

// handshakes are the groups of goroutines that the tests explore.
func handshakes() map[string]world {
	producer := func(items int8) actor { return actor{at: addCount, items: items} }
	worker := actor{at: getLock}
	cancelable := actor{at: getLock, cancelable: true}
	closer := actor{at: closeInbox}
	return map[string]world{
		"two producers, two workers":            {actors: [4]actor{producer(2), producer(1), worker, worker}},
		"two producers, a worker that gives up": {actors: [4]actor{producer(1), producer(1), cancelable, worker}},
		"three producers, one worker":           {actors: [4]actor{producer(2), producer(1), producer(1), worker}},
		"a producer, two workers, Close":        {actors: [4]actor{producer(2), worker, worker, closer}},
		"two producers, one worker, Close":      {actors: [4]actor{producer(2), producer(1), worker, closer}},
		"a producer, one that gives up, Close":  {actors: [4]actor{producer(2), cancelable, worker, closer}},
	}
}

// TestHandshake explores every interleaving: each item that Add accepts is handed out, no
// goroutine blocks another forever, and Close ends each Get.
func TestHandshake(t *testing.T) {
	for name, w := range handshakes() {
		e := &explorer{visited: map[world]bool{}}
		e.explore(w)
		if e.failure != "" {
			t.Errorf("%s: the model found a failure: %s", name, e.failure)
		}
		t.Logf("%s: %d states", name, len(e.visited))
	}
}

// TestHandshakeFaults breaks each part of the handshake. The explorer must find a schedule
// in which that matters, or else TestHandshake proves nothing about the part.
func TestHandshakeFaults(t *testing.T) {
	for fault, name := range map[handshakeFault]string{
		checkBeforeIdle: "check before idle", noSecondCheck: "no second check by the worker",
		noCheckAfterPut: "no check after put", closeInboxAfterLock: "inbox closed after it was filed",
	} {
		found := false
		for _, w := range handshakes() {
			e := &explorer{fault: fault, visited: map[world]bool{}}
			e.explore(w)
			found = found || e.failure != ""
		}
		if !found {
			t.Errorf("%s: the explorer found no schedule that fails", name)
		}
	}
}
