// Package route registers HTTP routes and makes their answers: one JSON body or one problem (RFC 9457), with a detail
// that says what is unaffected and what to do.
package route

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"sextant/backend/store/diskspace"
)

// Body wraps a JSON answer for huma.
type Body[T any] struct{ Body T }

// Answer wraps v as a route's answer.
func Answer[T any](v T) *Body[T] { return &Body[T]{Body: v} }

// Empty is the input or output of a route that has none.
type Empty struct{}

// ByID is the input of a route whose path contains an id.
type ByID struct {
	ID string `path:"id" maxLength:"128"`
}

// Add registers one route that h answers. status is the HTTP status of a success.
func Add[I, O any](api huma.API, method, path, summary string, status int, h func(context.Context, *I) (*O, error)) {
	huma.Register(api, huma.Operation{
		OperationID: OperationID(method, path), Method: method, Path: path, Summary: summary,
		DefaultStatus: status, MaxBodyBytes: MaxBody,
	}, h)
}

// OperationID returns the stable, unique id of a route: "post-api-ai-tools-execute".
func OperationID(method, path string) string {
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

// BadRequest returns a problem (400) that the client can correct.
func BadRequest(detail string) error { return huma.NewError(http.StatusBadRequest, detail) }

// NotFound returns a problem (404) about something that does not exist.
func NotFound(detail string) error { return huma.NewError(http.StatusNotFound, detail) }

const diskFullType = "urn:sextant:problem:disk-full"

// NotStored returns the problem for data that could not be stored with err, for which diskspace.IsFull is true.
func NotStored(err error) error {
	reason, advice := diskspace.Explain(err)
	return &huma.ErrorModel{
		Type: diskFullType, Title: http.StatusText(http.StatusInsufficientStorage),
		Status: http.StatusInsufficientStorage,
		Detail: "This was not stored. " + reason + " " + advice + " Then send it again.",
	}
}

// RequestError returns err as a problem (400) that the client can correct, or NotStored if nothing can be stored now.
func RequestError(err error) error {
	if diskspace.IsFull(err) {
		return NotStored(err)
	}
	return BadRequest(err.Error())
}

// InternalError returns an internal problem (500), or NotStored if nothing can be stored now. detail should say what is
// unaffected.
func InternalError(detail string, err error) error {
	if diskspace.IsFull(err) {
		return NotStored(err)
	}
	return huma.NewError(http.StatusInternalServerError, detail, err)
}

// MaxBody bounds the body of a request to a route of Add, in bytes.
const MaxBody = 4 << 20
