package slack

import "sync"

// maxThreads is the maximum number of jobs whose first message is known.
const maxThreads = 4096

// threads are the first messages of jobs. They are not stored: after a restart, the next
// message of a job begins another thread.
type threads struct {
	mu    sync.Mutex
	first map[string]string
	order []string // the oldest first
}

// get returns the timestamp of the first message, or "" if it is unknown.
func (t *threads) get(key string) string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.first[key]
}

// put stores a first message, and drops the oldest if there are too many.
func (t *threads) put(key, timestamp string) {
	if key == "" || timestamp == "" {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.first == nil {
		t.first = map[string]string{}
	}
	if _, known := t.first[key]; known {
		return
	}
	t.first[key], t.order = timestamp, append(t.order, key)
	if len(t.order) > maxThreads {
		delete(t.first, t.order[0])
		t.order = t.order[1:]
	}
}

// drop removes a first message. Its place in the order stays, so a later put of the same
// key may be dropped early.
func (t *threads) drop(key string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.first, key)
}
