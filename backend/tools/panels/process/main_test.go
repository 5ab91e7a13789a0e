package process

import (
	"testing"

	"go.uber.org/goleak"

	"sextant/backend/guard/confine"
)

func TestMain(m *testing.M) {
	confine.Enter() // a confined program starts this binary as a step of its run
	goleak.VerifyTestMain(m)
}
