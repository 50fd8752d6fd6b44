package apitest

import (
	"net/http"
)

// listWriter writes one list, item by item, and applies faults to it.
type listWriter struct {
	server *Server
	call   *call
	w      http.ResponseWriter
	items  [][]byte
	buf    []byte
	seen   map[*Injection]bool
}

// writeChunk is the number of bytes that are collected before a write.
const writeChunk = 32 << 10

// send writes the whole list, unless a fault ends it.
func (l *listWriter) send(m listMeta) {
	l.seen = map[*Injection]bool{}
	m = l.backdate(m)
	parts, body, err := l.frame(m)
	if err != nil {
		l.server.fail(l.w, l.call, err)
		return
	}
	l.w.Header().Set("Content-Type", l.call.enc.mediaType())
	if body != nil {
		// An error means that the client has closed the connection; also below.
		_, _ = l.w.Write(body)
		return
	}
	l.buf = append(l.buf, parts.head...)
	for i, item := range l.items {
		if !l.injectFault(parts, i) {
			return
		}
		l.buf = parts.appendItem(l.buf, i, item)
		if len(l.buf) >= writeChunk && !l.empty() {
			return
		}
	}
	if !l.injectFault(parts, len(l.items)) {
		return
	}
	l.buf = append(l.buf, parts.tail...)
	l.empty()
}

// frame computes the bytes around the items, after Garbage has changed one of the items or replaced the body.
func (l *listWriter) frame(m listMeta) (parts listParts, body []byte, err error) {
	f := l.call.enc.format
	i := l.take(len(l.items), func(a Action) bool { return a.kind == actGarbage })
	if i == nil {
		parts, err = newListParts(l.call.table.res, l.call.enc, m, l.items)
		return parts, nil, err
	}
	switch i.fault.Action.garbage {
	case GarbageFraming:
		return parts, garbageFraming(f), nil
	case GarbageOtherKind:
		p, err := otherList(l.call.table.res, m, f)
		return parts, p.appendTo(nil, f), err
	default:
		at := min(i.fault.After, len(l.items)-1)
		if at < 0 {
			l.items = append(l.items, nil)
			at = 0
		}
		l.items[at] = garbageObject(f)
		parts, err = newListParts(l.call.table.res, l.call.enc, m, l.items)
		return parts, nil, err
	}
}

// backdate lowers the version of the list if a fault requires it.
func (l *listWriter) backdate(m listMeta) listMeta {
	i := l.take(len(l.items), func(a Action) bool { return a.kind == actBackwards })
	if i == nil {
		return m
	}
	if version, err := parseVersion(m.ResourceVersion); err == nil {
		m.ResourceVersion = formatVersion(subtractVersion(version, i.fault.Action.by))
	}
	return m
}

// take returns a fault for this list whose After is at most passed. No fault strikes a list twice.
func (l *listWriter) take(passed int, wanted func(Action) bool) *Injection {
	if l.call.Verb != VerbList {
		return nil
	}
	return l.server.faults.take(l.call.Request, wanted, func(i *Injection) bool {
		if l.seen[i] || i.fault.After > passed {
			return false
		}
		l.seen[i] = true
		return true
	})
}

// injectFault applies faults to the list before its next item, and reports whether to continue.
func (l *listWriter) injectFault(parts listParts, index int) bool {
	i := l.take(index, func(a Action) bool {
		return a.inList() && a.kind != actGarbage && a.kind != actBackwards
	})
	if i == nil {
		return true
	}
	switch a := i.fault.Action; a.kind {
	case actStall, actDelay:
		return l.flush() && l.server.pause(l.call.handler.Context(), i, a.delay)
	case actCut:
		if a.cut == CutMidFrame {
			half := parts.tail
			if index < len(l.items) {
				half = parts.appendItem(nil, index, l.items[index])
			}
			l.buf = append(l.buf, half[:len(half)/2]...)
		}
		if l.flush() && a.cut != CutClean {
			endConnection(l.w, a.cut)
		}
		return false
	}
	return true
}

// empty writes the collected bytes, and reports whether the client still reads.
func (l *listWriter) empty() bool {
	_, err := l.w.Write(l.buf)
	l.buf = l.buf[:0]
	return err == nil
}

// flush sends the collected bytes.
func (l *listWriter) flush() bool {
	if !l.empty() {
		return false
	}
	return http.NewResponseController(l.w).Flush() == nil
}
