package client

import (
	"context"
	"net/http"

	"github.com/vedette-io/vedette/platform/portal/api"
)

// SignOut ends the session.
func (c *Client) SignOut(ctx context.Context) error {
	_, err := send[struct{}](ctx, c, http.MethodDelete, api.PathSessionAuth, nil)
	return err
}

// Render returns the YAML for the values of a form.
func (c *Client) Render(ctx context.Context, in api.RenderRequest) (*api.Rendered, error) {
	return send[api.Rendered](ctx, c, http.MethodPost, api.PathRender, in)
}

// Check checks a job with a dry run.
func (c *Client) Check(ctx context.Context, in api.SubmitRequest) (*api.Checked, error) {
	return send[api.Checked](ctx, c, http.MethodPost, api.PathCheck, in)
}

// Submit submits a job. With a key the request may be repeated.
func (c *Client) Submit(ctx context.Context, in api.SubmitRequest) (*api.Submitted, error) {
	return send[api.Submitted](ctx, c, http.MethodPost, api.PathSubmit, in)
}

// Stop cancels a job.
func (c *Client) Stop(ctx context.Context, job api.JobRef, in api.StopRequest) (*api.Act, error) {
	return send[api.Act](ctx, c, http.MethodPost, of(api.PathStop, job), in)
}

// Retry submits a copy of a job.
func (c *Client) Retry(ctx context.Context, job api.JobRef, in api.RetryRequest) (*api.Submitted, error) {
	return send[api.Submitted](ctx, c, http.MethodPost, of(api.PathRetry, job), in)
}

// Acknowledge records that somebody takes care of a job.
func (c *Client) Acknowledge(ctx context.Context, job api.JobRef) (*api.Act, error) {
	return send[api.Act](ctx, c, http.MethodPost, of(api.PathAcknowledge, job), nil)
}

// Mute stops the messages about a job.
func (c *Client) Mute(ctx context.Context, job api.JobRef, in api.MuteRequest) (*api.Act, error) {
	return send[api.Act](ctx, c, http.MethodPost, of(api.PathMute, job), in)
}

// Unmute resumes the messages about a job.
func (c *Client) Unmute(ctx context.Context, job api.JobRef) (*api.Act, error) {
	return send[api.Act](ctx, c, http.MethodDelete, of(api.PathMute, job), nil)
}

// Release releases a held job.
func (c *Client) Release(ctx context.Context, job api.JobRef) (*api.Act, error) {
	return send[api.Act](ctx, c, http.MethodDelete, of(api.PathHold, job), nil)
}

// Replay sends dead letters again.
func (c *Client) Replay(ctx context.Context, in api.ReplayRequest) (*api.Act, error) {
	return send[api.Act](ctx, c, http.MethodPost, api.PathReplay, in)
}

// Drop removes dead letters permanently.
func (c *Client) Drop(ctx context.Context, in api.ReplayRequest) (*api.Act, error) {
	return send[api.Act](ctx, c, http.MethodPost, api.PathDrop, in)
}

// EndSessions ends all sessions of a person.
func (c *Client) EndSessions(ctx context.Context, in api.EndSessionsRequest) (*api.Act, error) {
	return send[api.Act](ctx, c, http.MethodPost, api.PathEndSessions, in)
}

// Send sends a message again.
func (c *Client) Send(ctx context.Context, delivery int64) (*api.Act, error) {
	return send[api.Act](ctx, c, http.MethodPost, filled(api.PathSend, number(delivery)), nil)
}

// Subscribe creates a subscription to messages.
func (c *Client) Subscribe(ctx context.Context, in api.Subscribe) (*api.Subscription, error) {
	return send[api.Subscription](ctx, c, http.MethodPost, api.PathSubscriptions, in)
}

// Unsubscribe removes a subscription.
func (c *Client) Unsubscribe(ctx context.Context, id int64) (*api.Act, error) {
	return send[api.Act](ctx, c, http.MethodDelete, filled(api.PathSubscription, number(id)), nil)
}

// Verify confirms the address of a subscription.
func (c *Client) Verify(ctx context.Context, id int64, in api.VerifyRequest) (*api.Act, error) {
	return send[api.Act](ctx, c, http.MethodPost, filled(api.PathVerify, number(id)), in)
}

// TestMessage sends a test message for a subscription.
func (c *Client) TestMessage(ctx context.Context, id int64) (*api.Act, error) {
	return send[api.Act](ctx, c, http.MethodPost, filled(api.PathTestMessage, number(id)), nil)
}

// MuteMessages stops the messages of a subscription until a time. A past time ends the mute.
func (c *Client) MuteMessages(ctx context.Context, id int64, in api.MuteRequest) (*api.Act, error) {
	return send[api.Act](ctx, c, http.MethodPost, filled(api.PathMuteMessages, number(id)), in)
}
