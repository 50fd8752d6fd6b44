package apitest

import (
	"context"
	"encoding/json"
	"net"
	"net/http"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
)

// injectFault applies a fault to a request before it is answered; done reports that no other response follows.
func (s *Server) injectFault(w http.ResponseWriter, c *call) (done bool) {
	i := s.faults.take(c.Request, func(a Action) bool { return a.atRequest(c.Verb) }, afterRequests)
	if i == nil {
		return false
	}
	switch a := i.fault.Action; a.kind {
	case actRespond, actInStreamError:
		s.sendStatus(w, c, int(a.status.Code), a.status)
		return true
	case actCut:
		// The request is executed, but its response is lost: clients often handle this case wrongly.
		if c.Verb != VerbOther && s.prepare(c) == nil {
			s.dispatch(&discardedResponse{header: http.Header{}}, c)
		}
		endConnection(w, a.cut)
		return true
	case actDelay:
		return !s.pause(c.handler.Context(), i, a.delay)
	default:
		return !s.pause(c.handler.Context(), i, 0)
	}
}

// discardedResponse discards the response to a cut request.
type discardedResponse struct{ header http.Header }

func (l *discardedResponse) Header() http.Header         { return l.header }
func (l *discardedResponse) Write(p []byte) (int, error) { return len(p), nil }
func (l *discardedResponse) WriteHeader(int)             {}

// pause waits for a time, or until Release if d is 0. It reports whether to continue: not if the client or the server
// has closed.
func (s *Server) pause(ctx context.Context, i *Injection, d time.Duration) bool {
	var over <-chan time.Time
	if d > 0 {
		timer := time.NewTimer(d)
		defer timer.Stop()
		over = timer.C
	}
	select {
	case <-over:
		return true
	case <-i.released:
		return true
	case <-ctx.Done():
	case <-s.done:
	}
	return false
}

// endConnection ends the connection of a response before the response is complete.
func endConnection(w http.ResponseWriter, how CutKind) {
	var conn net.Conn
	if shared, ok := w.(sharedWriter); ok { // a connection of HTTP/2 ends for all of its requests
		conn = shared.conn
	} else {
		var err error
		if conn, _, err = http.NewResponseController(w).Hijack(); err != nil {
			return // it is already closed
		}
	}
	if how == CutReset {
		resetConn(conn)
		return
	}
	_ = conn.Close()
}

// faultDue counts the frames of a stream since it has met a fault. The caller holds faultRegistry.mu.
func (st *stream) faultDue(i *Injection) bool {
	base, met := st.faultBase[i]
	if !met {
		st.faultBase[i] = st.sent
		base = st.sent
	}
	if st.sent-base < i.fault.After {
		return false
	}
	// One more frame has to pass before the same fault strikes the same watch again.
	st.faultBase[i] = st.sent + 1
	return true
}

// injectFaults applies all due faults before the next frame.
func (st *stream) injectFaults(ctx context.Context) error {
	for {
		i := st.server.faults.take(st.call.Request, Action.inStream, st.faultDue)
		if i == nil {
			return nil
		}
		if st.flush() != nil {
			return errStreamOver
		}
		if err := st.execute(ctx, i); err != nil {
			return err
		}
	}
}

// execute executes a fault; an error ends the stream.
func (st *stream) execute(ctx context.Context, i *Injection) error {
	switch a := i.fault.Action; a.kind {
	case actStall, actDelay:
		if !st.server.pause(ctx, i, a.delay) {
			return errStreamOver
		}
	case actInStreamError:
		st.sendError(a.status)
		return errStreamOver
	case actCut:
		return st.cut(a.cut)
	case actGarbage:
		frame, err := st.garbageFrame(a.garbage)
		if err != nil {
			return err
		}
		return st.writeExtra(frame)
	case actBackwards:
		if st.last == nil && st.call.Streaming() {
			return nil
		}
		frame, err := st.backwards(a.by)
		if err != nil {
			return err
		}
		return st.writeExtra(frame)
	}
	return nil
}

// writeExtra writes an additional frame of a fault; it is not counted.
func (st *stream) writeExtra(frame []byte) error {
	if _, err := st.out.Write(frame); err != nil || st.flush() != nil {
		return errStreamOver
	}
	return nil
}

func (st *stream) cut(how CutKind) error {
	if how == CutMidFrame {
		rev, err := st.sample()
		if err != nil {
			return err
		}
		frame, err := st.frame(watch.Modified, rev)
		if err != nil {
			return err
		}
		if err := st.writeExtra(frame[:len(frame)/2]); err != nil {
			return err
		}
	}
	if how != CutClean {
		endConnection(st.out, how)
	}
	return errStreamOver
}

// sample returns an object that this watch could send: the last one that it sent, or else an empty one.
func (st *stream) sample() (*revision, error) {
	if st.last != nil {
		return st.last, nil
	}
	obj, err := st.call.table.res.newObject()
	if err != nil {
		return nil, err
	}
	obj.SetName("specimen")
	obj.SetNamespace(st.call.Namespace)
	setVersion(obj, st.version)
	return newRevision(st.call.table.res, obj, st.version)
}

// backwards returns an event whose version is lower than that of the last one.
func (st *stream) backwards(by uint64) ([]byte, error) {
	rev, err := st.sample()
	if err != nil {
		return nil, err
	}
	old, err := rev.atVersion(subtractVersion(rev.version, by))
	if err != nil {
		return nil, err
	}
	return st.frame(watch.Modified, old)
}

// subtractVersion subtracts from a version, but not below the first version.
func subtractVersion(version, by uint64) uint64 {
	if version <= by {
		return 1
	}
	return version - by
}

// garbageFrame returns a frame with a defect.
func (st *stream) garbageFrame(what GarbageKind) ([]byte, error) {
	f := st.call.enc.format
	switch what {
	case GarbageFraming:
		return garbageFraming(f), nil
	case GarbageOtherKind:
		p, err := otherKind(st.call.table.res, st.version, f)
		return p.appendEvent(nil, watch.Modified, f), err
	case GarbageEventType:
		rev, err := st.sample()
		if err != nil {
			return nil, err
		}
		return st.frame("GARBAGE", rev)
	default:
		p := payload{kind: typeOf(st.call.table.res, st.call.enc), data: garbageObject(f)}
		return p.appendEvent(nil, watch.Modified, f), nil
	}
}

// garbageFraming returns bytes that do not begin a frame: a length beyond every limit, or invalid JSON.
func garbageFraming(f format) []byte {
	if f == formatProtobuf {
		return []byte("\xff\xff\xff\xf0garbage")
	}
	return []byte("{\"type\":]garbage[\n")
}

// garbageObject returns an object whose metadata cannot be read.
func garbageObject(f format) []byte {
	if f == formatProtobuf {
		return []byte("\x0a\x7fgarbage")
	}
	return []byte(`{"metadata":"garbage"}`)
}

// otherKind returns a valid object of another type.
func otherKind(res *resource, version uint64, f format) (payload, error) {
	other := metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{
		Name: "garbage", Namespace: metav1.NamespaceDefault, ResourceVersion: formatVersion(version),
	}}
	// A ConfigMap or a Secret with metadata only is valid.
	p := payload{kind: typeMeta{"v1", otherKindName(res)}}
	var err error
	if f == formatProtobuf {
		p.data, err = other.Marshal()
	} else {
		p.data, err = json.Marshal(other)
	}
	return p, err
}

// otherList returns an empty list of another type.
func otherList(res *resource, m listMeta, f format) (payload, error) {
	p := payload{kind: typeMeta{"v1", otherKindName(res) + "List"}}
	var err error
	if f == formatProtobuf {
		p.data, err = (&metav1.PartialObjectMetadataList{ListMeta: m.ListMeta}).Marshal()
	} else {
		p.data, err = json.Marshal(metav1.PartialObjectMetadataList{ListMeta: m.ListMeta, Items: []metav1.PartialObjectMetadata{}})
	}
	return p, err
}

// otherKindName returns a kind that differs from the resource's.
func otherKindName(res *resource) string {
	if res.Group == "" && res.Kind == "ConfigMap" {
		return "Secret"
	}
	return "ConfigMap"
}
