package signin

import (
	"context"
	"fmt"
)

// pinned is the issuer that the server named first, or that the person agreed to since; "" before any.
func (h *Handler) pinned() string {
	if issuer, ok := h.cfg.Keep.Key(kept("issuer", h.cfg.URL)); ok {
		return issuer
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if g := h.current(); g != nil {
		return g.Issuer // from before there were pins
	}
	return ""
}

// sameIssuer keeps what the person registered by themselves from going to whoever the server names
// next: a server may change its mind, or its owner. The first issuer is pinned; another one is the
// person's to agree to, before anything goes there. What we registered ourselves is another for each
// issuer, and needs no such care.
func (h *Handler) sameIssuer(ctx context.Context, now string) error {
	before := h.pinned()
	typed := h.cfg.ClientSecret != "" || h.cfg.PrivateKey != ""
	if before != "" && before != now && typed {
		if h.cfg.NewIssuer == nil {
			return fmt.Errorf("%w: the server now names %s to sign in, and named %s before; nothing was sent there. It can be agreed to in Sextant's window", ErrDeclined, now, before)
		}
		yes, err := h.cfg.NewIssuer(ctx, h.cfg.Server, before, now)
		if err != nil {
			return err
		}
		if !yes {
			return fmt.Errorf("%w: the server now names %s to sign in instead of %s; nothing was sent there", ErrDeclined, now, before)
		}
	}
	if before == now {
		return nil
	}
	if err := h.cfg.Keep.SetKey(kept("issuer", h.cfg.URL), now); err != nil {
		return fmt.Errorf("keeping who signs in: %w", err)
	}
	return nil
}
