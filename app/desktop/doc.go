// Package desktop shows the Wails window. It contains the boot page, which opens the interface of the loopback server,
// and prevents WebKitGTK from connecting to anything else. Without the build tag "desktop" there is no window and GTK
// is not needed.
package desktop
