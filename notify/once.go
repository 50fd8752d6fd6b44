package notify

import (
	"log/slog"
	"sync"
)

// once logs each line once. Any goroutine may use it.
type once struct {
	logger func() *slog.Logger
	mu     sync.Mutex
	seen   map[string]bool
}

// maxOnce bounds how many lines are remembered. Further ones are not logged.
const maxOnce = 1000

func (o *once) log(key, text string, attrs ...any) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.seen == nil {
		o.seen = map[string]bool{}
	}
	if !o.seen[key] && len(o.seen) < maxOnce {
		o.seen[key] = true
		o.logger().Warn(text, attrs...)
	}
}
