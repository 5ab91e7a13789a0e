package toolkit

import (
	"context"
	"io"
)

type contextReader struct {
	ctx context.Context //nolint:containedctx // a contextReader lives for one call
	r   io.Reader
}

// ContextReader returns a reader of r whose Read fails once ctx is done. It does not interrupt a Read in progress.
func ContextReader(ctx context.Context, r io.Reader) io.Reader { return contextReader{ctx, r} }

// Read implements io.Reader.
func (r contextReader) Read(b []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.r.Read(b)
}
