package informer

import (
	"slices"
	"strings"
	"time"
)

// WarmStart configures a snapshot file. With it, a restarted informer has all objects at once
// and resumes the watch at its last version, without a list. If the server no longer has that
// version, the informer lists and compares everything, and reports deletions in between
// as missed.
//
// The server may show other content at the version that an object has in the file, for example
// after a new default in a schema, which a watch does not report. Therefore the informer
// compares the objects of the file with a list, which it reads in pages, one a second, 2 to 6
// minutes after the start. Objects with other content are updated.
//
// Another cluster may have replaced the one at the address. The informer shows the
// objects of the file at once, but resumes no watch until it has verified that the UID
// of the namespace kube-system is the one in the file. If the UID differs, or cannot be
// read (403, 404, no answer within 10 s), the informer lists and compares everything;
// the log and Health say so.
//
// A file is not used if it is damaged, of another format, or of another shape
// (resource, selectors, view, encoding, kept fields, record limit, version of
// Transform, fields of a projection); Health.ColdStart says why. Objects of Secret are
// only written encrypted.
type WarmStart struct {
	// Path is the path of the file; default no file. Its folder must exist, and each
	// informer needs a file of its own. Every write replaces the file by a rename.
	Path string
	// Key encrypts the file. It has 32 bytes. Default: the file is not encrypted, and only
	// the user of the process can read it.
	Key []byte
	// Every is the time between two writes; default 5 minutes. Run also writes the file
	// when it ends. A killed process resumes from the last file. With AtLeastOnce, it is how
	// often the file may advance, and so how much a killed process handles again.
	Every time.Duration
	// Identity names the cluster: only an informer with the same Identity uses the
	// file. Default the address. The address alone does not reveal that a cluster was
	// replaced; see above.
	Identity string
	// AtLeastOnce bounds the file by the acknowledgments of one consumer, which calls
	// Informer.AtLeastOnce or controller.Revisions: the file holds no state later than the
	// oldest event without an acknowledgment, and is not written without the consumer.
	// Run applies no change to the objects of the file until the consumer has come, so
	// handlers and reads show the state of the file until then. It needs a cluster whose
	// identity can be read, because otherwise a restart lists.
	AtLeastOnce bool
}

// defaultEvery is the default of WarmStart.Every.
const defaultEvery = 5 * time.Minute

func (w *WarmStart) check() error {
	if w.Path == "" {
		if w.AtLeastOnce {
			return invalid("set WarmStart.Path", "WarmStart.AtLeastOnce needs a file")
		}
		return nil
	}
	if n := len(w.Key); w.Key != nil && n != 32 {
		return invalid("", "WarmStart.Key has %d bytes, want 32", n)
	}
	return nil
}

// secret reports whether the objects of a resource must be encrypted.
func secret(resource string) bool {
	first, _, _ := strings.Cut(resource, ".")
	return slices.Contains([]string{"secret", "secrets"}, strings.ToLower(first))
}
