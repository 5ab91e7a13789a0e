package authoring

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"sextant/backend/panels/manifest"
	"sextant/shared/event"
	"sextant/shared/excerpt"
)

// errChanged reports that the archive differs from the one that the user was shown, that the panel was installed or
// removed since, or that its accepted manifest has changed.
var errChanged = errors.New("the archive, or the panel that it would replace, has changed since it was shown; " +
	"nothing was installed. Open the archive again")

// Offer returns what Install would do with an archive. It returns an error if the archive cannot be installed.
func (p *Tools) Offer(archive []byte) (PackageOffer, error) {
	_, offer, err := p.offered(archive)
	return offer, err
}

func (p *Tools) offered(archive []byte) (*Package, PackageOffer, error) {
	if p.cfg.Folder == "" {
		return nil, PackageOffer{}, errors.New("there is no panels folder, because Sextant runs without a data folder")
	}
	var reserved []string
	if p.cfg.Reserved != nil {
		reserved = p.cfg.Reserved()
	}
	found, err := ReadPackage(archive, reserved...)
	if err != nil {
		return nil, PackageOffer{}, err
	}
	offer, err := found.Offer(p.cfg.Folder, p.cfg.Registry.AcceptedPanel)
	if err != nil {
		return nil, offer, err
	}
	for _, other := range p.cfg.Registry.Panels() {
		if other.ID == offer.Panel && other.Builtin {
			return nil, offer, fmt.Errorf("%s is a panel of Sextant itself", offer.Panel)
		}
		for _, t := range offer.Tools {
			if other.ID != offer.Panel && slices.Contains(other.Tools, t.Name) {
				offer.Problems = append(offer.Problems, manifest.Problem{
					Severity: event.SeverityWarning, Tool: t.Name,
					Text: excerpt.Escape(fmt.Sprintf("the %s panel already has a tool %s; the one in this panel "+
						"will be off", other.Title, t.Name)),
				})
			}
		}
	}
	return found, offer, nil
}

// Install installs an archive into Config.Folder and returns the panel's id. hash is the PackageOffer.Hash that the
// user approved; Install fails if it no longer matches. The user is still asked before the panel's program starts for
// the first time.
func (p *Tools) Install(ctx context.Context, archive []byte, hash string) (panel string, err error) {
	found, offer, err := p.offered(archive)
	switch {
	case err != nil:
		return "", err
	case offer.Hash != hash:
		return "", errChanged
	}
	if err := p.cfg.Registry.SetAcceptedManifest(ctx, found.Panel(), found.Manifest()); err != nil {
		return "", err
	}
	if _, err := found.Install(p.cfg.Folder); err != nil {
		return "", err
	}
	p.cfg.Registry.ReadNow(ctx)
	return found.Panel(), nil
}
