package writeapi

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/platform/notify/config"
	"github.com/vedette-io/vedette/platform/notify/delivery"
	"github.com/vedette-io/vedette/platform/portal/access"
	"github.com/vedette-io/vedette/platform/portal/api"
	"github.com/vedette-io/vedette/platform/portal/identity"
	"github.com/vedette-io/vedette/platform/portal/insight"
	"github.com/vedette-io/vedette/platform/portal/web"
	"github.com/vedette-io/vedette/platform/submit"
)

type submitInput struct{ Body api.SubmitRequest }

// order is a job that is being submitted.
type order struct {
	*rendered
	client   *submit.Client
	resource kube.Resource
	request  submit.Request
}

// order reads a request, and determines its type.
//
// Errors: *api.Problem; those of the cluster.
func (w *writer) order(ctx context.Context, in *api.SubmitRequest) (*order, error) {
	r, err := w.job(ctx, in)
	if err != nil {
		return nil, err
	}
	client, err := w.client(ctx, in.Cluster)
	if err != nil {
		return nil, err
	}
	o := &order{rendered: r, client: client, request: submit.Request{
		Manifest: r.manifest, Namespace: in.Namespace, Template: cmp.Or(r.templateName(), in.MadeFrom), Key: in.Key, Again: in.Again, Hold: in.Hold,
	}}
	if o.resource, err = client.Resolve(ctx, r.manifest); err != nil {
		return nil, o.refused(err)
	}
	return o, nil
}

// namespace returns the namespace of the job.
func (o *order) namespace() string {
	return cmp.Or(o.request.Namespace, o.manifest.Object.GetNamespace(), o.client.Cluster().Namespace())
}

// may returns nil if the person of ctx may create the job.
//
// Errors: those of access.Access.May.
func (w *writer) may(ctx context.Context, cluster string, o *order) error {
	return w.cfg.Access.May(ctx, access.Right{Cluster: cluster, Verb: "create", Group: o.resource.Group, Resource: o.resource.Name, Namespace: o.namespace(), Also: []string{"get"}})
}

// refused returns the error of a submission with the places of its mistakes.
func (o *order) refused(err error) error {
	var invalid *submit.InvalidError
	if errors.As(err, &invalid) {
		return web.Invalid("The job has mistakes.", o.placed(web.FieldProblems(invalid.Problems))...)
	}
	return err
}

// check answers with the API server's verdict on a job, without creating it. Mistakes are not
// errors: the form shows them.
func check(ctx context.Context, w *writer, in *submitInput) (*api.Checked, error) {
	began := time.Now()
	o, err := w.order(ctx, &in.Body)
	if p, ok := asProblem(err); ok && len(p.Fields) > 0 {
		return &api.Checked{Problems: p.Fields, Seconds: time.Since(began).Seconds(), GPUs: -1, Pods: -1}, nil
	}
	if err != nil {
		return nil, err
	}
	if err := w.may(ctx, in.Body.Cluster, o); err != nil {
		return nil, err
	}
	out := &api.Checked{}
	if o.made != nil {
		out.YAML = o.text
	}
	spec := job.ReadSpec(o.manifest.Object.Object)
	out.GPUs, out.Pods = spec.GPUs, spec.Pods
	o.request.DryRun = true
	result, err := o.client.Submit(ctx, o.request)
	err = o.refused(err)
	out.Warnings, out.Seconds = result.Warnings, time.Since(began).Seconds()
	if p, ok := asProblem(err); ok && len(p.Fields) > 0 {
		out.Problems = p.Fields
		return out, nil
	}
	if err != nil {
		return nil, err
	}
	out.OK, out.Before = true, result.Before
	if out.Object, err = objectOf(in.Body.Object, result); err != nil {
		return nil, err
	}
	out.Forecast = w.forecast(ctx, in.Body.Cluster, o, spec)
	return out, nil
}

// forecast predicts the start of a job; nil if it is unknown.
func (w *writer) forecast(ctx context.Context, cluster string, o *order, spec job.Spec) *api.Forecast {
	if w.cfg.Forecast == nil {
		return nil
	}
	v, err := w.viewer(ctx)
	if err != nil {
		return nil
	}
	f, err := w.cfg.Forecast(ctx, insight.Planned{
		Cluster: cluster, Namespace: o.namespace(), Queue: spec.Queue, Owner: identity.Of(ctx).Name, Priority: spec.Priority, GPUs: spec.GPUs,
	}, v)
	if err != nil {
		w.cfg.Logger.Warn("a job has no forecast", "cluster", cluster, "err", err)
		return nil
	}
	return f
}

// submitJob creates a job in the name of the person.
func submitJob(ctx context.Context, w *writer, in *submitInput) (*api.Submitted, error) {
	o, err := w.order(ctx, &in.Body)
	if err != nil {
		return nil, err
	}
	name := cmp.Or(o.manifest.Object.GetName(), o.manifest.Object.GetGenerateName())
	e := api.AuditEntry{Act: "submit", Object: o.namespace() + "/" + name, Job: &api.JobRef{Cluster: in.Body.Cluster, Type: o.resource.String(), Namespace: o.namespace(), Name: name}}
	if of := in.Body.CloneOf; of != nil {
		e.Detail = "a clone of " + of.UID
	}
	if in.Body.Hold {
		e.Detail = strings.TrimPrefix(e.Detail+", held", ", ")
	}
	out := &api.Submitted{}
	err = w.audited(ctx, e, func() (string, error) {
		if err := w.may(ctx, in.Body.Cluster, o); err != nil {
			return "", err
		}
		result, err := o.client.Submit(ctx, o.request)
		if err != nil {
			return "", o.refused(err)
		}
		if err := w.submitted(out, in.Body.Cluster, result, in.Body.Object); err != nil {
			return "", err
		}
		if in.Body.Notify {
			if err := w.follow(ctx, o.client.Cluster(), out.Job); err != nil {
				out.Warnings = append(out.Warnings, "You are not subscribed to the job: "+web.ProblemOf(ctx, err).Error())
			}
		}
		return "created " + out.Job.Name + " " + out.Job.UID, nil
	})
	return out, err
}

// submitted fills in the answer about an accepted job.
func (w *writer) submitted(out *api.Submitted, cluster string, result submit.Result, object bool) (err error) {
	job := result.Job()
	out.Job = api.JobRef{Cluster: cluster, UID: job.UID, Type: job.Resource.String(), Namespace: job.Namespace, Name: job.Name}
	out.Created, out.Before, out.Warnings = result.Created, result.Before, result.Warnings
	out.Object, err = objectOf(object, result)
	return err
}

// objectOf returns the JSON of the object of a result, if it is requested.
func objectOf(asked bool, result submit.Result) (string, error) {
	if !asked {
		return "", nil
	}
	text, err := json.Marshal(result.Object.Object)
	return string(text), err
}

// follow subscribes the person of ctx to a new job, on the channel that reaches them.
//
// Errors: *api.Problem; those of the database.
func (w *writer) follow(ctx context.Context, cluster *kube.Cluster, job api.JobRef) error {
	file := w.cfg.Notify
	if file == nil {
		return web.Unavailable("This portal has no file of notifications.")
	}
	person := w.person(ctx)
	p := file.People[person]
	if p == nil {
		return web.Unavailable(fmt.Sprintf("%s is not in the table of people.", person))
	}
	for _, ch := range channelsOf(file) {
		if p.On(ch) == "" || p.Prefers != "" && p.Prefers != ch.Name && p.Prefers != ch.Kind {
			continue
		}
		to, err := config.ReceiverOf(file, ch, person)
		if err != nil {
			continue
		}
		uid, err := cluster.Identity(ctx, time.Time{})
		if err != nil {
			return err
		}
		_, err = delivery.Subscribe(ctx, w.cfg.DB, delivery.Subscription{
			Person: person, CreatedBy: w.who(ctx), Channel: ch.Name, Address: to.Address,
			Cluster: uid, Type: job.Type, Namespace: job.Namespace, Name: job.Name, UID: job.UID,
		}, "", 0)
		return tooMany(err)
	}
	return web.Unavailable(fmt.Sprintf("No channel has an address for %s.", person))
}

// channelsOf returns the channels of a file in the order of their names.
func channelsOf(file *config.Config) (all []*config.Channel) {
	for _, ch := range file.Channels {
		all = append(all, ch)
	}
	slices.SortFunc(all, func(a, b *config.Channel) int { return strings.Compare(a.Name, b.Name) })
	return all
}
