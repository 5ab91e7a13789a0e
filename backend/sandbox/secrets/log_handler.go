package secrets

import (
	"context"
	"log/slog"
)

// LogHandler is a slog.Handler that masks secrets in messages, strings, errors and groups.
type LogHandler struct {
	next  slog.Handler
	vault *Vault
}

// NewLogHandler returns a handler that passes records to next with the values of vault masked.
func NewLogHandler(next slog.Handler, vault *Vault) *LogHandler { return &LogHandler{next, vault} }

// Enabled implements slog.Handler.
func (h *LogHandler) Enabled(ctx context.Context, level slog.Level) bool {
	return h.next.Enabled(ctx, level)
}

// Handle implements slog.Handler.
func (h *LogHandler) Handle(ctx context.Context, r slog.Record) error {
	masked := slog.NewRecord(r.Time, r.Level, h.vault.Mask(r.Message), r.PC)
	r.Attrs(func(a slog.Attr) bool {
		masked.AddAttrs(h.maskAttr(a))
		return true
	})
	return h.next.Handle(ctx, masked)
}

// WithAttrs implements slog.Handler.
func (h *LogHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	masked := make([]slog.Attr, len(attrs))
	for i, a := range attrs {
		masked[i] = h.maskAttr(a)
	}
	return &LogHandler{h.next.WithAttrs(masked), h.vault}
}

// WithGroup implements slog.Handler.
func (h *LogHandler) WithGroup(name string) slog.Handler {
	return &LogHandler{h.next.WithGroup(name), h.vault}
}

func (h *LogHandler) maskAttr(a slog.Attr) slog.Attr {
	value := a.Value.Resolve()
	switch value.Kind() {
	case slog.KindString, slog.KindAny:
		text := value.String()
		if err, ok := value.Any().(error); ok {
			text = err.Error()
		}
		if masked := h.vault.Mask(text); masked != text {
			return slog.String(a.Key, masked)
		}
	case slog.KindGroup:
		attrs := value.Group()
		masked := make([]any, len(attrs))
		for i, attr := range attrs {
			masked[i] = h.maskAttr(attr)
		}
		return slog.Group(a.Key, masked...)
	}
	return slog.Attr{Key: a.Key, Value: value}
}
