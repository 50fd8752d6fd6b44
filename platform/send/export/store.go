package export

import (
	"context"
	"io"
)

// Store keeps files. Names are relative paths with slashes.
type Store interface {
	// Create begins a file. It may exist: Commit replaces it.
	Create(ctx context.Context, name string) (Writer, error)
	// Open opens a file. The error for a file that does not exist matches fs.ErrNotExist.
	Open(ctx context.Context, name string) (Reader, error)
	// String names the store for people, without a login.
	String() string
}

// Writer writes a file. The caller ends it with Commit or Discard, and may call Discard after
// Commit.
type Writer interface {
	io.Writer
	// Commit makes the file visible under its name, complete.
	Commit(ctx context.Context) error
	// Discard removes what was written. It does nothing after Commit.
	Discard()
}

// Reader reads a file at any place.
type Reader interface {
	io.ReaderAt
	io.Closer
	// Size returns the length in bytes.
	Size() int64
}
