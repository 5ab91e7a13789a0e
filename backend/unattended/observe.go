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

// Both do nothing unless package telemetry was started.
var (
	tracer = otel.Tracer("sextant")
	meter  = otel.Meter("sextant")

	runSeconds = histogram("sextant.run.duration", "How long runs took, by kind and status")
)

func histogram(name, about string) metric.Float64Histogram {
	h, err := meter.Float64Histogram(name, metric.WithUnit("s"), metric.WithDescription(about))
	if err != nil {
		otel.Handle(err) // the name is valid, so this cannot happen
	}
	return h
}

// Observe begins the span of a run, and of its metrics. kind is "schedule" or "row". Call end once with how it ended.
// No text of pages, files or messages is sent.
func Observe(
	ctx context.Context, kind string, about ...attribute.KeyValue,
) (_ context.Context, end func(status string, ok bool)) {
	begun := time.Now()
	ctx, span := tracer.Start(ctx, kind, trace.WithNewRoot(), trace.WithAttributes(about...))
	return ctx, func(status string, ok bool) {
		span.SetAttributes(attribute.String("sextant.status", status))
		endSpan(span, ok)
		runSeconds.Record(context.WithoutCancel(ctx), time.Since(begun).Seconds(),
			metric.WithAttributes(attribute.String("sextant.kind", kind), attribute.String("sextant.status", status)))
	}
}

// ObserveCall begins the span of a call of a run that is observed. Of others, it observes nothing.
func ObserveCall(ctx context.Context, tool string) (_ context.Context, end func(problem string)) {
	if !trace.SpanFromContext(ctx).IsRecording() {
		return ctx, func(string) {}
	}
	ctx, span := tracer.Start(ctx, "call "+tool, trace.WithAttributes(attribute.String("sextant.tool", tool)))
	return ctx, func(problem string) {
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
