package app_test

import (
	"context"
	"io"

	"sextant/app"
	"sextant/app/cli"
	"sextant/app/cli/verb"
)

func init() {
	app.RunCLI = func(ctx context.Context, args []string, in io.Reader, out, errs io.Writer) int {
		return cli.Run(ctx, args, verb.Streams{In: in, Out: out, Err: errs})
	}
}
