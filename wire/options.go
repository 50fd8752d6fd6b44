package wire

// ManagedFields determines whether records contain metadata.managedFields.
type ManagedFields uint8

const (
	// DropManagedFields removes them from every record: they are up to 60% of an object,
	// and few readers need them.
	DropManagedFields ManagedFields = iota
	// KeepManagedFields leaves records as the server sent them.
	KeepManagedFields
)

// DefaultMaxRecord is the default limit of a record, frame or other single value, in
// bytes: 32 MiB, twenty times the default limit of etcd.
const DefaultMaxRecord = 32 << 20

// Options are the options of the readers. The zero value works.
type Options struct {
	// MaxRecord is the largest single record or frame, in bytes; 0 means
	// DefaultMaxRecord. A larger object is reported as unusable. Raise it for an
	// aggregated API server that stores larger objects.
	MaxRecord int
	// ManagedFields is DropManagedFields by default.
	ManagedFields ManagedFields
	// APIVersion and Kind are the expected type of objects. Objects that do not state a
	// type (items of a protobuf list) are accepted. If Kind is empty, the type is not
	// checked.
	APIVersion string
	Kind       string
	// UIDs makes readers skip the objects outside of a range, before they are copied.
	UIDs UIDRange
	// Opaque makes readers accept opaque versions. Otherwise such a version is
	// a defect of its object.
	Opaque bool
}

func (o Options) maxRecord() int {
	if o.MaxRecord <= 0 {
		return DefaultMaxRecord
	}
	return o.MaxRecord
}
