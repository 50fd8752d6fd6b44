package notify

import (
	"cmp"
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/vedette-io/vedette/platform/notify/channel"
	"github.com/vedette-io/vedette/platform/notify/delivery"
)

// Workers send the deliveries of all channels. Create them with NewWorkers. Any goroutine
// may call the methods. Several processes may have Workers on one database.
type Workers struct {
	o WorkerOptions

	mu       sync.Mutex
	channels map[string]channel.Channel
	senders  map[string]*running // nil unless Run is active
	stats    map[string]*sendStats
	ctx      context.Context // of Run
	pool     sync.WaitGroup
}

// running is a sender with the function that ends it.
type running struct {
	*sender
	stop context.CancelFunc
}

// NewWorkers returns Workers for channels by their names. The Workers close a channel when
// SetChannels replaces it, or when Run ends.
func NewWorkers(o WorkerOptions, channels map[string]channel.Channel) *Workers {
	o.Parallel = cmp.Or(o.Parallel, 8)
	o.Lease = cmp.Or(o.Lease, time.Minute)
	o.Poll = cmp.Or(o.Poll, 200*time.Millisecond)
	o.Grace = cmp.Or(o.Grace, 10*time.Second)
	o.Keep = cmp.Or(o.Keep, delivery.Keep)
	o.reloaded = &atomic.Pointer[delivery.Policy]{}
	w := &Workers{o: o, stats: map[string]*sendStats{}}
	w.SetChannels(channels)
	return w
}

// Run sends until ctx ends, and then waits for the tries in progress. It also removes old
// deliveries. Call it once.
func (w *Workers) Run(ctx context.Context) {
	w.mu.Lock()
	w.ctx, w.senders = ctx, map[string]*running{}
	for name, ch := range w.channels {
		w.startLocked(name, ch)
	}
	w.mu.Unlock()
	w.pool.Go(func() { keeper{&w.o, w.log, w.configured}.run(ctx) })
	<-ctx.Done()
	w.mu.Lock()
	w.senders = nil // from here on, no sender starts
	w.mu.Unlock()
	w.pool.Wait()
}

// SetPolicy replaces WorkerOptions.Policy for later failures.
func (w *Workers) SetPolicy(p delivery.Policy) { w.o.reloaded.Store(&p) }

// SetChannels replaces the channels. An unchanged channel continues; its type must be
// comparable. The tries of a replaced channel end while its successor begins.
func (w *Workers) SetChannels(channels map[string]channel.Channel) {
	w.mu.Lock()
	defer w.mu.Unlock()
	before := w.channels
	w.channels = make(map[string]channel.Channel, len(channels))
	for name, ch := range channels {
		w.channels[name] = ch
		if w.stats[name] == nil {
			w.stats[name] = &sendStats{}
		}
	}
	if w.senders == nil {
		return
	}
	for name, ch := range before {
		if w.channels[name] != ch {
			w.senders[name].stop()
			delete(w.senders, name)
		}
		if w.channels[name] == nil {
			delete(w.stats, name)
		}
	}
	for name, ch := range w.channels {
		if w.senders[name] == nil {
			w.startLocked(name, ch)
		}
	}
}

// configured reports whether a channel is among the current ones.
func (w *Workers) configured(name string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.channels[name] != nil
}

// startLocked starts the sender of a channel.
func (w *Workers) startLocked(name string, ch channel.Channel) {
	ctx, stop := context.WithCancel(w.ctx)
	s := newSender(&w.o, name, ch, w.stats[name], w.log)
	w.senders[name] = &running{s, stop}
	w.pool.Go(func() {
		defer stop()
		s.run(ctx)
	})
}

// log returns the logger. It looks up the default logger on each call.
func (w *Workers) log() *slog.Logger {
	if w.o.Logger != nil {
		return w.o.Logger
	}
	return slog.Default()
}

// Wake announces committed deliveries of some channels, so that their workers do not wait
// for Poll. No names mean all channels.
func (w *Workers) Wake(names ...string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(names) == 0 {
		for name := range w.senders {
			names = append(names, name)
		}
	}
	for _, name := range names {
		if s := w.senders[name]; s != nil {
			select {
			case s.wake <- struct{}{}:
			default: // the sender is already awake
			}
		}
	}
}

// Stats returns the counts of the workers by channel name.
func (w *Workers) Stats() map[string]SendStats {
	w.mu.Lock()
	defer w.mu.Unlock()
	all := make(map[string]SendStats, len(w.stats))
	for name, s := range w.stats {
		all[name] = s.get()
	}
	return all
}
