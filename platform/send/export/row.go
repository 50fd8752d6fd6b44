package export

import (
	"fmt"
	"strconv"
	"time"

	"github.com/vedette-io/vedette/platform/send/stream"
)

// Row is a transition in a file. The columns have the names and meanings of the view
// transition_times and of the events of package stream. A text that is unknown is empty, and a
// time that is unknown is null.
//
// The time at which a state ended is not a column, because it is unknown for the last state of
// each object: lead(happened_at) over (partition by uid order by version) computes it.
type Row struct {
	ID         string            `parquet:"id"` // ID of the event; unique within a cluster
	ClusterUID string            `parquet:"cluster_uid,dict"`
	Cluster    string            `parquet:"cluster,dict"`
	Group      string            `parquet:"api_group,dict"`
	Resource   string            `parquet:"resource,dict"`
	Kind       string            `parquet:"kind,dict"`
	Namespace  string            `parquet:"namespace,dict"`
	Name       string            `parquet:"name"`
	UID        string            `parquet:"uid"`
	Version    int64             `parquet:"version"` // resourceVersion
	From       string            `parquet:"from_state,dict"`
	To         string            `parquet:"to_state,dict"`
	FromRaw    string            `parquet:"from_raw_state,dict"`
	ToRaw      string            `parquet:"to_raw_state,dict"`
	Reason     string            `parquet:"reason,dict"`
	Message    string            `parquet:"message"`
	Source     string            `parquet:"source,dict"` // watch, list, relist or inferred
	Happened   time.Time         `parquet:"happened_at,timestamp(microsecond)"`
	Seen       time.Time         `parquet:"seen_at,timestamp(microsecond)"`
	Created    *time.Time        `parquet:"created_at,optional,timestamp(microsecond)"`
	OwnerKind  string            `parquet:"owner_kind,dict"`
	OwnerName  string            `parquet:"owner_name"`
	OwnerUID   string            `parquet:"owner_uid"`
	Queue      string            `parquet:"queue,dict"`
	Submitter  string            `parquet:"submitter,dict"`
	Labels     map[string]string `parquet:"labels"`
}

// rowOf returns the row of an event.
//
// Errors: the resourceVersion is not a number.
func rowOf(e *stream.Event) (Row, error) {
	d := &e.Data
	o := &d.Object
	version, err := strconv.ParseInt(d.Version, 10, 64)
	if err != nil {
		return Row{}, fmt.Errorf("transition %s: the version is %q, not a number", e.ID, d.Version)
	}
	r := Row{
		ID: e.ID, ClusterUID: d.Cluster.UID, Cluster: d.Cluster.Name, Group: o.Group, Resource: o.Resource, Kind: o.Kind,
		Namespace: o.Namespace, Name: o.Name, UID: o.UID, Version: version, From: d.From, To: d.To, FromRaw: d.FromRaw, ToRaw: d.ToRaw,
		Reason: d.Reason, Message: d.Message, Source: d.Observed, Happened: d.Happened, Seen: d.Seen, Queue: o.Queue, Submitter: o.Submitter, Labels: o.Labels,
	}
	if o.Owner != nil {
		r.OwnerKind, r.OwnerName, r.OwnerUID = o.Owner.Kind, o.Owner.Name, o.Owner.UID
	}
	if !o.Created.IsZero() {
		r.Created = &o.Created
	}
	return r, nil
}

// textSize returns the number of bytes of the texts of a row that differ from row to row.
func (r *Row) textSize() int {
	n := len(r.ID) + len(r.Name) + len(r.UID) + len(r.Message) + len(r.Reason) + len(r.ToRaw) + len(r.FromRaw) + len(r.OwnerName) + len(r.OwnerUID)
	for name, value := range r.Labels {
		n += len(name) + len(value)
	}
	return n
}
