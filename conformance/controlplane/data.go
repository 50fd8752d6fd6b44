package controlplane

import (
	"context"
	"errors"
	"os"
	"path/filepath"
)

// Rebuild replaces the cluster by an empty one at the same address: etcd and the API
// server end, their data is deleted, and they start again. The control plane must have no
// other parts (APIServerOnly).
//
// Errors: as Start.
func (c *Cluster) Rebuild(ctx context.Context) error {
	return c.restartOn(ctx, func() error { return os.RemoveAll(c.data()) })
}

// Backup makes a copy of etcd's data. restore puts the copy back, as an administrator does
// after a loss: etcd has the objects and the revision of the copy again, and the identity of
// the cluster stays. The API server and etcd are restarted for the copy and for each restore.
// The control plane must have no other parts (APIServerOnly).
//
// The copy is one of the folder while etcd is stopped, because `etcdutl snapshot restore` is
// a program of another module. Both leave the same revision behind.
//
// Errors: as Start.
func (c *Cluster) Backup(ctx context.Context) (restore func(context.Context) error, err error) {
	backup := filepath.Join(c.dir, "etcd-backup")
	err = c.restartOn(ctx, func() error { return os.CopyFS(backup, os.DirFS(c.data())) })
	return func(ctx context.Context) error {
		return c.restartOn(ctx, func() error {
			if err := os.RemoveAll(c.data()); err != nil {
				return err
			}
			return os.CopyFS(c.data(), os.DirFS(backup))
		})
	}, err
}

// data is the folder of etcd.
func (c *Cluster) data() string { return filepath.Join(c.dir, "etcd") }

// restartOn ends the API server and etcd, changes the data of etcd, and starts both again.
func (c *Cluster) restartOn(ctx context.Context, change func() error) error {
	if c.opts.Parts != APIServerOnly || len(c.peers) > 0 {
		return errors.New("the data of etcd can change only in a control plane with nothing but one API server")
	}
	c.KillAPIServer()
	c.etcd.kill()
	if err := change(); err != nil {
		return err
	}
	if err := c.startEtcd(); err != nil {
		return err
	}
	return c.StartAPIServer(ctx)
}

// startEtcd starts etcd, or kine in its place.
func (c *Cluster) startEtcd() (err error) {
	if c.opts.Kine != "" {
		c.etcd, err = c.run("kine", c.opts.Kine, kineFlags(c.data(), c.ports)...)
		return err
	}
	c.etcd, err = c.run("etcd", c.bins.Etcd, etcdFlags(c.dir, c.ports)...)
	return err
}

// RestartEtcd kills etcd, or kine in its place, and starts it again. The API server runs on.
//
// Errors: the program cannot be started.
func (c *Cluster) RestartEtcd() error {
	c.etcd.kill()
	return c.startEtcd()
}
