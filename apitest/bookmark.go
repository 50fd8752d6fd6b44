package apitest

import (
	"context"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
)

// bookmarkKind distinguishes the bookmark that ends a streaming list from those that only carry a version.
type bookmarkKind int

const (
	periodic bookmarkKind = iota
	endOfInitial
)

// sendBookmark sends the version up to which the client has received everything.
func (st *stream) sendBookmark(ctx context.Context, kind bookmarkKind) error {
	res := st.call.table.res
	obj, err := res.newObject()
	if err != nil {
		return err
	}
	setVersion(obj, st.version)
	if kind == endOfInitial {
		obj.SetAnnotations(map[string]string{metav1.InitialEventsAnnotationKey: "true"})
	}
	rev, err := newRevision(res, obj, st.version)
	if err != nil {
		return err
	}
	if err := st.send(ctx, watch.Bookmark, rev); err != nil {
		return err
	}
	if st.flush() != nil {
		return errStreamOver
	}
	return nil
}

// bookmarkTimer determines when the next bookmark is due; never, if the watch does not allow bookmarks.
type bookmarkTimer struct {
	timer    *time.Timer // nil: never
	interval time.Duration
	last     time.Time // just before the timeout
}

// bookmarks returns the timer for the bookmarks of a stream. The deadline of ctx is the timeout of the watch.
func (st *stream) bookmarks(ctx context.Context) *bookmarkTimer {
	deadline, bounded := ctx.Deadline()
	if !bounded || !st.call.list.AllowWatchBookmarks {
		return &bookmarkTimer{}
	}
	ahead := min(lastBookmark, time.Until(deadline)/10)
	p := &bookmarkTimer{interval: st.server.cfg.BookmarkInterval, last: deadline.Add(-ahead)}
	p.timer = time.NewTimer(p.wait())
	return p
}

// wait returns the time until the next bookmark, whether it is periodic or the one before the timeout.
func (p *bookmarkTimer) wait() time.Duration {
	wait := time.Until(p.last)
	if p.interval > 0 && p.interval < wait {
		return p.interval
	}
	return max(wait, 0)
}

func (p *bookmarkTimer) due() <-chan time.Time {
	if p.timer == nil {
		return nil
	}
	return p.timer.C
}

// next schedules the next bookmark after one was sent. No bookmark follows the last one.
func (p *bookmarkTimer) next() {
	if !time.Now().Before(p.last) {
		p.timer = nil
		return
	}
	p.timer.Reset(p.wait())
}

func (p *bookmarkTimer) stop() {
	if p.timer != nil {
		p.timer.Stop()
	}
}
