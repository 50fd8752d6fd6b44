package slack

import "sync"

// maxThreads is for how many jobs the first message is known.
const maxThreads = 4096

// threads are the first messages of jobs. They are lost at the end of the program: the next
// message of a job then begins another thread.
type threads struct {
	mu    sync.Mutex
	first map[string]string
	order []string // the oldest first
}

// get returns the timestamp of the first message, "" if it is not known.
func (t *threads) get(key string) string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.first[key]
}

// put remembers a first message, and forgets the oldest one if there are too many.
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

// drop forgets a first message. Its place in the order stays: put of the same key may then
// be forgotten early.
func (t *threads) drop(key string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.first, key)
}
