package making

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"sextant/backend/tools/panels/accepted"
	"sextant/backend/tools/panels/manifest"
	"sextant/shared/event"
)

// ErrOther says that what should be installed is not what the person was asked about.
var ErrOther = errors.New("the archive, or the panel it would replace, is not what was shown; nothing was installed. Open the archive again")

// Offer says what installing an archive into the panels folder of the running program would do. The
// error is that of Open, or says why it cannot be installed here.
func (p *Panels) Offer(archive []byte) (PackageOffer, error) {
	_, offer, err := p.offered(archive)
	return offer, err
}

func (p *Panels) offered(archive []byte) (*Package, PackageOffer, error) {
	if p.cfg.Folder == "" {
		return nil, PackageOffer{}, errors.New("this Sextant has no folder for panels of one's own")
	}
	var reserved []string
	if p.cfg.Reserved != nil {
		reserved = p.cfg.Reserved()
	}
	found, err := Open(archive, reserved...)
	if err != nil {
		return nil, PackageOffer{}, err
	}
	offer, err := found.Against(p.cfg.Folder, p.cfg.Registry.AcceptedPanel)
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
					Severity: event.SeverityWarning, Tool: t.Name, Text: accepted.Shown(fmt.Sprintf("the %s panel already has a tool %s; this one's will be off", other.Title, t.Name)),
				})
			}
		}
	}
	return found, offer, nil
}

// Install installs the archive whose hash a person said yes to, and returns the panel's id. What it may
// do counts as accepted; its program is asked about before its first start all the same. ErrOther
// says that hash is another archive's, or that another manifest was accepted since.
func (p *Panels) Install(ctx context.Context, archive []byte, hash string) (panel string, err error) {
	found, offer, err := p.offered(archive)
	switch {
	case err != nil:
		return "", err
	case offer.Hash != hash:
		return "", ErrOther
	}
	if err := p.cfg.Registry.Approved(ctx, found.Panel(), found.Manifest()); err != nil {
		return "", err
	}
	if _, err := found.Install(p.cfg.Folder); err != nil {
		return "", err
	}
	p.cfg.Registry.Look(ctx)
	return found.Panel(), nil
}
