package stream

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/vedette-io/vedette/platform/feed"
	"github.com/vedette-io/vedette/wire"
)

// EventType is the CloudEvents type of transitions. Fields may be added to Data within a
// version, and never change their meaning.
const EventType = "io.vedette.transition.v1"

// MaxEvent is the maximum size of an event in structured mode, in bytes. NATS and Kafka
// accept messages of 1 MB by default.
const MaxEvent = 256 << 10

// Event is a transition as a CloudEvent 1.0.
type Event struct {
	// ID identifies the transition within its source. The same transition always has the
	// same ID, also when it is sent again, by another process, or after the database was
	// restored. A correction of a transition has an ID of its own. It consists of ASCII
	// letters, digits, full stops and hyphens.
	ID string
	// Source is "/vedette/" and the UID of the cluster.
	Source string
	// Subject names the object: "jobs.batch/team-a/train-7".
	Subject string
	// Time is the time of the transition.
	Time time.Time
	// Key is the UID of the object. Events with the same key are in order.
	Key  string
	Data Data
}

// Kind is the reason of an event.
type Kind string

const (
	// KindNew transitions are later than all known transitions of their object.
	KindNew Kind = "new"
	// KindLate transitions were recorded after a later transition of their object.
	KindLate Kind = "late"
	// KindCorrected transitions replace an event about the same object and version.
	KindCorrected Kind = "corrected"
	// KindWithdrawn means that the version is not a transition: earlier events about this
	// object and version do not hold.
	KindWithdrawn Kind = "withdrawn"
	// KindStatus means that the status of a job changed because of its pods, such as to
	// Restarting, and its object did not change. The version is the last one of the object.
	KindStatus Kind = "status"
)

// Data is the content of an event. Unknown values are absent. Version, From and the fields
// below are those of the transition; Object has the last recorded state of the object.
type Data struct {
	Kind     Kind          `json:"kind"`
	Position feed.Position `json:"position,omitempty"` // place in the feed; absent in a backfill
	Cluster  Cluster       `json:"cluster"`
	Object   Object        `json:"object"`
	Version  string        `json:"version"` // resourceVersion
	From     string        `json:"from,omitempty"`
	To       string        `json:"to,omitempty"`
	FromRaw  string        `json:"fromRaw,omitempty"`
	ToRaw    string        `json:"toRaw,omitempty"`
	Reason   string        `json:"reason,omitempty"`
	Message  string        `json:"message,omitempty"`
	Happened time.Time     `json:"happened,omitzero"`
	Seen     time.Time     `json:"seen,omitzero"`
	Observed string        `json:"observed,omitempty"` // watch, list, relist or inferred
	// Truncated names the fields that were removed or shortened because of MaxEvent.
	Truncated []string `json:"truncated,omitempty"`
}

// Cluster is the cluster of an object.
type Cluster struct {
	Name string `json:"name,omitempty"`
	UID  string `json:"uid"`
}

// Object is the object of a transition.
type Object struct {
	Group     string            `json:"group,omitempty"`
	Resource  string            `json:"resource"`
	Kind      string            `json:"kind"`
	Namespace string            `json:"namespace,omitempty"`
	Name      string            `json:"name"`
	UID       string            `json:"uid"`
	Queue     string            `json:"queue,omitempty"`
	Submitter string            `json:"submitter,omitempty"`
	Owner     *Owner            `json:"owner,omitempty"`
	Created   time.Time         `json:"created,omitzero"`
	Labels    map[string]string `json:"labels,omitempty"`
	Status    *Status           `json:"status,omitempty"` // of a job
}

// Status is the last recorded status of a job, which its object and its pods decide together.
type Status struct {
	State   string    `json:"state"`
	Reason  string    `json:"reason,omitempty"`
	Message string    `json:"message,omitempty"`
	Since   time.Time `json:"since,omitzero"`
}

// Owner is the controller of an object.
type Owner struct {
	Kind string `json:"kind"`
	Name string `json:"name"`
	UID  string `json:"uid"`
}

// NewEvent returns the event of a transition in the feed.
func NewEvent(t *feed.Transition) Event {
	o := &t.Object
	e := Event{ID: identifier(o.UID, t.Version), Source: "/vedette/" + plain(o.ClusterUID), Subject: subject(o), Time: t.Happened.UTC(), Key: o.UID, Data: Data{
		Kind: Kind(t.Kind.String()), Position: t.Position, Cluster: Cluster{o.Cluster, o.ClusterUID}, Object: objectOf(o), Version: t.Version.String(),
	}}
	d := &e.Data
	switch {
	case t.Withdrawn:
		d.Kind = KindWithdrawn
	case t.Kind == feed.Decided:
		return statusEvent(e)
	default:
		d.From, d.To, d.FromRaw, d.ToRaw, d.Reason, d.Message = string(t.From), string(t.To), t.FromRaw, t.ToRaw, t.Reason, t.Message
		d.Happened, d.Seen, d.Observed = t.Happened.UTC(), t.Seen.UTC(), t.Source.String()
	}
	if t.Kind == feed.Corrected {
		e.ID += correction(t)
	}
	if e.Time.IsZero() || t.Withdrawn {
		e.Time = t.Seen.UTC()
	}
	return e
}

// statusEvent returns the event about the status of a job. Entries of the feed that are read after the next
// status give events with the same ID.
func statusEvent(e Event) Event {
	d := &e.Data
	d.Kind = KindStatus
	if s := d.Object.Status; s != nil {
		d.To, d.Reason, d.Message, d.Happened, e.Time = s.State, s.Reason, s.Message, s.Since, s.Since
		sum := sha256.Sum256(fmt.Appendf(nil, "%q %q %q %d", s.State, s.Reason, s.Message, s.Since.UnixMicro()))
		e.ID += fmt.Sprintf(".status.%x", sum[:8])
	}
	return e
}

// identifier returns the ID of the first event about an object and a version.
func identifier(uid string, version wire.Version) string { return plain(uid) + "." + version.String() }

// plain returns a UID without characters that headers, URLs and subjects do not take.
// Kubernetes assigns UUIDs, but other servers may not: such a UID becomes a hash.
func plain(uid string) string {
	const letters = "-0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
	if uid != "" && len(uid) <= 64 && strings.Trim(uid, letters) == "" {
		return uid
	}
	sum := sha256.Sum256([]byte(uid))
	return hex.EncodeToString(sum[:16])
}

// Unique returns an ID that differs between events of different sources too, for brokers
// that drop repeated IDs. It has the same characters as ID.
func (e *Event) Unique() string { return plain(e.Data.Cluster.UID) + "." + e.ID }

// correction returns the end of the ID of a correction: its place in the feed and its
// content. After a restore of the database, another correction may have the same place.
func correction(t *feed.Transition) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%t %q %q %q %q %q %q %d %d", t.Withdrawn, t.From, t.To, t.FromRaw, t.ToRaw, t.Reason, t.Message, t.Happened.UnixMicro(), t.Source))
	return fmt.Sprintf(".%d.%x", t.Position, sum[:4])
}

func subject(o *feed.Object) string {
	parts := []string{o.Type.String(), o.Namespace, o.Name}
	if o.Namespace == "" {
		parts = []string{o.Type.String(), o.Name}
	}
	return strings.Join(parts, "/")
}

func objectOf(o *feed.Object) Object {
	out := Object{
		Group: o.Type.Group, Resource: o.Type.Resource, Kind: o.Type.Kind, Namespace: o.Namespace, Name: o.Name, UID: o.UID,
		Queue: o.Queue, Submitter: o.Submitter, Created: o.Created.UTC(), Labels: o.Labels,
	}
	if o.Owner.UID != "" || o.Owner.Name != "" {
		out.Owner = &Owner{o.Owner.Kind, o.Owner.Name, o.Owner.UID}
	}
	if s := o.Status; s != nil {
		out.Status = &Status{State: string(s.State), Reason: s.Reason, Message: s.Message, Since: s.At.UTC()}
	}
	return out
}

// Attribute is a CloudEvents attribute and its value.
type Attribute struct{ Name, Value string }

// Attributes returns the attributes of an event for binary mode, without its content type.
func (e *Event) Attributes() []Attribute {
	all := []Attribute{
		{"specversion", "1.0"},
		{"id", e.ID},
		{"source", e.Source},
		{"type", EventType},
		{"subject", e.Subject},
		{"dataschema", SchemaURL},
		{"partitionkey", e.Key},
	}
	if !e.Time.IsZero() {
		all = append(all, Attribute{"time", e.Time.Format(time.RFC3339Nano)})
	}
	return all
}

// structured is an event in the JSON format of CloudEvents.
type structured struct {
	SpecVersion     string          `json:"specversion"`
	ID              string          `json:"id"`
	Source          string          `json:"source"`
	Type            string          `json:"type"`
	Subject         string          `json:"subject"`
	Time            time.Time       `json:"time,omitzero"`
	DataContentType string          `json:"datacontenttype"`
	DataSchema      string          `json:"dataschema"`
	PartitionKey    string          `json:"partitionkey"`
	Data            json.RawMessage `json:"data"`
}

// Content types of events.
const (
	// DataType is the content type of Data.
	DataType = "application/json"
	// StructuredType is the content type of a structured event.
	StructuredType = "application/cloudevents+json"
)

// Body returns the content of an event, for binary mode: Data as JSON.
//
// Errors: the data cannot be written as JSON, which does not happen with any text.
func (e *Event) Body() ([]byte, error) { return e.body(maxData) }

// body is Body for a limit in bytes. It shortens an event only as far as it must, and returns a
// longer text if nothing is left to shorten.
func (e *Event) body(most int) ([]byte, error) {
	d := e.Data
	text, err := json.Marshal(&d)
	if err == nil && len(text) > most {
		d.Object.Labels, d.Truncated = nil, append(d.Truncated, "object.labels")
		text, err = json.Marshal(&d)
	}
	for i, length := range textLengths {
		if err != nil || len(text) <= most {
			break
		}
		if i == 0 {
			d.Truncated = append(d.Truncated, "message")
		}
		d.Message, d.Reason, d.FromRaw, d.ToRaw = cut(d.Message, length), cut(d.Reason, length), cut(d.FromRaw, length), cut(d.ToRaw, length)
		if s := d.Object.Status; s != nil {
			d.Object.Status = &Status{State: s.State, Reason: cut(s.Reason, length), Message: cut(s.Message, length), Since: s.Since}
		}
		text, err = json.Marshal(&d)
	}
	if err != nil {
		return nil, fmt.Errorf("event %s as JSON: %w", e.ID, err)
	}
	return text, nil
}

// maxData leaves room for the attributes, of which the subject is the longest.
const maxData = MaxEvent - 4<<10

// textLengths are the lengths of shortened texts in bytes.
var textLengths = [...]int{4 << 10, 256, 16}

// cut returns at most n bytes of a text, and does not cut characters.
func cut(text string, n int) string {
	if len(text) <= n {
		return text
	}
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n]
}

// Structured returns an event with its content in the JSON format of CloudEvents.
//
// Errors: those of Body.
func (e *Event) Structured() ([]byte, error) { return e.structured(MaxEvent) }

func (e *Event) structured(most int) ([]byte, error) {
	whole := structured{
		SpecVersion: "1.0", ID: e.ID, Source: e.Source, Type: EventType, Subject: e.Subject, Time: e.Time,
		DataContentType: DataType, DataSchema: SchemaURL, PartitionKey: e.Key, Data: json.RawMessage("{}"),
	}
	around, err := json.Marshal(&whole)
	if err != nil {
		return nil, fmt.Errorf("event %s as JSON: %w", e.ID, err)
	}
	if whole.Data, err = e.body(most - len(around)); err != nil {
		return nil, err
	}
	return json.Marshal(&whole)
}

// Mode is the way in which an event is put into a message.
type Mode int

const (
	// Binary messages have Data as body, and the attributes as headers.
	Binary Mode = iota
	// Structured messages have the whole event as body.
	Structured
)

// ParseMode returns the mode with a name.
//
// Errors: the name is not "binary" or "structured".
func ParseMode(name string) (Mode, error) {
	switch name {
	case "binary":
		return Binary, nil
	case "structured":
		return Structured, nil
	}
	return 0, fmt.Errorf("the mode is %q: want binary or structured", name)
}

// Message returns the body, the content type and the attributes for headers of an event. most is
// the limit of the broker for body and headers in bytes; 0 or more than MaxEvent means MaxEvent. The
// event is shortened to it. fits is false if that was not enough.
//
// Errors: those of Event.Body.
func (m Mode) Message(e *Event, most int) (body []byte, contentType string, headers []Attribute, fits bool, err error) {
	if most <= 0 || most > MaxEvent {
		most = MaxEvent
	}
	if contentType = StructuredType; m == Binary {
		contentType, headers = DataType, e.Attributes()
	}
	room := most - ownHeaders
	for _, h := range headers {
		room -= len(h.Name) + 3*len(h.Value) + perHeader // a sink may escape the value
	}
	if m == Structured {
		body, err = e.structured(room)
	} else {
		body, err = e.body(room)
	}
	return body, contentType, headers, len(body) <= room, err
}

// A sink adds headers of its own, such as the content type and an ID against repetitions, and some
// bytes for each header.
const (
	ownHeaders = 300
	perHeader  = 8
)
