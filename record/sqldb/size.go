package sqldb

// Size is the space that a database takes, in bytes.
type Size struct {
	// Files is the space on disk, including free space within the files.
	Files int64
	// Used is the space of the history, which retention compares with its limit. Exact
	// says how good it is.
	Used int64
	// Exact says that Used is measured and includes the last commit. Otherwise it is an
	// estimate from statistics, which may be minutes old.
	Exact bool
}

// Bytes of one row, with its share of the indexes and without its body. They were measured
// with 40,000 revisions on PostgreSQL and MariaDB.
const (
	RevisionBytes   = 200
	TransitionBytes = 250
	ObjectBytes     = 600
)

// EstimateUsed returns Size.Used for a server, whose files do not shrink when rows are
// deleted. rows has the number of rows of each table, and body is the average size of
// a stored body in bytes.
func EstimateUsed(rows map[string]int64, body float64) int64 {
	return rows["revisions"]*(RevisionBytes+int64(body)) + rows["transitions"]*TransitionBytes + rows["objects"]*ObjectBytes
}
