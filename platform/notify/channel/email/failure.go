package email

import (
	"context"
	"errors"
	"fmt"
	"net/textproto"
	"strconv"
	"strings"

	"github.com/wneessen/go-mail"

	"github.com/vedette-io/vedette/platform/notify/channel"
	"github.com/vedette-io/vedette/platform/notify/message"
)

// maxWords is the maximum number of bytes of a server's answer in an error.
const maxWords = 300

// connectFailure returns the error of a connection before any mail was sent.
func connectFailure(ctx context.Context, err error, secrets ...string) *channel.Error {
	e := failure(ctx, err, secrets...)
	e.Kind = channel.Temporary // also for 5xx, because the settings may be corrected later
	if strings.HasPrefix(e.Status, "SMTP 4") {
		e.Kind = channel.Throttled
	}
	return e
}

// sendFailure returns the error of a mail that the server did not accept.
func sendFailure(ctx context.Context, err error, secrets ...string) *channel.Error {
	return failure(ctx, err, secrets...)
}

// failure finds the code of the server in an error.
func failure(ctx context.Context, err error, secrets ...string) *channel.Error {
	if cause := context.Cause(ctx); cause != nil {
		return &channel.Error{Kind: channel.Temporary, Err: fmt.Errorf("the mail server did not answer in time: %w", cause)}
	}
	code, enhanced := 0, ""
	var sent *mail.SendError
	var said *textproto.Error
	switch {
	case errors.As(err, &sent):
		code, enhanced = sent.ErrorCode(), sent.EnhancedStatusCode()
	case errors.As(err, &said):
		code = said.Code
	}
	e := &channel.Error{Kind: kindOf(code), Err: errors.New(words(err, secrets...))}
	if code >= 400 && code <= 599 {
		e.Status = strings.TrimSpace("SMTP " + strconv.Itoa(code) + " " + enhanced)
	}
	return e
}

// kindOf returns the error kind of an SMTP code for a mail.
func kindOf(code int) channel.ErrorKind {
	switch {
	case code == 421: // the server closes the connection: too many connections, or shutdown
		return channel.Throttled
	case code >= 500 && code <= 599:
		return channel.Permanent
	}
	return channel.Temporary
}

// words returns an error in one short line, without secrets.
func words(err error, secrets ...string) string {
	text := channel.Hide(strings.Join(strings.Fields(err.Error()), " "), secrets...)
	return message.Limit{Bytes: maxWords}.Cut(message.Clean(text))
}
