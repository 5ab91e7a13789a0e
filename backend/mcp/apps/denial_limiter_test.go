package apps

import (
	"testing"
	"time"
)

func TestDenialLimiter(t *testing.T) {
	now := time.Unix(1000, 0)
	noes := DenialLimiter{Now: func() time.Time { return now }}
	may := func(want bool) {
		t.Helper()
		if err := noes.Check("a"); (err == nil) != want {
			t.Errorf("may call: %v", err)
		}
	}
	may(true)
	noes.Denied("a")
	may(false)
	now = now.Add(denialPause)
	may(true)
	noes.Denied("a")
	now = now.Add(time.Hour)
	may(false)
	if err := noes.Check("b"); err != nil {
		t.Errorf("another server pays for it: %v", err)
	}
	noes.Reset("a")
	may(true)
}
