package web

import (
	"context"
	"crypto/x509"
	"errors"
	"net"
	"net/url"
	"syscall"

	"sextant/backend/guard/egress"
	"sextant/shared/toolspec"
)

// failure words why an exchange came to nothing. The address in Go's own errors may hold a key,
// so it is left out.
func (t *Tools) failure(ctx context.Context, e exchange, err error) toolspec.Result {
	host := e.url.Host
	var outer *url.Error
	if errors.As(err, &outer) {
		err = outer.Err
	}
	var (
		stray   *strayed
		closed  *egress.Refused
		dns     *net.DNSError
		unknown x509.UnknownAuthorityError
		name    x509.HostnameError
		invalid x509.CertificateInvalidError
	)
	switch {
	case errors.As(err, &stray):
		return t.strayed(e, stray)
	case errors.As(err, &closed):
		return toolspec.Fail(toolspec.PermissionError, closed.Host+" is closed: "+closed.Reason, closed.Suggestion)
	case errors.Is(context.Cause(ctx), errTooLong):
		return toolspec.Fail(toolspec.SystemError, host+" was not done within "+span(e.timeout), "Try again later, or give it more time.")
	case ctx.Err() != nil:
		return toolspec.Fail("", "stopped", "")
	case errors.As(err, &dns):
		return toolspec.Fail(toolspec.UserError, "no address is known for "+host, "Check the spelling of the host, or the connection of this machine.")
	case errors.As(err, &unknown), errors.As(err, &name), errors.As(err, &invalid):
		return toolspec.Fail(toolspec.SecurityError, "the certificate of "+host+" cannot be trusted: "+err.Error(), "Do not send anything there. Check the address.")
	case errors.Is(err, syscall.ECONNREFUSED):
		return toolspec.Fail(toolspec.SystemError, "nothing answers at "+host, "Check the port, and that the server runs.")
	}
	t.cfg.Log.Debug("a request failed", "host", host, "error", err)
	return toolspec.Fail(toolspec.SystemError, host+" did not answer as it should: "+err.Error(), "Try again later, or look at it in the browser.")
}

// strayed tells a redirect that was not followed and what to do about it.
func (t *Tools) strayed(e exchange, s *strayed) toolspec.Result {
	to := s.to.Redacted()
	if e.argument == "" {
		// Not the caller's own address: it may hold our key.
		to = s.host
	}
	r := toolspec.Fail(toolspec.PermissionError, e.url.Host+" redirects to "+to+", which was not followed: "+s.why,
		"Call "+e.call.Tool+" with that address, if it is the right one: then "+s.host+" is judged, and asked about where it has to be.")
	if e.argument == "" {
		r.Suggestion = "Ask the person to look at the setting search_url, or set another search_provider."
	}
	r.Sources = []string{origin(e.url)}
	return r
}
