package lists

import (
	"fmt"
	"strings"

	"sextant/backend/tools/page/observation"
	"sextant/shared/annotation"
	"sextant/shared/event"
	"sextant/shared/toolspec"
)

// DownloadsValue is the value of the Result of Downloads.
type DownloadsValue struct {
	Downloads []event.Download `json:"downloads"`
	// Kept is false if the files will be removed when the browser ends.
	Kept bool `json:"kept"`
}

// Downloads lists downloads. Their names count as text of the page in front, which has the sources from. The server of
// a file does not become a source, because the page chose it, unless from is empty.
func Downloads(list []event.Download, kept bool, sentence string, from []string) toolspec.Result {
	r := toolspec.OK(DownloadsValue{Downloads: list, Kept: kept})
	r.Sentence = sentence
	if len(list) == 0 {
		r.Text = "There are no downloads."
		return r
	}
	r.Sources = from
	var b strings.Builder
	for _, d := range list {
		line := fmt.Sprintf("%d: %s | %s, %s", d.ID, annotation.Quote(annotation.Clean(d.Name, 120)), d.State,
			progress(d))
		if d.Path != "" {
			line += " | " + d.Path
		}
		b.WriteString(line + " | from " + annotation.Clean(d.URL, 200) + "\n")
		r.Preview = append(r.Preview, annotation.Clean(d.Name, 60)+" · "+string(d.State))
		if len(from) == 0 {
			r.Sources = observation.AppendMissing(r.Sources, observation.Sources(d.URL)...)
		}
	}
	if len(r.Preview) > 4 {
		r.Preview = r.Preview[len(r.Preview)-4:]
	}
	if kept {
		b.WriteString("The files are kept until somebody deletes them.")
	} else {
		b.WriteString("The files are removed when the browser closes; copy what you need.")
	}
	r.Text = b.String()
	return r
}

func progress(d event.Download) string {
	switch {
	case d.Reason != "":
		return d.Reason
	case d.State == "running" && d.Size > 0:
		return fmt.Sprintf("%d of %d bytes", d.Received, d.Size)
	}
	return fmt.Sprintf("%d bytes", d.Received)
}
