package export

// Names for the tests.
var (
	NewRowWriter = newRowWriter
	DayOf        = dayOf
)

// Add adds a row.
func (w *rowWriter) Add(r Row) error { return w.add(r) }

// Close ends a file.
func (w *rowWriter) Close() error { return w.rows.Close() }

// GroupText is the limit of the texts of a row group in bytes.
const GroupText = groupText
