package auth

import (
	"context"
	"fmt"
)

func (h *Handler) pinnedIssuer() string {
	if issuer, ok := h.cfg.Store.Key(keyOf("issuer", h.cfg.URL)); ok {
		return issuer
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if g := h.loadGrant(); g != nil {
		return g.Issuer // a grant from before issuers were pinned
	}
	return ""
}

// checkIssuer asks the person before their registered secret is sent to another issuer than before, because the
// server may have a new owner. Our own registrations differ for each issuer and need no protection.
func (h *Handler) checkIssuer(ctx context.Context, now string) error {
	before := h.pinnedIssuer()
	typed := h.cfg.ClientSecret != "" || h.cfg.PrivateKey != ""
	if before != "" && before != now && typed {
		if h.cfg.ConfirmIssuer == nil {
			return fmt.Errorf("%w: the server now names %s as its authorization server instead of %s; nothing was "+
				"sent there. You can allow it in Sextant's window", ErrDeclined, now, before)
		}
		yes, err := h.cfg.ConfirmIssuer(ctx, h.cfg.Server, before, now)
		if err != nil {
			return err
		}
		if !yes {
			return fmt.Errorf("%w: the server now names %s as its authorization server instead of %s; nothing was "+
				"sent there", ErrDeclined, now, before)
		}
	}
	if before == now {
		return nil
	}
	if err := h.cfg.Store.SetKey(keyOf("issuer", h.cfg.URL), now); err != nil {
		return fmt.Errorf("storing the authorization server: %w", err)
	}
	return nil
}
