package event

import (
	"sextant/shared/annotation"
)

// BrowserStatus says whether the controlled browser runs.
type BrowserStatus string

// The states of the controlled browser. BrowserAbsent means that no Chromium was found.
const (
	BrowserAbsent   BrowserStatus = "absent"
	BrowserStopped  BrowserStatus = "stopped"
	BrowserStarting BrowserStatus = "starting"
	BrowserReady    BrowserStatus = "ready"
	BrowserFailed   BrowserStatus = "failed"
)

// BrowserState is the state of the controlled browser. Error and Hint explain its Status.
type BrowserState struct {
	Status BrowserStatus `json:"status"`
	Error  string        `json:"error,omitempty"`
	Hint   string        `json:"hint,omitempty"`
	Tabs   []Tab         `json:"tabs"`
	Active int           `json:"active"`
	// Actor is the toolspec.Caller that acts on the page now, "" for nobody.
	Actor string `json:"driving,omitempty"`
	// TakenOver is true while a person has taken over the page.
	TakenOver bool `json:"person_has,omitempty"`
	// Downloads are the newest downloads, the newest last.
	Downloads []Download `json:"downloads,omitempty"`
}

// Tab is one tab of the window's browser session.
type Tab struct {
	ID      int    `json:"id"`
	Title   string `json:"title"`
	URL     string `json:"url"`
	Loading bool   `json:"loading,omitempty"`
	Back    bool   `json:"back"`
	Forward bool   `json:"forward"`
	Favicon string `json:"favicon,omitempty"`
	// Dialog is the text of an open dialog, DialogType its type, "" for none.
	Dialog     string     `json:"dialog,omitempty"`
	DialogType DialogType `json:"dialog_type,omitempty"`
	// DialogDefault is the initial text of a prompt.
	DialogDefault string `json:"dialog_default,omitempty"`
	Crashed       bool   `json:"crashed,omitempty"`
	// Device names the device that the tab emulates, "" for none.
	Device string `json:"device,omitempty"`
}

// DialogType is the type of an open dialog of a tab.
type DialogType string

// The types of dialogs. DialogAuth asks for the user name and password of a site, DialogFile for a file; a page
// continues while the latter is open.
const (
	DialogAlert   DialogType = "alert"
	DialogConfirm DialogType = "confirm"
	DialogPrompt  DialogType = "prompt"
	DialogAuth    DialogType = "auth"
	DialogFile    DialogType = "file"
	// DialogBeforeUnload asks whether to leave a page.
	DialogBeforeUnload DialogType = "beforeunload"
)

// DownloadState says how far a download is.
type DownloadState string

// The states of a download.
const (
	DownloadRunning   DownloadState = "running"
	DownloadDone      DownloadState = "done"
	DownloadCancelled DownloadState = "cancelled"
	DownloadFailed    DownloadState = "failed"
)

// Download is one downloaded file.
type Download struct {
	ID int `json:"id"`
	// Name is the file's name. Path is where it is once State is done.
	Name string `json:"name"`
	Path string `json:"path,omitempty"`
	URL  string `json:"url"`
	// Received and Size are bytes; Size is 0 while it is not known.
	Received int64 `json:"received"`
	Size     int64 `json:"size"`
	// Why says why it failed.
	State DownloadState `json:"state"`
	Why   string        `json:"why,omitempty"`
	// Tab is the tab that started it.
	Tab int `json:"tab"`
}

// Marks are the annotations of a tab's page after its newest observation.
type Marks struct {
	Page     annotation.Page      `json:"page"`
	Elements []annotation.Element `json:"elements"`
	Above    int                  `json:"above"`
	Below    int                  `json:"below"`
	// Width, Height are the viewport in CSS pixels.
	Width     float64 `json:"width"`
	Height    float64 `json:"height"`
	SettledMS int     `json:"settled_ms"`
	// On is false when the person has switched annotations off.
	On bool `json:"on"`
}

// Pointer is the assistant's pointer in CSS pixels of the viewport. Target is the annotation that it moves to.
type Pointer struct {
	Tab    int     `json:"tab"`
	X      float64 `json:"x"`
	Y      float64 `json:"y"`
	Press  bool    `json:"press,omitempty"`
	Target int     `json:"target,omitempty"`
}
