package wire

// ManagedFields says what becomes of metadata.managedFields.
type ManagedFields uint8

const (
	// DropManagedFields cuts them out of every record: they are up to 60 % of
	// an object and hardly any reader wants them.
	DropManagedFields ManagedFields = iota
	// KeepManagedFields leaves records as the server sent them.
	KeepManagedFields
)

// DefaultMaxRecord is the largest record, frame or other single value that a
// reader takes, in bytes, unless Options say otherwise: 32 MiB, twenty times
// what etcd stores by default.
const DefaultMaxRecord = 32 << 20

// Options are the options of the readers. The zero value works.
type Options struct {
	// MaxRecord is the largest single record or frame, in bytes; 0 means
	// DefaultMaxRecord. A larger object is reported as unusable. Raise it for an
	// aggregated API server that stores larger objects.
	MaxRecord int
	// ManagedFields: dropped unless KeepManagedFields.
	ManagedFields ManagedFields
	// APIVersion and Kind are what an object must claim to be, where it claims
	// anything (items of a protobuf list do not). Empty: not checked.
	APIVersion string
	Kind       string
}

func (o Options) maxRecord() int {
	if o.MaxRecord <= 0 {
		return DefaultMaxRecord
	}
	return o.MaxRecord
}
