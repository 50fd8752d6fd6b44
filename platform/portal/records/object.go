package records

import (
	"github.com/vedette-io/vedette/platform/history"
	"github.com/vedette-io/vedette/platform/portal/api"
	"github.com/vedette-io/vedette/wire"
)

// OfType returns a type for the API.
func OfType(t history.Type) api.RecordType {
	return api.RecordType{Group: t.Group, Resource: t.Resource, Kind: t.Kind}
}

// typeOf is the inverse of OfType.
func typeOf(t api.RecordType) history.Type {
	return history.Type{Group: t.Group, Resource: t.Resource, Kind: t.Kind}
}

// OfObject returns an object for the API.
func OfObject(o *history.Object) api.Record {
	return api.Record{
		ID: o.ID, Cluster: o.Cluster, ClusterUID: o.ClusterUID, Type: OfType(o.Type), Namespace: o.Namespace, Name: o.Name, UID: o.UID,
		Created: o.Created.UTC(), Seen: o.Seen.UTC(), Gone: o.Gone.UTC(), Version: o.Version.String(), State: o.State, Raw: o.Raw, Reason: o.Reason, Message: o.Message,
		Since: o.Since.UTC(), Queue: o.Queue, Submitter: o.Submitter, OwnerKind: o.Owner.Kind, OwnerName: o.Owner.Name, OwnerUID: o.Owner.UID, Presence: o.Presence.String(),
	}
}

// objectOf is the inverse of OfObject.
func objectOf(r *api.Record) history.Object {
	return history.Object{
		ID: r.ID, Cluster: r.Cluster, ClusterUID: r.ClusterUID, Type: typeOf(r.Type), Namespace: r.Namespace, Name: r.Name, UID: r.UID,
		Created: r.Created, Seen: r.Seen, Gone: r.Gone, Version: versionOf(r.Version), State: r.State, Raw: r.Raw, Reason: r.Reason, Message: r.Message,
		Since: r.Since, Queue: r.Queue, Submitter: r.Submitter, Owner: history.Owner{Kind: r.OwnerKind, Name: r.OwnerName, UID: r.OwnerUID}, Presence: presenceOf(r.Presence),
	}
}

// versionOf reads a version; an invalid text is 0.
func versionOf(text string) wire.Version {
	v, err := wire.ParseVersion(text)
	if err != nil {
		return 0
	}
	return v
}

// presenceOf reads a presence; an unknown word is Unknown.
func presenceOf(word string) history.Presence {
	p := history.Unknown
	if err := p.UnmarshalText([]byte(word)); err != nil {
		return history.Unknown
	}
	return p
}
