package hostile

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// Type is a type that a Server serves.
type Type struct {
	Group, Version, Resource, Kind string
}

// Pods and Widgets are the types that every Server serves. Widgets have no protobuf.
var (
	Pods    = &Type{"", "v1", "pods", "Pod"}
	Widgets = &Type{"example.com", "v1", "widgets", "Widget"}
)

// Namespaces are the namespaces of all objects.
var Namespaces = []string{"a", "b", "c"}

func (t *Type) apiVersion() string {
	if t.Group == "" {
		return t.Version
	}
	return t.Group + "/" + t.Version
}

// Object is the true state of an object.
type Object struct {
	Namespace, Name, UID string
	Version              uint64
	Node, Payload        string
	Label                string
	// Unusable marks an object that is legal but exceeds the limits of clients.
	Unusable bool
}

// Key returns "namespace/name".
func (o *Object) Key() string { return o.Namespace + "/" + o.Name }

// occurrence is an event of the true history.
type occurrence struct {
	kind   string
	object Object
}

// table holds the objects of one type.
type table struct {
	objects map[string]Object
	history []occurrence
	floor   uint64        // watches from older versions are refused
	wake    chan struct{} // closed at the next occurrence
}

// Objects returns the true objects of a type by their keys.
func (s *Server) Objects(t *Type) map[string]Object {
	s.mu.Lock()
	defer s.mu.Unlock()
	return maps.Clone(s.tables[t].objects)
}

// Write changes something: it creates, updates, deletes or replaces a few objects of a type.
func (s *Server) Write(t *Type) {
	s.mu.Lock()
	defer s.mu.Unlock()
	tab := s.tables[t]
	for range 1 + s.random.IntN(4) {
		o := Object{Namespace: Namespaces[s.random.IntN(len(Namespaces))], Name: fmt.Sprint("o-", s.random.IntN(8))}
		old, there := tab.objects[o.Key()]
		switch n := s.random.IntN(10); {
		case !there:
			s.putLocked(tab, "ADDED", s.freshLocked(o))
		case n < 6:
			old.Node, old.Payload = s.nodeLocked(), s.payloadLocked()
			s.putLocked(tab, "MODIFIED", old)
		case n < 9:
			s.putLocked(tab, "DELETED", old)
		default: // delete, and create again under the same name
			s.putLocked(tab, "DELETED", old)
			s.putLocked(tab, "ADDED", s.freshLocked(o))
		}
	}
}

// freshLocked returns a newly created object.
func (s *Server) freshLocked(o Object) Object {
	s.uids++
	o.UID = fmt.Sprintf("%s-%d", s.name, s.uids)
	o.Node, o.Payload = s.nodeLocked(), s.payloadLocked()
	o.Label = fmt.Sprint("l", s.random.IntN(3))
	o.Unusable = s.poison && s.random.IntN(10) == 0
	return o
}

func (s *Server) nodeLocked() string {
	if n := s.random.IntN(4); n > 0 {
		return fmt.Sprint("node-", n)
	}
	return ""
}

func (s *Server) payloadLocked() string {
	return strings.Repeat(string(rune('a'+s.random.IntN(26))), 1+s.random.IntN(200))
}

// putLocked adds an occurrence to the true history.
func (s *Server) putLocked(tab *table, kind string, o Object) {
	s.version++
	o.Version = s.version
	if kind == "DELETED" {
		delete(tab.objects, o.Key())
	} else {
		tab.objects[o.Key()] = o
	}
	tab.history = append(tab.history, occurrence{kind, o})
	close(tab.wake)
	tab.wake = make(chan struct{})
}

// forgetLocked drops all history.
func (s *Server) forgetLocked() {
	for _, tab := range s.tables {
		tab.floor, tab.history = s.version, nil
	}
}

// Behave ends all misbehavior. Requests that hang may continue to hang.
func (s *Server) Behave() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.behaves {
		return
	}
	s.behaves = true
	s.noteLocked("behaves from here; lied: %v", s.lied)
	if s.lied {
		// A client may have got anything. Versions and objects restart above all invented
		// ones.
		s.version += 2 * maxAhead
		for _, tab := range s.tables {
			for _, key := range slices.Sorted(maps.Keys(tab.objects)) {
				s.putLocked(tab, "MODIFIED", tab.objects[key])
			}
		}
		s.forgetLocked()
	} else if s.random.IntN(3) == 0 {
		s.forgetLocked()
	}
	close(s.healed)
}

// maxAhead is the maximum distance of an invented version from the true one, except for
// unbounded ones.
const maxAhead = 1000

// far is a version that no server reaches.
const far = 1 << 60

// noteLocked records an action of the server.
func (s *Server) noteLocked(format string, args ...any) {
	line := fmt.Sprintf("%10.3fs ", time.Since(s.began).Seconds()) + fmt.Sprintf(format, args...)
	if len(s.script) >= maxScript {
		s.script = slices.Delete(s.script, 0, maxScript/4)
	}
	s.script = append(s.script, line)
}

// maxScript limits the recorded actions of a server.
const maxScript = 400

// Script returns the last actions of the server.
func (s *Server) Script() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return strings.Join(s.script, "\n")
}
