package export

import (
	"context"
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// Folder is a store in a folder of this machine. The folder need not exist.
type Folder string

// String returns the path.
func (f Folder) String() string { return string(f) }

// Create begins a file. Until Commit it has a name that begins with a dot, which readers of
// Parquet files ignore.
func (f Folder) Create(_ context.Context, name string) (Writer, error) {
	path := filepath.Join(string(f), filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return nil, err
	}
	// os.CreateTemp would make a file for this user only, but others read exports.
	file, err := os.OpenFile(filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+"."+rand.Text()), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return nil, err
	}
	return &folderWriter{File: file, path: path}, nil
}

// Open opens a file.
func (f Folder) Open(_ context.Context, name string) (Reader, error) {
	file, err := os.Open(filepath.Join(string(f), filepath.FromSlash(name)))
	if err != nil {
		return nil, err
	}
	info, err := file.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = &fs.PathError{Op: "open", Path: file.Name(), Err: errors.New("it is not a file")}
	}
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return folderReader{file, info.Size()}, nil
}

type folderReader struct {
	*os.File
	size int64
}

func (r folderReader) Size() int64 { return r.size }

type folderWriter struct {
	*os.File
	path string
	done bool
}

func (w *folderWriter) Commit(context.Context) error {
	err := errors.Join(w.Sync(), w.Close())
	if err == nil {
		err = os.Rename(w.Name(), w.path)
	}
	w.done = err == nil
	return err
}

func (w *folderWriter) Discard() {
	if !w.done {
		_ = w.Close() // an error means that it is closed
		_ = os.Remove(w.Name())
	}
}
