package informer

import (
	"github.com/vedette-io/vedette/internal/faultlog"
	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/reflector"
)

// listWatchLog logs the faults of one list and watch.
type listWatchLog struct {
	follow, objects *faultlog.Reporter
	means           *faultlog.Reporter
	invalid         uint64
}

func (e *engine) listWatchLog(lw *listWatch) *listWatchLog {
	attrs := []any{"scope", lw.scope.String()}
	if src, ok := lw.source.(interface{ Cluster() *kube.Cluster }); ok {
		attrs = append(attrs, "host", src.Cluster().Host())
	}
	return &listWatchLog{
		follow:  e.log("informer: list and watch fail", "informer: list and watch work again", attrs...),
		means:   e.log("informer: watches do not work as usual", "informer: watches work as usual again", attrs...),
		objects: e.log("informer: an unusable object is skipped", "", attrs...),
	}
}

// see takes the current health of the reflector.
func (l *listWatchLog) see(h reflector.Health) {
	if h.Phase == reflector.Stopped {
		return
	}
	l.follow.See(faultOf(h))
	l.means.See(meansOf(h))
	if h.Invalid > l.invalid && h.LastInvalid != nil {
		l.invalid = h.Invalid
		l.objects.See(faultlog.State{Err: h.LastInvalid, Attrs: []any{"skipped", h.Invalid}})
	}
}

func (l *listWatchLog) stop() {
	l.follow.Stop()
	l.means.Stop()
	l.objects.Stop()
}

// meansOf returns why a reflector does not learn of changes by a watch of usual duration.
func meansOf(h reflector.Health) faultlog.State {
	if h.Means == reflector.Watch || h.Reason == nil {
		return faultlog.State{}
	}
	return faultlog.State{Kind: h.Means.String(), Err: h.Reason, Remedy: "check the proxies between the program and the server; changes are seen up to a minute late"}
}

// faultOf returns the current fault of a reflector.
func faultOf(h reflector.Health) faultlog.State {
	if h.Err == nil {
		return faultlog.State{}
	}
	return faultlog.State{Kind: h.Fault.String(), Err: h.Err, Remedy: kube.Remedy(h.Err), Attrs: []any{"synced", h.Synced}}
}
