package httpapi

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"sextant/backend/record/space"
)

// body wraps a JSON answer for huma.
type body[T any] struct{ Body T }

// answer makes a body.
func answer[T any](v T) *body[T] { return &body[T]{Body: v} }

// nothing is the input or output of routes without one.
type nothing struct{}

// idPath is a route with one id.
type idPath struct {
	ID string `path:"id" maxLength:"128"`
}

// add registers one route. method and path come from the map where other programs rely
// on them, else from here.
func add[I, O any](s *Server, method, path, summary string, status int, h func(context.Context, *I) (*O, error)) {
	huma.Register(s.api, huma.Operation{
		OperationID: operationID(method, path), Method: method, Path: path, Summary: summary,
		DefaultStatus: status, MaxBodyBytes: maxBody,
	}, h)
}

// operationID is stable and unique: "post-api-ai-tools-execute".
func operationID(method, path string) string {
	out := []rune{}
	for _, r := range method + path {
		switch {
		case r >= 'A' && r <= 'Z':
			out = append(out, r+'a'-'A')
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9':
			out = append(out, r)
		case r == '{' || r == '}':
		default:
			out = append(out, '-')
		}
	}
	return string(out)
}

// routes registers every route of the door.
func (s *Server) routes() {
	s.toolRoutes()
	s.serverRoutes()
	s.appRoutes()
	s.environmentRoutes()
	s.panelRoutes()
	s.panelOwnRoutes()
	s.packageRoutes()
	s.problemRoutes()
	s.decideRoutes()
	s.pageRoutes()
	s.talkRoutes()
	s.pilotRoutes()
	s.automationRoutes()
	s.stateRoutes()
	s.recordRoutes()
	s.metricsRoutes()
	s.createdRoutes()
	s.changeRoutes()
	s.deskRoutes()
	s.secretRoutes()
	s.programRoutes()
	s.registerStream()
}

// badRequest is a problem that the caller can mend.
func badRequest(detail string) error { return huma.NewError(http.StatusBadRequest, detail) }

// notFound is a problem about an id.
func notFound(detail string) error { return huma.NewError(http.StatusNotFound, detail) }

// fullType names the problem of a full disk for programs.
const fullType = "urn:sextant:problem:disk-full"

// full is the answer to what could not be kept for want of room.
func full() error {
	return &huma.ErrorModel{
		Type: fullType, Title: http.StatusText(http.StatusInsufficientStorage), Status: http.StatusInsufficientStorage,
		Detail: "The disk is full, so this was not kept. What was kept before is safe. Make room on the disk of the data folder, then send it again.",
	}
}

// refused is a problem that the caller can mend, unless it is a full disk.
func refused(err error) error {
	if space.IsFull(err) {
		return full()
	}
	return badRequest(err.Error())
}

// failed is a problem of ours; the detail says what still holds.
func failed(detail string, err error) error {
	if space.IsFull(err) {
		return full()
	}
	return huma.NewError(http.StatusInternalServerError, detail, err)
}
