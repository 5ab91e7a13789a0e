package app

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	collectormetrics "go.opentelemetry.io/proto/otlp/collector/metrics/v1"
	collectortrace "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	trace "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"sextant/shared/recipe"
	"sextant/shared/schedule"
	"sextant/shared/toolspec"
)

// collector takes traces and metrics as an OpenTelemetry collector does.
type collector struct {
	*httptest.Server
	mu      sync.Mutex
	spans   []*trace.Span
	metrics []string
	text    []byte
}

func newCollector(t *testing.T) *collector {
	t.Helper()
	c := &collector{}
	c.Server = httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		c.text = append(c.text, body...)
		switch r.URL.Path {
		case "/v1/traces":
			var in collectortrace.ExportTraceServiceRequest
			if err := proto.Unmarshal(body, &in); err != nil {
				t.Error(err)
			}
			for _, resource := range in.ResourceSpans {
				for _, scope := range resource.ScopeSpans {
					c.spans = append(c.spans, scope.Spans...)
				}
			}
		case "/v1/metrics":
			var in collectormetrics.ExportMetricsServiceRequest
			if err := proto.Unmarshal(body, &in); err != nil {
				t.Error(err)
			}
			for _, resource := range in.ResourceMetrics {
				for _, scope := range resource.ScopeMetrics {
					for _, m := range scope.Metrics {
						c.metrics = append(c.metrics, m.Name)
					}
				}
			}
		default:
			t.Error(r.URL.Path)
		}
	}))
	t.Cleanup(c.Close)
	return c
}

// TestRunsAreTraced runs a recipe by a schedule. It runs alone, because a process has one place to send traces to.
func TestRunsAreTraced(t *testing.T) {
	c := newCollector(t)
	t.Setenv("SEXTANT_OTLP_ENDPOINT", c.URL)
	sys := openTest(t, OpenOptions{Serve: true})
	if err := sys.Recipes.Save(recipe.Recipe{
		Name: "find", Parameters: []recipe.Parameter{{Name: "what"}}, Steps: []recipe.Step{
			{Tool: "navigate_page", Args: json.RawMessage(`{"url":"demo"}`)},
			{Tool: "type_text", Args: json.RawMessage(
				`{"annotationId":{"role":"searchbox","name":"Search"},"text":"{{what}}","submit":true}`)},
		},
	}); err != nil {
		t.Fatal(err)
	}
	s := scheduler{t, sys}
	const private = "Kirchturm"
	one := s.add(schedule.Task{Recipe: "find", Values: map[string]string{"what": private}}, nil)
	if run := s.run(one); run.Status != schedule.StatusDone {
		t.Fatalf("%+v", run)
	}
	sys.do(t.Context(), toolspec.Call{Tool: "list_directory", Args: json.RawMessage(`{"path":"."}`)}) // not traced
	sys.Close()
	c.mu.Lock()
	defer c.mu.Unlock()
	parents := map[string]string{}
	names := map[string]string{}
	for _, span := range c.spans {
		names[string(span.SpanId)] = span.Name
		if value := span.Attributes; span.Name == "schedule" && len(value) == 0 {
			t.Error("the run has no attributes")
		}
	}
	for _, span := range c.spans {
		parents[span.Name] = names[string(span.ParentSpanId)]
	}
	for name, parent := range map[string]string{
		"schedule": "", "call recipe_find": "schedule", "call navigate_page": "call recipe_find",
		"call type_text": "call recipe_find", "call annotate_page": "call recipe_find",
	} {
		if got, ok := parents[name]; !ok || got != parent {
			t.Errorf("the span %q is below %q, want %q", name, got, parent)
		}
	}
	if len(parents) != 5 {
		t.Errorf("the spans are %v", parents)
	}
	if !slices.Contains(c.metrics, "sextant.run.duration") {
		t.Errorf("the metrics are %v", c.metrics)
	}
	if strings.Contains(string(c.text), private) {
		t.Error("what was typed left the computer")
	}
}
