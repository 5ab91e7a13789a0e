//go:build desktop

package desktop

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"sync"
	"sync/atomic"

	"github.com/wailsapp/wails/v2"
	"github.com/wailsapp/wails/v2/pkg/logger"
	"github.com/wailsapp/wails/v2/pkg/options"
	"github.com/wailsapp/wails/v2/pkg/options/assetserver"
	"github.com/wailsapp/wails/v2/pkg/options/linux"
	"github.com/wailsapp/wails/v2/pkg/runtime"

	"sextant/app"
	"sextant/build/icons"
	"sextant/shared/chat"
)

// Built is true in builds that can open a window.
const Built = true

// Open shows the interface in a Wails window and returns when the window is closed or ctx ends. fragment is added to
// the address of its first page. With hidden, the window is not shown if the desktop has a tray to open it from. No Go
// function is bound to the page, so the page can do only what the server allows its key.
func Open(ctx context.Context, sys *app.System, fragment string, hidden bool) error {
	net, err := sys.OpenWindowEgress(ctx)
	if err != nil {
		return err
	}
	stopped := make(chan struct{})
	defer close(stopped)
	ready := make(chan struct{})
	configured := sync.OnceFunc(func() {
		configureWindow(net)
		close(ready)
	})
	sys.PanelPages.SetCaptureFunc(takeScreenshot)
	defer sys.PanelPages.SetCaptureFunc(nil)
	sys.Browser.SetSystemClipboard(setClipboard)
	defer sys.Browser.SetSystemClipboard(nil)
	defer sys.SetRaiseWindow(nil)
	closing := &closeToTray{sys: sys}
	defer closing.end()
	err = wails.Run(&options.App{
		Title: "Sextant", Width: 1280, Height: 800, MinWidth: 800, MinHeight: 560,
		BackgroundColour:         options.NewRGB(11, 14, 18),
		AssetServer:              &assetserver.Options{Handler: bootPage(sys, fragment, configured)},
		LogLevelProduction:       logger.ERROR,
		EnableDefaultContextMenu: true,
		Linux: &linux.Options{
			Icon: icons.PNG, ProgramName: "sextant",
			WebviewGpuPolicy: linux.WebviewGpuPolicyNever,
		},
		StartHidden:   hidden,
		OnBeforeClose: closing.beforeClose,
		OnStartup: func(window context.Context) {
			show := func() {
				runtime.WindowShow(window)
				runtime.WindowUnminimise(window)
			}
			closing.begin(window, show, hidden)
			sys.SetRaiseWindow(closing.show)
			go func() {
				select {
				case <-ctx.Done():
					closing.quit()
				case <-stopped:
				}
			}()
			go func() {
				<-ready
				for {
					runtime.WindowExecJS(window, attachScript(ctx, sys, nextTakenFiles()))
				}
			}()
		},
	})
	if err != nil {
		return fmt.Errorf("opening the window: %w", err)
	}
	return nil
}

// bootPage serves the page that Wails loads. It opens the interface with a new one-time code after the proxy is
// configured. If the process of the pages ended, it is loaded again and leaves the panel that may be the cause.
func bootPage(sys *app.System, fragment string, configured func()) http.Handler {
	var loads atomic.Int32
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		configured()
		address := sys.URL()
		if loads.Add(1) > 1 {
			sys.LeavePage(r.Context())
		} else {
			address += fragment
		}
		target, err := json.Marshal(address)
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Header().Set("Cache-Control", "no-store")
		_, _ = fmt.Fprintf(w, `<!doctype html><meta charset="utf-8"><title>Sextant</title><style>html{background:#0B0E12}</style><script>location.replace(%s)</script>`, target)
	})
}

// maxTaken bounds how many files of a drop or paste are read. A message can have fewer.
const maxTaken = 20

// attachScript stores files and returns a script that attaches them to the message in the window.
func attachScript(ctx context.Context, sys *app.System, t takenFiles) string {
	type stored struct {
		File   chat.File `json:"file"`
		Reason string    `json:"reason,omitempty"`
		// Upload is the id with which a dropped file can be given to the page.
		Upload string `json:"upload,omitempty"`
	}
	detail := struct {
		Pasted bool     `json:"pasted"`
		Files  []stored `json:"files"`
	}{Pasted: t.how != "drop"}
	for _, path := range t.paths[:min(len(t.paths), maxTaken)] {
		file, err := sys.Attachments.AddPath(ctx, path)
		if t.how == "picture" {
			file.Name = "picture.png"
			_ = os.Remove(path)
		}
		s := stored{File: file}
		if t.how == "drop" {
			s.Upload = sys.Uploads.AddPath(path)
		}
		if err != nil {
			s.Reason = err.Error()
		}
		detail.Files = append(detail.Files, s)
	}
	if len(detail.Files) == 0 {
		return ""
	}
	text, err := json.Marshal(detail)
	if err != nil {
		return ""
	}
	return "dispatchEvent(new CustomEvent('filestaken', { detail: " + string(text) + " }))"
}
