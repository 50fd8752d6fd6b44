package preflight

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/version"

	"github.com/vedette-io/vedette/cmd/vedette/internal/explain"
	"github.com/vedette-io/vedette/cmd/vedette/internal/settings"
	"github.com/vedette-io/vedette/cmd/vedette/internal/timeout"
	"github.com/vedette-io/vedette/cmd/vedette/internal/units"
	"github.com/vedette-io/vedette/internal/oscompat"
	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/platform/logs/joblog"
	"github.com/vedette-io/vedette/platform/record"
	"github.com/vedette-io/vedette/platform/sqldb"
	"github.com/vedette-io/vedette/wire"
)

// CheckDatabase checks the database. It returns the database, opened for reading, if
// the history can be read.
func CheckDatabase(ctx context.Context, url string, how Access, f *Findings) *sqldb.DB {
	f.Of = "database"
	if url == "" {
		f.Fail("address", settings.ErrNoDatabase)
		return nil
	}
	d, err := settings.OpenWith(ctx, url, sqldb.Inspect)
	if file, ok := sqldb.FileOf(url); ok && errors.Is(err, sqldb.ErrAbsent) {
		if err := oscompat.CheckWritable(filepath.Dir(file)); err != nil {
			f.note(Failed, "file", fmt.Sprintf("%s does not exist and cannot be created: %s: %v", file, filepath.Dir(file), err), "check that the folder exists and is writable, or name another file")
		} else {
			f.OK("file", "%s does not exist yet; `vedette record` creates it", file)
		}
		return nil
	}
	if err != nil {
		f.Fail("connection", err)
		return nil
	}
	examineFile(url, f)
	if version, err := d.Version(ctx); err != nil {
		f.Fail("version", err)
	} else {
		f.OK("version", "%s at %s", version, d)
	}
	if at, err := d.Clock(ctx); err != nil {
		f.Fail("clock", err)
	} else {
		f.clock(at, 0)
	}
	if !examineSchema(ctx, d, how, f) {
		_ = d.Close()
		return nil
	}
	examineKeptLogs(ctx, d, f)
	n, setting, err := d.ValueLimit(ctx)
	examineLimit(n, setting, err, f)
	examineRole(ctx, d, f)
	if how == TryWrites {
		if err := tryWrite(ctx, url); err != nil {
			f.Fail("writing", err)
		} else {
			f.OK("writing", "a row was written and rolled back")
		}
	}
	return d
}

// leastValue is the size of values that a server should accept: the largest object of a Kubernetes
// server with default settings is 1.5 MB as protobuf, and longer as JSON.
const leastValue = 8 << 20

// examineLimit checks the setting of a server that limits the size of a value, if it has one.
func examineLimit(n int64, setting string, err error, f *Findings) {
	switch {
	case err != nil:
		f.Fail("large objects", err)
	case n >= leastValue:
		f.OK("large objects", "%s is %s", setting, units.Size(n))
	case n > 0:
		f.note(Warning, "large objects", fmt.Sprintf("%s is %s; objects that are larger when compressed are recorded without their content, with a gap", setting, units.Size(n)), "raise it on the server to 64M")
	}
}

// examineRole checks that the sessions have the settings that they need, behind a pooler too.
func examineRole(ctx context.Context, d *sqldb.DB, f *Findings) {
	missing, err := d.RoleSettings(ctx)
	switch {
	case err != nil:
		f.Fail("settings of the sessions", err)
	case len(missing) > 0:
		f.note(Warning, "settings of the sessions", "a pooler such as PgBouncer does not pass on settings of the sessions; transactions have them, single queries do not", "run as the user of the database: "+strings.Join(missing, "; "))
	}
}

// examineFile checks that only its owner may read the file of a database.
func examineFile(url string, f *Findings) {
	file, ok := sqldb.FileOf(url)
	if !ok {
		return
	}
	info, err := os.Stat(file)
	if err != nil {
		return // the database was opened, so this says nothing about it
	}
	if shared := oscompat.SharedBits(info); shared != 0 {
		f.note(Warning, "file", fmt.Sprintf("other users of this machine may use %s (mode %04o)", file, info.Mode().Perm()), fmt.Sprintf("run `chmod 600 %s*`", file))
	}
}

// examineKeptLogs counts the kept logs in the database, if any.
func examineKeptLogs(ctx context.Context, d *sqldb.DB, f *Findings) {
	t, err := joblog.New(d, joblog.Limits{}, nil).Totals(ctx)
	switch {
	case err != nil:
		f.Fail("kept logs", err)
	case t.Logs > 0:
		f.OK("kept logs", "%s with %s take %s, and %d have no text; the oldest is of %s",
			units.Count(int(t.Logs), "log"), units.Count(int(t.Lines), "line"), units.Size(t.Stored), t.Empty, units.Local(t.Oldest))
	case t.Empty > 0:
		f.OK("kept logs", "%s without text", units.Count(int(t.Empty), "log"))
	}
}

// examineNamespaces checks that a portal can tell a namespace from an older one of its name.
func examineNamespaces(ctx context.Context, c *Cluster, f *Findings) {
	verbs, why, err := lacks(ctx, c.Cluster, kube.Resource{Version: "v1", Name: "namespaces", Kind: "Namespace"}, "", "", "get", "list")
	switch {
	case err != nil:
		f.Fail("namespaces", err)
	case len(verbs) > 0:
		f.note(Warning, "namespaces", "may not "+strings.Join(verbs, " and ")+" namespaces"+why, "the portal trusts their names: a new namespace shows the history of an older one with its name; grant these verbs in a ClusterRole")
	default:
		f.OK("namespaces", "a new namespace does not show the history of an older one with its name")
	}
}

// tryWrite writes a row and rolls it back.
func tryWrite(ctx context.Context, url string) error {
	d, err := settings.OpenToWrite(ctx, url)
	if err != nil {
		return err
	}
	defer d.Close()
	return record.TryWrite(ctx, d)
}

// examineSchema checks the schema, and reports whether the history can be read.
func examineSchema(ctx context.Context, d *sqldb.DB, how Access, f *Findings) bool {
	steps, err := d.Migrations(ctx)
	if err != nil {
		f.Fail("schema", err)
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
			f.OK("schema", "has migration %d, of a newer version that this version works with", last.Version)
			return true
		}
		f.OK("schema", "has migration %d, the newest", last.Version)
		return true
	}
	f.note(Warning, "schema", "lacks "+strings.Join(pending, ", "), "`vedette record` applies these migrations when it starts; `vedette migrate up` applies them now")
	if err := d.CheckMigration(ctx, how == TryWrites); err != nil {
		f.Fail("migrations", err)
	}
	return false
}

// ClusterOptions are the settings of a recorder that the checks of a cluster depend on.
type ClusterOptions struct {
	Wait                    bool // the recorder waits for types that are not served
	Logs                    bool // logs are kept, of the types and the namespaces below
	LogTypes, LogNamespaces []string
	People                  bool // a portal lets the API server decide what people see
}

// CheckCluster checks one cluster. d is nil if there is no history to read.
func CheckCluster(ctx context.Context, c *Cluster, d *sqldb.DB, o ClusterOptions, f *Findings) {
	ctx, cancel := timeout.AnswerWithin(ctx, c.Host(), 4*timeout.FirstAnswer)
	defer cancel()
	if err := c.resolve(ctx); err != nil {
		for _, err := range explain.Flatten(err) {
			f.Fail("connection", err)
		}
		return
	}
	examineServer(ctx, c, f)
	if err := c.identify(ctx); err != nil {
		f.Fail("identity", err)
	} else {
		f.OK("identity", "kube-system has the UID %s", c.uid)
	}
	for _, m := range c.missing {
		if o.Wait {
			f.note(Warning, "type "+m.Typ, explain.Line(m.WithPosition(m.err)), "the recorder waits until it is served")
		} else {
			f.Fail("type "+m.Typ, m.WithPosition(m.err))
		}
	}
	if o.Logs {
		for _, r := range logRights(ctx, c.Cluster, o.LogTypes, c.PodNamespaces(o.LogNamespaces, len(o.LogTypes) > 0)) {
			switch {
			case r.err != nil:
				f.Fail("logs", r.err)
			case r.lacking:
				f.note(Failed, "logs", r.found, r.remedy)
			case r.remedy != "":
				f.note(Warning, "logs", r.found, r.remedy)
			default:
				f.OK("logs", "%s", r.found)
			}
		}
	}
	if o.People {
		examineNamespaces(ctx, c, f)
	}
	// The check of a resume point takes a second if nothing happens, so all run at the
	// same time.
	each := make([]Findings, len(c.Targets))
	var work sync.WaitGroup
	for i, t := range c.Targets {
		each[i].Of = c.Name
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
		f.All = append(f.All, more.All...)
	}
}

// oldest is the first minor version of Kubernetes 1 that Vedette is tried on. The resource
// versions of its API server are ordered integers, as in all later ones.
const oldest = 28

func examineServer(ctx context.Context, c *Cluster, f *Findings) {
	if info, err := c.ServerVersion(ctx); err != nil {
		f.Fail("version", err)
	} else {
		f.examineVersion(info, c.Host())
	}
	at, took, err := c.Clock(ctx)
	if err != nil {
		f.Fail("clock", err)
		return
	}
	f.clock(at.Add(500*time.Millisecond), took+500*time.Millisecond)
}

func (f *Findings) examineVersion(info *version.Info, host string) {
	found := fmt.Sprintf("Kubernetes %s at %s", info.GitVersion, host)
	minor, err := strconv.Atoi(strings.TrimRight(info.Minor, "+"))
	switch {
	case err != nil:
		f.note(Warning, "version", fmt.Sprintf("%s has the minor version %q, which is not a number", found, info.Minor), fmt.Sprintf("find out which Kubernetes it is; Vedette is tried on 1.%d and later", oldest))
	case info.Major == "1" && minor < oldest:
		f.note(Warning, "version", fmt.Sprintf("%s is older than 1.%d, the oldest version that Vedette is tried on", found, oldest), "update the cluster when you can")
	default:
		f.OK("version", "%s", found)
	}
}

// allowed reports whether no right is missing.
func allowed(ctx context.Context, c *Cluster, t Target, f *Findings) bool {
	lacks, why, err := t.lacks(ctx, c.Cluster)
	switch {
	case err != nil:
		f.Fail("rights", err)
	case len(lacks) > 0:
		f.note(Failed, "rights", fmt.Sprintf("may not %s %s%s", strings.Join(lacks, " and "), t, why), "grant these verbs in a Role or ClusterRole")
	default:
		f.OK("rights", "may %s %s", strings.Join(t.verbs(), " and "), t)
	}
	return err == nil && len(lacks) == 0
}

// examineResume checks the version at which a recorder would resume.
func examineResume(ctx context.Context, c *Cluster, d *sqldb.DB, t Target, f *Findings) {
	name := "resume"
	r, err := record.FindResumePoint(ctx, d, c.uid, t.resource, t.Target)
	if err != nil {
		f.Fail(name, err)
		return
	}
	if r.Version == 0 {
		f.OK(name, "%s: nothing is recorded yet; the recorder begins with a list", t)
		return
	}
	point := fmt.Sprintf("%s: at version %v, reached %v ago", t, r.Version, time.Since(r.At).Round(time.Second))
	switch err := stillThere(ctx, c.Cluster, t, r.Version); {
	case err == nil:
		f.OK(name, "%s; the server has all later changes", point)
	case apierrors.IsResourceExpired(err) || apierrors.IsGone(err):
		f.note(Warning, name, point+"; the server has forgotten the changes after it", "the recorder will list, write every difference and record a gap; run two recorders to avoid gaps")
	default:
		f.Fail(name, err)
	}
}

// probeSeconds is the duration of the watch that tests a version. A server that no
// longer has the version answers at once.
const probeSeconds = 1

// stillThere opens a watch at a version. It returns nil if the server has all changes
// after the version.
func stillThere(ctx context.Context, c *kube.Cluster, t Target, from wire.Version) error {
	coll, err := c.Collection(t.resource, kube.Selection{Namespace: t.Namespace, LabelSelector: t.LabelSelector, FieldSelector: t.FieldSelector, UIDs: t.UIDs, Encoding: kube.JSONOnly})
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
