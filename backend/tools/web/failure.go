package web

import (
	"context"
	"crypto/x509"
	"errors"
	"net"
	"net/url"
	"syscall"

	"sextant/backend/sandbox/egress"
	"sextant/shared/toolspec"
)

// failure leaves out the address in errors of net/http, which may contain a key.
func (t *Tools) failure(ctx context.Context, e exchange, err error) toolspec.Result {
	host := e.url.Host
	var outer *url.Error
	if errors.As(err, &outer) {
		err = outer.Err
	}
	var (
		redirect *redirectError
		closed   *egress.BlockedError
		dns      *net.DNSError
		unknown  x509.UnknownAuthorityError
		name     x509.HostnameError
		invalid  x509.CertificateInvalidError
	)
	switch {
	case errors.As(err, &redirect):
		return t.redirected(e, redirect)
	case errors.As(err, &closed):
		return toolspec.Fail(toolspec.PermissionError, closed.Host+" is blocked: "+closed.Reason, closed.Suggestion)
	case errors.Is(context.Cause(ctx), errTooLong):
		return toolspec.Fail(toolspec.SystemError, host+" did not finish within "+e.timeout.String(),
			"Try again later, or give it more time.")
	case ctx.Err() != nil:
		return toolspec.Fail("", "stopped", "")
	case errors.As(err, &dns):
		return toolspec.Fail(toolspec.UserError, host+" was not found",
			"Check the spelling of the host, or the connection of this machine.")
	case errors.As(err, &unknown), errors.As(err, &name), errors.As(err, &invalid):
		return toolspec.Fail(toolspec.SecurityError, "the certificate of "+host+" cannot be trusted: "+err.Error(),
			"Do not send anything there. Check the address.")
	case errors.Is(err, syscall.ECONNREFUSED):
		return toolspec.Fail(toolspec.SystemError, host+" refused the connection",
			"Check the port, and that the server runs.")
	}
	t.cfg.Log.Debug("a request failed", "host", host, "err", err)
	return toolspec.Fail(toolspec.SystemError, host+" did not answer correctly: "+err.Error(),
		"Try again later, or open it in the browser.")
}

func (t *Tools) redirected(e exchange, s *redirectError) toolspec.Result {
	to := s.to.Redacted()
	if e.argument == "" {
		// The caller did not send this address, and it may contain our key.
		to = s.host
	}
	r := toolspec.Fail(toolspec.PermissionError, e.url.Host+" redirects to "+to+", which was not followed: "+s.reason,
		"Call "+e.call.Tool+" with that address if it is the right one; the person is then asked about "+s.host+
			" where needed.")
	if e.argument == "" {
		r.Suggestion = "Ask the person to check the setting search_url, or to set another search_provider."
	}
	r.Sources = []string{origin(e.url)}
	return r
}
