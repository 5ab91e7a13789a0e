//go:build desktop

package desktop

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
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
)

// Built says that this program can open a window.
const Built = true

// Open shows the loopback shell in a Wails window and returns when it is closed or
// ctx ends. Nothing is bound: the page has no power but what the server gives to its token
// (ARCHITECTURE 1).
func Open(ctx context.Context, sys *app.System) error {
	net, err := sys.OpenWindowEgress(ctx)
	if err != nil {
		return err
	}
	stopped := make(chan struct{})
	defer close(stopped)
	sys.Window.Camera(photograph)
	defer sys.Window.Camera(nil)
	err = wails.Run(&options.App{
		Title: "Sextant", Width: 1280, Height: 800, MinWidth: 800, MinHeight: 560,
		BackgroundColour:         options.NewRGB(11, 14, 18),
		AssetServer:              &assetserver.Options{Handler: bootPage(sys, net)},
		LogLevelProduction:       logger.ERROR,
		EnableDefaultContextMenu: true,
		Linux: &linux.Options{
			Icon: icons.PNG, ProgramName: "sextant",
			WebviewGpuPolicy: linux.WebviewGpuPolicyNever,
		},
		OnStartup: func(window context.Context) {
			go func() {
				select {
				case <-ctx.Done():
					runtime.Quit(window)
				case <-stopped:
				}
			}()
		},
	})
	if err != nil {
		return fmt.Errorf("opening the window: %w", err)
	}
	return nil
}

// bootPage is the one page Wails serves: it goes to the loopback shell with a fresh one-time
// code each time it is loaded, and not before the window is guarded. It is loaded again when the
// process of the window's pages has ended; what a panel's page did before is not done again.
func bootPage(sys *app.System, net app.WindowEgress) http.Handler {
	guarded := sync.OnceFunc(func() { guardWindow(net) })
	var loads atomic.Int32
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		guarded()
		if loads.Add(1) > 1 {
			sys.LeavePage(r.Context())
		}
		target, err := json.Marshal(sys.URL())
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Header().Set("Cache-Control", "no-store")
		_, _ = fmt.Fprintf(w, `<!doctype html><meta charset="utf-8"><title>Sextant</title><style>html{background:#0B0E12}</style><script>location.replace(%s)</script>`, target)
	})
}
