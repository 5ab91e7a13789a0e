// Package desktop is the Wails window: the boot page that leads to the loopback server, and what WebKitGTK needs to be
// held to it. Without the build tag "desktop" there is no window, and no GTK is needed.
package desktop
