package secrets

import (
	"context"
	"log/slog"
	"strings"
)

// maxKeptBack bounds what is kept back of a text that comes in pieces, in bytes.
const maxKeptBack = 16 << 10

// Unsure is how many bytes at the end of text could be the beginning of a value whose rest has not
// come yet: who tells text in pieces keeps them back until then.
func (v *Vault) Unsure(text string) int {
	if v == nil {
		return 0
	}
	m := v.masks()
	if len(m.patterns) == 0 {
		return 0
	}
	for i := max(0, len(text)-maxKeptBack); i < len(text); i++ {
		if c := text[i]; !m.first[c] && c != '%' && c != '\\' && c != '&' && c != '+' {
			continue
		}
		for k := range m.patterns {
			stop, met := m.patterns[k].match(text, i)
			if met < len(m.patterns[k].text) && unfinished(text[max(stop, i):]) {
				return len(text) - i
			}
		}
	}
	return 0
}

// unfinished reports whether nothing is left, or the beginning of an escape.
func unfinished(rest string) bool {
	if rest == "" {
		return true
	}
	if escape(rest).n > 0 {
		return false
	}
	switch rest[0] {
	case '%':
		return len(rest) < 3
	case '\\':
		return len(rest) < 2 || rest[1] == 'u' && len(rest) < 12 || rest[1] == 'x' && len(rest) < 4
	case '&':
		return len(rest) < 12 && !strings.ContainsAny(rest, "; ")
	}
	return false
}

// Handler masks what is logged: messages, texts, errors and groups.
type Handler struct {
	next  slog.Handler
	vault *Vault
}

// NewHandler masks by vault what goes to next.
func NewHandler(next slog.Handler, vault *Vault) *Handler { return &Handler{next, vault} }

// Enabled implements slog.Handler.
func (h *Handler) Enabled(ctx context.Context, level slog.Level) bool {
	return h.next.Enabled(ctx, level)
}

// Handle implements slog.Handler.
func (h *Handler) Handle(ctx context.Context, r slog.Record) error {
	shown := slog.NewRecord(r.Time, r.Level, h.vault.Mask(r.Message), r.PC)
	r.Attrs(func(a slog.Attr) bool {
		shown.AddAttrs(h.attr(a))
		return true
	})
	return h.next.Handle(ctx, shown)
}

// WithAttrs implements slog.Handler.
func (h *Handler) WithAttrs(attrs []slog.Attr) slog.Handler {
	shown := make([]slog.Attr, len(attrs))
	for i, a := range attrs {
		shown[i] = h.attr(a)
	}
	return &Handler{h.next.WithAttrs(shown), h.vault}
}

// WithGroup implements slog.Handler.
func (h *Handler) WithGroup(name string) slog.Handler {
	return &Handler{h.next.WithGroup(name), h.vault}
}

func (h *Handler) attr(a slog.Attr) slog.Attr {
	value := a.Value.Resolve()
	switch value.Kind() {
	case slog.KindString, slog.KindAny:
		text := value.String()
		if err, ok := value.Any().(error); ok {
			text = err.Error()
		}
		if shown := h.vault.Mask(text); shown != text {
			return slog.String(a.Key, shown)
		}
	case slog.KindGroup:
		inner := value.Group()
		shown := make([]any, len(inner))
		for i, one := range inner {
			shown[i] = h.attr(one)
		}
		return slog.Group(a.Key, shown...)
	}
	return slog.Attr{Key: a.Key, Value: value}
}
