package logs

import (
	"cmp"
	"container/heap"
	"context"
	"errors"
	"sync"
	"time"
)

// source is a log that can be read to its current end.
type source interface {
	read(ctx context.Context, out *batch) error
}

// feed is one log on its way into the merge.
type feed struct {
	lines <-chan []Line
	head  []Line
	at    time.Time // of the first line of head; never decreases
	index int       // orders lines with the same time
}

// fill ensures that head has a line, and reports whether the log has more lines.
func (f *feed) fill() bool {
	for len(f.head) == 0 {
		more, open := <-f.lines
		if !open {
			return false
		}
		f.head = more
	}
	if t := f.head[0].Time; t.After(f.at) {
		f.at = t
	}
	return true
}

// feeds is a heap: the first one has the earliest line.
type feeds []*feed

func (h feeds) Len() int { return len(h) }
func (h feeds) Less(i, j int) bool {
	return cmp.Or(h[i].at.Compare(h[j].at), cmp.Compare(h[i].index, h[j].index)) < 0
}
func (h feeds) Swap(i, j int) { h[i], h[j] = h[j], h[i] }

// Push implements heap.Interface.
func (h *feeds) Push(x any) {
	if f, ok := x.(*feed); ok {
		*h = append(*h, f)
	}
}

// Pop implements heap.Interface.
func (h *feeds) Pop() any {
	last := len(*h) - 1
	f := (*h)[last]
	*h = (*h)[:last]
	return f
}

// errEnough reports that the consumer wants no more lines.
var errEnough = errors.New("enough")

// readTogether reads logs concurrently, and yields their lines ordered by time. The lines
// of one log stay in their order, even if a clock was set back. It buffers a few batches
// of each log. All goroutines have ended when it returns.
//
// Errors: errEnough if yield returned false; the first error of a source; the cause of
// ctx.
func readTogether[S source](ctx context.Context, sources []S, yield func(Line) bool) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var work sync.WaitGroup
	var all []*feed
	for i, s := range sources {
		lines := make(chan []Line, 1)
		all = append(all, &feed{lines: lines, index: i})
		work.Go(func() {
			defer close(lines)
			out := &batch{out: lines}
			if err := errors.Join(s.read(ctx, out), out.flush(ctx)); err != nil {
				cancel(err)
			}
		})
	}
	if !merge(all, yield) {
		cancel(errEnough)
	}
	work.Wait()
	return context.Cause(ctx)
}

// merge yields the lines of all feeds. It returns false if yield did.
func merge(all []*feed, yield func(Line) bool) bool {
	var h feeds
	for _, f := range all {
		if f.fill() {
			h = append(h, f)
		}
	}
	heap.Init(&h)
	for len(h) > 0 {
		first := h[0]
		if !yield(first.head[0]) {
			return false
		}
		first.head = first.head[1:]
		if first.fill() {
			heap.Fix(&h, 0)
		} else {
			heap.Pop(&h)
		}
	}
	return true
}
