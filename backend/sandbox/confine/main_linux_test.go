package confine

import (
	"os"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	RunStep()
	if code, ok := probeMain(os.Args); ok {
		os.Exit(code)
	}
	goleak.VerifyTestMain(m)
}
