package feishu

import (
	"encoding/json"
	"strconv"
	"time"

	"github.com/vedette-io/vedette/platform/notify/channel"
)

// receipt reads an answer. Failures have a code in the body, mostly with HTTP 200.
func receipt(a *channel.Answer) (channel.Receipt, error) {
	var body struct {
		Code *int   `json:"code"`
		Old  *int   `json:"StatusCode"`
		Msg  string `json:"msg"`
		Data struct {
			ID string `json:"message_id"`
		} `json:"data"`
	}
	if err := json.Unmarshal(a.Body, &body); err != nil || body.Code == nil && body.Old == nil {
		if err := a.Err(); err != nil {
			return channel.Receipt{}, err
		}
		return channel.Receipt{}, a.Fail(channel.Temporary, "an answer without a code", string(a.Body))
	}
	code := body.Code
	if code == nil {
		code = body.Old
	}
	if *code == 0 {
		return channel.Receipt{Status: "code 0", Ref: body.Data.ID}, nil
	}
	e := a.Fail(kindOf(*code), "code "+strconv.Itoa(*code), body.Msg)
	if e.Kind == channel.Throttled && e.RetryAfter == 0 {
		e.RetryAfter = waitOf(a)
	}
	return channel.Receipt{}, e
}

// kindOf returns the kind of a Feishu code. A code that a change of the settings can fix
// is Temporary, so that no message is lost until then.
func kindOf(code int) channel.ErrorKind {
	switch code {
	case 11232, 99991400, 230020: // too many requests
		return channel.Throttled
	case 19001: // no such bot
		return channel.Disabled
	case 9499, 19002, 11246, 230099, 230001, 230025: // bad request; bad parameters or receiver; bad or long card
		return channel.Permanent
	}
	// 19021 signature or clock, 19022 address, 19024 keyword; 230002 the app is not in the group,
	// 230013 it may not write to the person; others.
	return channel.Temporary
}

// waitOf returns the wait in Feishu's own header.
func waitOf(a *channel.Answer) time.Duration {
	if seconds, err := strconv.Atoi(a.Header.Get("X-Ogw-Ratelimit-Reset")); err == nil && seconds > 0 && seconds <= 3600 {
		return time.Duration(seconds) * time.Second
	}
	return 0
}

// tokenIsInvalid reports whether Feishu rejected the token of an app.
func tokenIsInvalid(e *channel.Error) bool {
	return e != nil && (e.Status == "code 99991661" || e.Status == "code 99991663" || e.Status == "code 99991668")
}
