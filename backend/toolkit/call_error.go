package toolkit

import "sextant/shared/toolspec"

// CallError is a failure that the caller can correct, unlike an unexpected failure of the program.
type CallError struct {
	Type                toolspec.ErrorType
	Message, Suggestion string
}

var _ error = (*CallError)(nil)

// Error implements error.
func (e *CallError) Error() string { return e.Message }

// Result returns e as a failed Result.
func (e *CallError) Result() toolspec.Result { return toolspec.Fail(e.Type, e.Message, e.Suggestion) }

// ErrorOf returns the type, message and suggestion of a failed Result as a *CallError.
func ErrorOf(failed *toolspec.Result) error {
	return &CallError{failed.ErrorType, failed.Error, failed.Suggestion}
}

// UserError returns a CallError of type user_error.
func UserError(message, suggestion string) error {
	return &CallError{toolspec.UserError, message, suggestion}
}

// ValidationError returns a CallError of type validation_error.
func ValidationError(message, suggestion string) error {
	return &CallError{toolspec.ValidationError, message, suggestion}
}
