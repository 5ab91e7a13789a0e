package unattended

import (
	"context"
	"time"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/trace"
)

// scope is the name of what is observed. Nothing is, unless package telemetry was started.
const scope = "sextant"

// Observe begins the span of a run, and of its metrics. kind is "schedule" or "row". Call end once with how it ended.
// No text of pages, files or messages is sent.
func Observe(
	ctx context.Context, kind string, about ...attribute.KeyValue,
) (_ context.Context, end func(status string, ok bool)) {
	begun := time.Now()
	ctx, span := otel.Tracer(scope).Start(ctx, kind, trace.WithNewRoot(), trace.WithAttributes(about...))
	return ctx, func(status string, ok bool) {
		span.SetAttributes(attribute.String("sextant.status", status))
		endSpan(span, ok)
		seconds, err := otel.Meter(scope).Float64Histogram("sextant.run.duration", metric.WithUnit("s"),
			metric.WithDescription("How long runs took, by kind and status"))
		if err != nil {
			otel.Handle(err)
			return
		}
		seconds.Record(context.WithoutCancel(ctx), time.Since(begun).Seconds(),
			metric.WithAttributes(attribute.String("sextant.kind", kind), attribute.String("sextant.status", status)))
	}
}

// ObserveCall begins the span of a call of a run that is observed. Of others, it observes nothing. Call end once with
// the name of the tool, "" if there is none of that name, and the type of the error, "" for success.
func ObserveCall(ctx context.Context) (_ context.Context, end func(tool, problem string)) {
	if !trace.SpanFromContext(ctx).IsRecording() {
		return ctx, func(string, string) {}
	}
	ctx, span := otel.Tracer(scope).Start(ctx, "call")
	return ctx, func(tool, problem string) {
		if tool != "" {
			span.SetName("call " + tool)
			span.SetAttributes(attribute.String("sextant.tool", tool))
		}
		if problem != "" {
			span.SetAttributes(attribute.String("error.type", problem))
		}
		endSpan(span, problem == "")
	}
}

func endSpan(span trace.Span, ok bool) {
	if !ok {
		span.SetStatus(codes.Error, "")
	}
	span.End()
}
