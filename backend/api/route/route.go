// Package route registers HTTP routes and forms their answers: one JSON body or one problem (RFC 9457), with a detail
// that
// says what still holds and what to do.
package route

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"sextant/backend/store/diskspace"
)

// Body wraps a JSON answer for huma.
type Body[T any] struct{ Body T }

// Answer makes a body.
func Answer[T any](v T) *Body[T] { return &Body[T]{Body: v} }

// Empty is the input or output of routes without one.
type Empty struct{}

// ByID is a route with one id.
type ByID struct {
	ID string `path:"id" maxLength:"128"`
}

// Add registers one route. method and path come from the map where other programs rely
// on them, else from here.
func Add[I, O any](api huma.API, method, path, summary string, status int, h func(context.Context, *I) (*O, error)) {
	huma.Register(api, huma.Operation{
		OperationID: OperationID(method, path), Method: method, Path: path, Summary: summary,
		DefaultStatus: status, MaxBodyBytes: MaxBody,
	}, h)
}

// OperationID is stable and unique: "post-api-ai-tools-execute".
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

// BadRequest is a problem that the caller can mend.
func BadRequest(detail string) error { return huma.NewError(http.StatusBadRequest, detail) }

// NotFound is a problem about an id.
func NotFound(detail string) error { return huma.NewError(http.StatusNotFound, detail) }

// diskFullType names the problem of a full disk for programs.
const diskFullType = "urn:sextant:problem:disk-full"

// DiskFull is the answer to what could not be kept for want of room.
func DiskFull() error {
	return &huma.ErrorModel{
		Type: diskFullType, Title: http.StatusText(http.StatusInsufficientStorage),
		Status: http.StatusInsufficientStorage,
		Detail: "The disk is full, so this was not kept. What was kept before is safe. Make room on the disk of the " +
			"data folder, then send it again.",
	}
}

// Refused is a problem that the caller can mend, unless it is a full disk.
func Refused(err error) error {
	if diskspace.IsFull(err) {
		return DiskFull()
	}
	return BadRequest(err.Error())
}

// Failed is a problem of ours; the detail says what still holds.
func Failed(detail string, err error) error {
	if diskspace.IsFull(err) {
		return DiskFull()
	}
	return huma.NewError(http.StatusInternalServerError, detail, err)
}

// MaxBody bounds every request body; large things do not come in over this door.
const MaxBody = 4 << 20
