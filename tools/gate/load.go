package main

import (
	"context"
	"crypto/rand"
	"os"
	"path/filepath"
	"sync"
)

// beside runs f beside a loaded processor and a loaded disk.
func beside(ctx context.Context, f func() error) error {
	ctx, cancel := context.WithCancel(ctx)
	dir, err := os.MkdirTemp("", "gate-load")
	if err != nil {
		cancel()
		return err
	}
	var hogs sync.WaitGroup
	hogs.Go(func() { loadProcessor(ctx) })
	hogs.Go(func() { loadDisk(ctx, dir) })
	defer func() {
		cancel()
		hogs.Wait()
		os.RemoveAll(dir)
	}()
	return f()
}

// loadProcessor keeps one core busy.
func loadProcessor(ctx context.Context) {
	for n := 0; ctx.Err() == nil; {
		for range 1 << 20 {
			n++
		}
	}
}

// loadDisk writes blocks of 4 MiB and waits for the disk each time.
func loadDisk(ctx context.Context, dir string) {
	block := make([]byte, 4<<20)
	rand.Read(block)
	f, err := os.Create(filepath.Join(dir, "block"))
	if err != nil {
		return // a full disk is load enough
	}
	defer f.Close()
	for ctx.Err() == nil {
		if _, err := f.WriteAt(block, 0); err != nil {
			return
		}
		if err := f.Sync(); err != nil {
			return
		}
	}
}
