// Package desktop shows the Wails window. It contains the boot page, which opens the interface of the loopback server,
// and limits WebKitGTK to that server and to hosts that were granted to a page. Without the build tag "desktop" there
// is no window.
package desktop
