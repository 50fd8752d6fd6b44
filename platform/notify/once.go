package notify

import (
	"log/slog"
	"sync"
)

// once logs each message once. Any goroutine may use it.
type once struct {
	logger func() *slog.Logger
	mu     sync.Mutex
	seen   map[string]bool
}

// maxOnce is the maximum number of remembered messages. Further messages are not logged.
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
