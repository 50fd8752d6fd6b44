package submit

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/vedette-io/vedette/errcode"
	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/platform/submit/manifest"
)

// fieldManager is the manager of the fields of new jobs.
const fieldManager = "vedette"

// Submit creates the job of a request, unless the request was already accepted. It first
// checks the job with a dry run and reports all objections at once. It repeats a request
// without a clear answer until Config.Patience is over, with the same key. The key
// determines the name of the job, so repeating creates no second job.
//
// Errors: *InvalidError for a job that the server refuses, also because of an exceeded
// quota; *DeniedError; *TakenError for a name that another job has; *UnsureError if no
// answer came in time; *kube.RequestError, *kube.DiscoveryError.
func (c *Client) Submit(ctx context.Context, req Request) (Result, error) {
	if req.Manifest == nil || req.Manifest.Object == nil {
		return Result{}, errors.New("the request has no manifest")
	}
	ctx, cancel := context.WithTimeoutCause(ctx, c.cfg.Patience, fmt.Errorf("%w: no clear answer from %s within %v", context.DeadlineExceeded, c.cluster.Host(), c.cfg.Patience))
	defer cancel()
	s, err := c.prepare(ctx, req)
	if err != nil {
		return Result{}, err
	}
	for n := 1; ; n++ {
		result, err := c.submit(ctx, s, req.DryRun)
		if !errors.Is(err, errGone) || n == maxGone || ctx.Err() != nil {
			return result, err
		}
	}
}

// errGone reports that the name of a job was taken, but became free a moment later.
var errGone = errors.New("the job that has the name is being deleted")

// maxGone is the maximum number of times a job is submitted again because the name became
// free.
const maxGone = 5

// submit checks and creates the job.
func (c *Client) submit(ctx context.Context, s *submission, dryRun bool) (Result, error) {
	checked, err := c.check(ctx, s)
	if err != nil {
		return c.settle(ctx, s, false, err)
	}
	if s.hold && park(s.object, checked) {
		if checked, err = c.check(ctx, s); err != nil {
			return c.settle(ctx, s, false, err)
		}
	}
	if dryRun {
		return s.result(checked, false), nil
	}
	return c.create(ctx, s)
}

// submission is a request on its way.
type submission struct {
	manifest *manifest.Manifest
	resource kube.Resource
	object   *unstructured.Unstructured // as it is sent
	user     string
	key      string
	renamed  bool
	hold     bool
	warnings []string
}

func (s *submission) result(object *unstructured.Unstructured, created bool) Result {
	return Result{Object: object, Resource: s.resource, Created: created, Key: s.key, Warnings: s.warnings}
}

// warn adds a warning of the server, once.
func (s *submission) warn(text string) {
	if !slices.Contains(s.warnings, text) {
		s.warnings = append(s.warnings, text)
	}
}

func (s *submission) objections() objections { return objections{s.manifest, s.renamed} }

// invalid returns an error with one problem that this package found.
func (s *submission) invalid(field, message string) error {
	return &InvalidError{Problems: []Problem{s.objections().at(field, message, "")}}
}

// attempts returns how requests of the client are repeated.
func (c *Client) attempts() attempts { return attempts{each: c.cfg.Attempt, log: c.cfg.Logger} }

// prepare finds the type and builds the object to send.
func (c *Client) prepare(ctx context.Context, req Request) (*submission, error) {
	s := &submission{manifest: req.Manifest, object: req.Manifest.Object.DeepCopy(), user: req.User, key: req.Key, hold: req.Hold}
	if err := checkKey(req.Key); err != nil {
		return nil, err
	}
	if s.key == "" {
		s.key = RandomKey()
	}
	kind := s.object.GroupVersionKind()
	if kind.Kind == "" || kind.Version == "" {
		return nil, s.invalid("kind", "the manifest has no apiVersion or no kind")
	}
	if field, problem := checkShape(s.object); field != "" {
		return nil, s.invalid(field, problem)
	}
	err := c.resolve(ctx, s)
	if err == nil && s.user == "" {
		_, err = c.attempts().do(ctx, "ask for the user", func(ctx context.Context) (err error) {
			s.user, err = c.User(ctx)
			return err
		})
	}
	if err != nil {
		return nil, s.refusal(err)
	}
	return s, c.stamp(s, req)
}

// Resolve returns the type of a manifest. It is one of Config.Types: whoever writes a
// template decides what the object of another person is.
//
// Errors: *InvalidError for a type that the server does not serve, or that is not a type of
// jobs; *kube.RequestError, *kube.DiscoveryError.
func (c *Client) Resolve(ctx context.Context, m *manifest.Manifest) (kube.Resource, error) {
	s := &submission{manifest: m, object: m.Object}
	if err := c.resolve(ctx, s); err != nil {
		return kube.Resource{}, s.refusal(err)
	}
	return s.resource, nil
}

// resolve finds the type of a submission.
func (c *Client) resolve(ctx context.Context, s *submission) error {
	kind := s.object.GroupVersionKind()
	_, err := c.attempts().do(ctx, "find the type", func(ctx context.Context) (err error) {
		s.resource, err = c.cluster.Resolve(ctx, FullName(kube.Resource{Name: kind.Kind, Version: kind.Version, Group: kind.Group}))
		return err
	})
	if illegal := errcode.Find(err, errcode.Invalid); illegal != nil {
		return s.invalid("kind", illegal.Problem)
	}
	if err == nil && !slices.Contains(c.cfg.Types, s.resource.String()) {
		return s.invalid("kind", fmt.Sprintf("%s is not a type of jobs; submit one of %s", s.resource, strings.Join(c.cfg.Types, ", ")))
	}
	return err
}

// refusal returns the error of a server about the job as an InvalidError.
func (s *submission) refusal(err error) error {
	if errors.As(err, new(*InvalidError)) || errors.As(err, new(*DeniedError)) {
		return err
	}
	if problems := s.objections().of(err); len(problems) > 0 {
		return &InvalidError{Problems: problems, Err: err}
	}
	return err
}

// stamp completes the object: namespace, name, key, labels and annotations.
func (c *Client) stamp(s *submission, req Request) error {
	namespace := s.object.GetNamespace()
	switch {
	case namespace == "":
		namespace = req.Namespace
	case req.Namespace != "" && namespace != req.Namespace:
		return s.invalid("metadata.namespace", fmt.Sprintf("the manifest is for the namespace %s, and the request for %s", namespace, req.Namespace))
	}
	if namespace == "" {
		namespace = c.cfg.Namespace
	}
	if marks := clean(s.object); len(marks) > 0 && req.Retry == nil {
		s.warn(fmt.Sprintf("the manifest was read from a cluster: %s belong to the job there, and are removed", strings.Join(marks, ", ")))
	}
	s.renamed = s.object.GetName() == "" && s.object.GetGenerateName() != ""
	marks := stamp{user: s.user, namespace: namespace, template: req.Template, key: s.key, again: req.Again, retry: req.Retry}
	claims, err := marks.apply(s.object)
	if err != nil {
		return s.invalid("metadata", err.Error())
	}
	s.warnings = append(s.warnings, claims...)
	if req.Hold && !hold(s.object) {
		return s.invalid("kind", fmt.Sprintf("this %s cannot be held: it cannot be submitted suspended", s.object.GetKind()))
	}
	text, err := json.Marshal(s.object.Object)
	if err != nil {
		return err
	}
	if len(text) > manifest.MaxObject {
		return s.invalid("", fmt.Sprintf("the object has %d bytes; the API server stores at most %d", len(text), manifest.MaxObject))
	}
	return nil
}

// client returns a client for the type of a submission.
func (c *Client) client(s *submission, cfg kube.ClientConfig) (*kube.Client[unstructured.Unstructured], error) {
	cfg.Resource, cfg.FieldManager = FullName(s.resource), fieldManager
	return kube.For[unstructured.Unstructured](c.cluster, cfg)
}

// check validates the job with a dry run. A server that has found unknown fields has not
// validated the others, so check tries again without them.
func (c *Client) check(ctx context.Context, s *submission) (*unstructured.Unstructured, error) {
	object, err := c.send(ctx, s, kube.ClientConfig{Writes: kube.DryRun, Validation: kube.RejectUnknown})
	if !isStrict(err) {
		return object, err
	}
	invalid := &InvalidError{Problems: s.objections().of(err), Err: err}
	if _, err := c.send(ctx, s, kube.ClientConfig{Writes: kube.DryRun, Validation: kube.DropUnknown}); err != nil && !apierrors.IsForbidden(err) {
		invalid.Problems = append(invalid.Problems, s.objections().of(err)...)
	}
	return nil, invalid
}

// send creates the object, and repeats a dry run without a clear answer.
func (c *Client) send(ctx context.Context, s *submission, cfg kube.ClientConfig) (object *unstructured.Unstructured, err error) {
	client, err := c.client(s, cfg)
	if err != nil {
		return nil, err
	}
	ctx = kube.WithWarnings(ctx, s.warn)
	_, err = c.attempts().do(ctx, "check the job", func(ctx context.Context) (err error) {
		object, err = client.Create(ctx, s.object)
		return err
	})
	return object, err
}

// create creates the job once.
func (c *Client) create(ctx context.Context, s *submission) (Result, error) {
	client, err := c.client(s, kube.ClientConfig{Validation: kube.RejectUnknown})
	if err != nil {
		return Result{}, err
	}
	var made *unstructured.Unstructured
	unsure, err := c.attempts().do(kube.WithWarnings(ctx, s.warn), "create the job", func(ctx context.Context) (err error) {
		made, err = client.Create(ctx, s.object)
		return err
	})
	if err == nil {
		return s.result(made, true), nil
	}
	return c.settle(ctx, s, unsure, err)
}

// settle interprets a failure. The request may have been accepted earlier in spite of the
// objection: an existing job can exceed the quota that it used up itself.
func (c *Client) settle(ctx context.Context, s *submission, unsure bool, err error) (Result, error) {
	if unsure && outcomeOf(err) != refused {
		return Result{}, &UnsureError{Type: TypeName(s.resource), Namespace: s.object.GetNamespace(), Name: s.object.GetName(), Key: s.key, Err: err}
	}
	if outcomeOf(err) != refused {
		return Result{}, err
	}
	var job Job
	_, failed := c.attempts().do(ctx, "read the job", func(ctx context.Context) (err error) {
		job, err = c.read(ctx, s.resource, s.object.GetName(), s.object.GetNamespace())
		return err
	})
	switch {
	case failed == nil && accepted(job, s.user, s.key):
		r := s.result(job.Object, unsure)
		r.Before = !unsure
		return r, nil
	case failed == nil && apierrors.IsAlreadyExists(err):
		return Result{}, taken(job, s.user)
	case apierrors.IsAlreadyExists(err) && apierrors.IsNotFound(failed):
		return Result{}, errGone
	case apierrors.IsAlreadyExists(err):
		return Result{}, fmt.Errorf("%s/%s exists, and whether this request created it is unknown: %w", TypeName(s.resource), s.object.GetName(), failed)
	}
	err = Denied(ctx, c.cluster, err, Right{Verb: "create", Resource: s.resource, Namespace: s.object.GetNamespace(), Also: []string{"get"}})
	return Result{}, s.refusal(err)
}
