// Package desktop is the Wails window: the boot page that opens the loopback server, and what keeps WebKitGTK from
// connecting to anything else. Without the build tag "desktop" there is no window, and no GTK is needed.
package desktop
