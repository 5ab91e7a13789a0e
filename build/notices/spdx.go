package main

import (
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"time"
)

// unknown is what SPDX says where nothing is claimed.
const unknown = "NOASSERTION"

type spdxPackage struct {
	ID       string    `json:"SPDXID"`
	Name     string    `json:"name"`
	Version  string    `json:"versionInfo,omitempty"`
	Download string    `json:"downloadLocation"`
	Analyzed bool      `json:"filesAnalyzed"`
	Found    string    `json:"licenseConcluded"`
	Declared string    `json:"licenseDeclared"`
	Copy     string    `json:"copyrightText"`
	Refs     []spdxRef `json:"externalRefs,omitempty"`
}

type spdxRef struct {
	Category string `json:"referenceCategory"`
	Type     string `json:"referenceType"`
	Locator  string `json:"referenceLocator"`
}

type spdxRelation struct {
	From string `json:"spdxElementId"`
	Kind string `json:"relationshipType"`
	To   string `json:"relatedSpdxElement"`
}

// spdx returns the list of parts of a version as an SPDX 2.3 document.
func spdx(parts []part, version string, created time.Time) ([]byte, error) {
	const product = "SPDXRef-sextant"
	packages := []spdxPackage{{
		ID: product, Name: "sextant", Version: version, Download: unknown, Found: "MIT", Declared: "MIT", Copy: unknown,
	}}
	relations := []spdxRelation{{"SPDXRef-DOCUMENT", "DESCRIBES", product}}
	for i, p := range parts {
		id := fmt.Sprintf("SPDXRef-%s-%d", p.kind, i)
		declared := unknown
		if p.license != "" && !strings.ContainsAny(p.license, " ()") {
			declared = p.license
		}
		packages = append(packages, spdxPackage{
			ID: id, Name: p.name, Version: p.version, Download: unknown, Found: unknown, Declared: declared,
			Copy: unknown, Refs: []spdxRef{{"PACKAGE-MANAGER", "purl", p.url()}},
		})
		relations = append(relations, spdxRelation{product, "CONTAINS", id})
	}
	return json.MarshalIndent(map[string]any{
		"spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT", "name": "sextant-" + version,
		"documentNamespace": "https://spdx.org/spdxdocs/sextant-" + url.PathEscape(version),
		"creationInfo": map[string]any{
			"created": created.UTC().Format(time.RFC3339), "creators": []string{"Tool: sextant-notices"},
		},
		"packages": packages, "relationships": relations,
	}, "", " ")
}

// url returns the package URL of p.
func (p part) url() string {
	return "pkg:" + p.kind + "/" + strings.ReplaceAll(p.name, "@", "%40") + "@" + p.version
}
