package apps

import (
	"testing"
	"time"
)

func TestDenialLimiter(t *testing.T) {
	now := time.Unix(1000, 0)
	limiter := DenialLimiter{Now: func() time.Time { return now }}
	may := func(want bool) {
		t.Helper()
		if err := limiter.Check("a"); (err == nil) != want {
			t.Errorf("may call: %v", err)
		}
	}
	may(true)
	limiter.RecordDenial("a")
	may(false)
	now = now.Add(denialPause)
	may(true)
	limiter.RecordDenial("a")
	now = now.Add(time.Hour)
	may(false)
	if err := limiter.Check("b"); err != nil {
		t.Errorf("another server is limited too: %v", err)
	}
	limiter.Reset("a")
	may(true)
}
