package page

import (
	"context"
	"fmt"

	"sextant/backend/browser"
	"sextant/backend/tools/page/lists"
	"sextant/backend/tools/page/observation"
	"sextant/shared/annotation"
	"sextant/shared/event"
	"sextant/shared/toolspec"
)

type pdfParams struct {
	Name      string  `json:"name" doc:"of the file; default: the title"`
	Paper     string  `json:"paper" enum:"a3,a4,a5,letter,legal" default:"\"a4\""`
	Landscape bool    `json:"landscape"`
	Scale     float64 `json:"scale" min:"0.1" max:"2" default:"1"`
	Pages     string  `json:"pages" doc:"such as 1-3, 5"`
	Plain     bool    `json:"plain" doc:"without backgrounds"`
}

func (t *Tools) savePDF() tool {
	return build(tool{
		name: "save_pdf", hints: toolspec.Hints{OpenWorld: true}, timeout: 90_000,
		examples: []string{`{}`, `{"name":"offer","landscape":true,"pages":"1-2"}`, `{"scale":0.8,"plain":true}`},
	}, func(s session, _ pdfParams) toolspec.Description {
		return toolspec.Description{Sentence: "Saving the page as a PDF", Target: s.Address()}
	}, func(ctx context.Context, s session, p pdfParams) (toolspec.Result, error) {
		d, err := s.PrintPDF(ctx, browser.PDFOptions{
			Name: p.Name, Paper: p.Paper, Landscape: p.Landscape, Scale: p.Scale, Pages: p.Pages, Plain: p.Plain,
		})
		if err != nil {
			return toolspec.Result{}, err
		}
		r := lists.Downloads([]event.Download{d}, s.KeepsDownloads(), "Saved "+annotation.Clean(d.Name, 60),
			observation.Sources(s.Address()))
		r.Value = d
		r.Preview = []string{fmt.Sprintf("%s · %d KB", annotation.Clean(d.Name, 60), (d.Size+1023)/1024)}
		return r, nil
	})
}
