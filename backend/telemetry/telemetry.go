// Package telemetry sends traces and metrics of unattended runs to an OpenTelemetry collector that the person names.
package telemetry

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"time"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlpmetric/otlpmetrichttp"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/resource"
	"go.opentelemetry.io/otel/sdk/trace"

	"sextant/backend/sandbox/egress"
)

// closeLimit is how long the last spans and metrics may take.
const closeLimit = 5 * time.Second

// Start lets package unattended send what it observes to the collector at an address such as http://127.0.0.1:4318, by
// OTLP over HTTP. It does nothing if the address is "". stop sends the rest.
func Start(ctx context.Context, address, version string, log *slog.Logger) (stop func() error, err error) {
	if address == "" {
		return func() error { return nil }, nil
	}
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return nil, fmt.Errorf("otlp_endpoint is not an address such as http://127.0.0.1:4318: %q", address)
	}
	guard := egress.New(egress.Config{AllowHosts: []string{u.Host}, Log: log})
	client := &http.Client{Transport: guard.Transport()}
	spans, err := otlptracehttp.New(ctx, otlptracehttp.WithEndpointURL(u.JoinPath("v1/traces").String()),
		otlptracehttp.WithHTTPClient(client))
	if err != nil {
		return nil, fmt.Errorf("sending traces: %w", err)
	}
	values, err := otlpmetrichttp.New(ctx, otlpmetrichttp.WithEndpointURL(u.JoinPath("v1/metrics").String()),
		otlpmetrichttp.WithHTTPClient(client))
	if err != nil {
		return nil, fmt.Errorf("sending metrics: %w", err)
	}
	about := resource.NewSchemaless(
		attribute.String("service.name", "sextant"), attribute.String("service.version", version))
	tracer := trace.NewTracerProvider(trace.WithBatcher(spans), trace.WithResource(about))
	meter := metric.NewMeterProvider(metric.WithReader(metric.NewPeriodicReader(values)), metric.WithResource(about))
	otel.SetErrorHandler(otel.ErrorHandlerFunc(func(err error) {
		log.Warn("traces and metrics were not sent", "err", err)
	}))
	otel.SetTracerProvider(tracer)
	otel.SetMeterProvider(meter)
	return func() error {
		ctx, cancel := context.WithTimeout(context.Background(), closeLimit)
		defer cancel()
		return errors.Join(tracer.Shutdown(ctx), meter.Shutdown(ctx), guard.Close())
	}, nil
}
