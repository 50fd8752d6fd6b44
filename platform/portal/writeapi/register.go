package writeapi

import (
	"context"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/vedette-io/vedette/platform/portal/api"
	"github.com/vedette-io/vedette/platform/portal/web"
)

// sendLimit is the time limit of an operation that sends a message directly.
const sendLimit = 40 * time.Second

// with passes the writer to handlers.
func with[I, O any](w *writer, h func(context.Context, *writer, *I) (*O, error)) func(context.Context, *I) (*O, error) {
	return func(ctx context.Context, in *I) (*O, error) {
		out, err := h(ctx, w, in)
		if err != nil {
			return nil, err
		}
		return out, nil
	}
}

// large applies a check to bodies that other operations do not read. A small form needs no right.
func large(check func(*http.Request) error) func(*http.Request) error {
	return func(r *http.Request) error {
		if r.ContentLength >= 0 && r.ContentLength <= web.BodyLimit {
			return nil
		}
		return check(r)
	}
}

// Register adds the operations that write, those of templates, and the list of subscriptions.
func Register(a huma.API, cfg Config) {
	w := &writer{cfg: cfg.withDefaults(), slots: newManifestSlots()}
	creates := func(r *http.Request) error { return w.cfg.Access.MayCreate(r.Context(), w.cfg.Types) }
	job, slow, sends := web.Body(web.SubmitLimit), web.Within(web.DryRunLimit), web.Within(sendLimit)

	web.Get(a, api.PathTemplates, "list-templates", "The templates of jobs", with(w, listTemplates))
	web.Get(a, api.PathTemplate, "get-template", "A template and its form", with(w, getTemplate))
	web.Post(a, api.PathRender, "render-template", "The YAML of a form", with(w, renderTemplate), job, web.First(large(creates)))
	web.Post(a, api.PathCheck, "check-job", "Check a job with a dry run", with(w, check), job, slow, web.First(creates))
	web.Post(a, api.PathSubmit, "submit-job", "Submit a job; a request that is repeated with its key creates no second one", with(w, submitJob), job, slow, web.First(creates))

	web.Post(a, api.PathStop, "stop-job", "Stop a job", with(w, stop), slow)
	web.Post(a, api.PathRetry, "retry-job", "Retry a job", with(w, retry), slow, web.Problems(api.ProblemGone))
	web.Post(a, api.PathAcknowledge, "acknowledge-job", "End the escalations of the messages about a job", with(w, acknowledge))
	web.Post(a, api.PathMute, "mute-job", "Stop the messages about a job to yourself", with(w, mute))
	web.Delete(a, api.PathMute, "unmute-job", "Get the messages about a job again", with(w, unmute))
	web.Delete(a, api.PathHold, "release-job", "Let a job go that is held", with(w, release), slow)

	web.Get(a, api.PathSubscriptions, "list-subscriptions", "Your subscriptions, and the channels", with(w, listSubscriptions))
	web.Post(a, api.PathSubscriptions, "subscribe", "Get the messages about jobs", with(w, subscribe), sends)
	web.Delete(a, api.PathSubscription, "unsubscribe", "End a subscription", with(w, unsubscribe))
	web.Post(a, api.PathVerify, "verify-subscription", "Confirm an address with the code that was sent there", with(w, verify))
	web.Post(a, api.PathMuteMessages, "mute-subscription", "Stop the messages of a subscription until a time", with(w, muteMessages))
	web.Post(a, api.PathTestMessage, "test-subscription", "Send a test message to the address of a subscription", with(w, sendTest), sends)

	web.Post(a, api.PathReplay, "replay-dead-letters", "Send dead letters again", with(w, replayLetters))
	web.Post(a, api.PathEndSessions, "end-sessions", "End all sessions of a person", with(w, endSessions))
	web.Post(a, api.PathDrop, "drop-dead-letters", "Give up dead letters", with(w, dropLetters))
	web.Post(a, api.PathSend, "send-again", "Send a message again", with(w, sendAgain))
}
