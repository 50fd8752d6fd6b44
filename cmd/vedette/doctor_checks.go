package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/vedette-io/vedette/internal/oscompat"
	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/record"
	"github.com/vedette-io/vedette/record/joblog"
	"github.com/vedette-io/vedette/record/sqldb"
	"github.com/vedette-io/vedette/wire"
)

// examineDatabase checks the database. It returns the database, opened for reading, if
// the history can be read.
func (o *recordOptions) examineDatabase(ctx context.Context, how touch, f *findings) *sqldb.DB {
	f.of = "database"
	if o.db == "" {
		f.fails("address", errNoDatabase)
		return nil
	}
	d, err := openWith(ctx, o.db, sqldb.Inspect)
	if file, ok := sqldb.FileOf(o.db); ok && errors.Is(err, sqldb.ErrAbsent) {
		if err := oscompat.CheckWritable(filepath.Dir(file)); err != nil {
			f.note(failed, "file", fmt.Sprintf("%s does not exist and cannot be created: %s: %v", file, filepath.Dir(file), err), "check that the folder exists and is writable, or name another file")
		} else {
			f.ok("file", "%s does not exist yet; `vedette record` creates it", file)
		}
		return nil
	}
	if err != nil {
		f.fails("connection", err)
		return nil
	}
	if version, err := d.Version(ctx); err != nil {
		f.fails("version", err)
	} else {
		f.ok("version", "%s at %s", version, d)
	}
	if at, err := d.Clock(ctx); err != nil {
		f.fails("clock", err)
	} else {
		f.clock(at, 0)
	}
	if !examineSchema(ctx, d, f) {
		_ = d.Close()
		return nil
	}
	examineKeptLogs(ctx, d, f)
	if how == writes {
		if err := tryWrite(ctx, o.db); err != nil {
			f.fails("writing", err)
		} else {
			f.ok("writing", "a row was written and rolled back")
		}
	}
	return d
}

// examineKeptLogs shows how many logs the database keeps, if there are any.
func examineKeptLogs(ctx context.Context, d *sqldb.DB, f *findings) {
	t, err := joblog.New(d, joblog.Limits{}, nil).Totals(ctx)
	switch {
	case err != nil:
		f.fails("kept logs", err)
	case t.Logs > 0:
		f.ok("kept logs", "%s with %s take %s, and %d have no text; the oldest is of %s",
			counted(int(t.Logs), "log"), counted(int(t.Lines), "line"), bytesOf(t.Stored), t.Empty, local(t.Oldest))
	case t.Empty > 0:
		f.ok("kept logs", "%s without text", counted(int(t.Empty), "log"))
	}
}

func tryWrite(ctx context.Context, url string) error {
	d, err := openToWrite(ctx, url)
	if err != nil {
		return err
	}
	defer d.Close()
	return record.TryWrite(ctx, d)
}

// examineSchema checks the schema, and reports whether the history can be read.
func examineSchema(ctx context.Context, d *sqldb.DB, f *findings) bool {
	steps, err := d.Migrations(ctx)
	if err != nil {
		f.fails("schema", err)
		return false
	}
	var pending []string
	for _, m := range steps {
		if !m.Applied {
			pending = append(pending, m.Name)
		}
	}
	if len(pending) == 0 {
		last := steps[len(steps)-1]
		if last.Newer {
			f.ok("schema", "has migration %d, of a newer version that this version works with", last.Version)
			return true
		}
		f.ok("schema", "has migration %d, the newest", last.Version)
		return true
	}
	f.note(warning, "schema", "lacks "+strings.Join(pending, ", "), "`vedette record` applies these migrations when it starts; `vedette migrate up` applies them now")
	return false
}

// examineCluster checks one cluster. d is nil if there is no history to read.
func (o *recordOptions) examineCluster(ctx context.Context, c *connected, d *sqldb.DB, f *findings) {
	ctx, cancel := context.WithTimeoutCause(ctx, 4*firstAnswer, fmt.Errorf("%w: no answers from %s within %v", context.DeadlineExceeded, c.Host(), 4*firstAnswer))
	defer cancel()
	if err := c.resolve(ctx); err != nil {
		for _, err := range flat(err) {
			f.fails("connection", err)
		}
		return
	}
	examineServer(ctx, c, f)
	if err := c.identify(ctx); err != nil {
		f.fails("identity", err)
	} else {
		f.ok("identity", "kube-system has the UID %s", c.uid)
	}
	for _, m := range c.missing {
		if o.wait {
			f.note(warning, "type "+m.typ, explain(m.complain(m.err)), "the recorder waits until it is served")
		} else {
			f.fails("type "+m.typ, m.complain(m.err))
		}
	}
	if logs, err := o.logs.settings(o.settled); err == nil && o.logs.used() {
		types, namespaces := logs.followed()
		for _, r := range logs.rights(ctx, c.Cluster, c.podNamespaces(namespaces, len(types) > 0)) {
			switch {
			case r.err != nil:
				f.fails("logs", r.err)
			case r.lacking:
				f.note(failed, "logs", r.found, r.remedy)
			case r.remedy != "":
				f.note(warning, "logs", r.found, r.remedy)
			default:
				f.ok("logs", "%s", r.found)
			}
		}
	}
	// The check of a resume point takes a second if nothing happens, so all run at the
	// same time.
	each := make([]findings, len(c.targets))
	var work sync.WaitGroup
	for i, t := range c.targets {
		each[i].of = c.name
		if t.resource.Name == "" {
			continue // the type is not served
		}
		work.Go(func() {
			if allowed(ctx, c, t, &each[i]) && d != nil && c.uid != "" {
				examineResume(ctx, c, d, t, &each[i])
			}
		})
	}
	work.Wait()
	for _, more := range each {
		f.all = append(f.all, more.all...)
	}
}

// comparable is the first minor version of Kubernetes 1 that guarantees that resource
// versions are ordered integers.
const comparable = 35

func examineServer(ctx context.Context, c *connected, f *findings) {
	info, err := c.ServerVersion(ctx)
	switch {
	case err != nil:
		f.fails("version", err)
	default:
		minor, err := strconv.Atoi(strings.TrimRight(info.Minor, "+"))
		if found := fmt.Sprintf("Kubernetes %s at %s", info.GitVersion, c.Host()); err == nil && (info.Major != "1" || minor >= comparable) {
			f.ok("version", "%s", found)
		} else {
			f.note(warning, "version", found+" does not guarantee that resource versions are ordered", "update the cluster to 1.35 when you can; with etcd, earlier versions work too")
		}
	}
	at, took, err := c.Clock(ctx)
	if err != nil {
		f.fails("clock", err)
		return
	}
	f.clock(at.Add(500*time.Millisecond), took+500*time.Millisecond)
}

// allowed checks rights, and reports whether none is missing.
func allowed(ctx context.Context, c *connected, t scope, f *findings) bool {
	lacks, why, err := t.lacks(ctx, c.Cluster)
	switch {
	case err != nil:
		f.fails("rights", err)
	case len(lacks) > 0:
		f.note(failed, "rights", fmt.Sprintf("may not %s %s%s", strings.Join(lacks, " and "), t, why), "grant these verbs in a Role or ClusterRole")
	default:
		f.ok("rights", "may %s %s", strings.Join(t.verbs(), " and "), t)
	}
	return err == nil && len(lacks) == 0
}

// examineResume checks the version at which a recorder would resume.
func examineResume(ctx context.Context, c *connected, d *sqldb.DB, t scope, f *findings) {
	name := "resume"
	r, err := record.FindResumePoint(ctx, d, c.uid, t.resource, t.Target)
	if err != nil {
		f.fails(name, err)
		return
	}
	if r.Version == 0 {
		f.ok(name, "%s: nothing is recorded yet; the recorder begins with a list", t)
		return
	}
	point := fmt.Sprintf("%s: at version %v, reached %v ago", t, r.Version, time.Since(r.At).Round(time.Second))
	switch err := stillThere(ctx, c.Cluster, t, r.Version); {
	case err == nil:
		f.ok(name, "%s; the server has all later changes", point)
	case apierrors.IsResourceExpired(err) || apierrors.IsGone(err):
		f.note(warning, name, point+"; the server has forgotten the changes after it", "the recorder will list, write every difference and record a gap; run two recorders to avoid gaps")
	default:
		f.fails(name, err)
	}
}

// probeSeconds is the duration of the watch that tests a version. A server that has
// forgotten the version says so at once.
const probeSeconds = 1

// stillThere opens a watch at a version. It returns nil if the server has all changes
// after the version.
func stillThere(ctx context.Context, c *kube.Cluster, t scope, from wire.Version) error {
	coll, err := c.Collection(t.resource, kube.Selection{Namespace: t.Namespace, LabelSelector: t.LabelSelector, FieldSelector: t.FieldSelector, Encoding: kube.JSONOnly})
	if err != nil {
		return err
	}
	seconds := int64(probeSeconds)
	stream, err := coll.Watch(ctx, metav1.ListOptions{ResourceVersion: from.String(), AllowWatchBookmarks: true, TimeoutSeconds: &seconds})
	if err != nil {
		return err
	}
	defer stream.Body.Close()
	event, err := wire.NewWatchReader(stream.Body, stream.Encoding, wire.Options{APIVersion: stream.APIVersion, Kind: stream.Kind}).Next()
	var unusable *wire.InvalidError
	switch {
	case errors.Is(err, io.EOF), errors.As(err, &unusable): // an unusable object proves it too
		return nil
	case err != nil:
		return err
	case event.Type == wire.Error:
		return &apierrors.StatusError{ErrStatus: *event.Status}
	}
	return nil
}
