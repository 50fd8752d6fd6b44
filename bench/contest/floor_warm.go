package contest

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// floorWarm is the floor of a restart: it reads the snapshot file of vedette-warm into
// memory, and does not look into it.
type floorWarm struct {
	file   string
	n      int
	synced chan struct{}
	text   []byte
}

// openFloorWarm opens floor-warm. If the snapshot file does not exist yet, it opens
// vedette-warm, which writes it.
func openFloorWarm(env Env) (Cache, error) {
	file := filepath.Join(env.Dir, snapshotFile)
	if _, err := os.Stat(file); errors.Is(err, fs.ErrNotExist) {
		return openVedette(warm)(env)
	}
	return &floorWarm{file: file, n: env.N, synced: make(chan struct{})}, nil
}

// Run implements Cache.
func (f *floorWarm) Run(ctx context.Context) error {
	var err error
	if f.text, err = os.ReadFile(f.file); err != nil {
		return err
	}
	close(f.synced)
	<-ctx.Done()
	return nil
}

// Synced implements Cache.
func (f *floorWarm) Synced() <-chan struct{} { return f.synced }

// Len implements Cache. It is the number of the objects of the server.
func (f *floorWarm) Len() int { return f.n }
