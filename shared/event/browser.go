package event

import (
	"sextant/shared/annotation"
)

// BrowserStatus says whether the controlled browser is running.
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
	// Actor is the toolspec.Caller that is acting on the page now, "" for none.
	Actor string `json:"driving,omitempty"`
	// TakenOver is true while a person has taken over the page.
	TakenOver bool `json:"person_has,omitempty"`
	// Downloads contains the latest downloads, in order of their start.
	Downloads []Download `json:"downloads,omitempty"`
}

// Tab is one tab of the window's browser session.
type Tab struct {
	ID           int    `json:"id"`
	Title        string `json:"title"`
	URL          string `json:"url"`
	Loading      bool   `json:"loading,omitempty"`
	CanGoBack    bool   `json:"back"`
	CanGoForward bool   `json:"forward"`
	Favicon      string `json:"favicon,omitempty"`
	// Dialog is the text of an open dialog, or its type if it has no text. DialogType is "" if no dialog is open.
	Dialog     string     `json:"dialog,omitempty"`
	DialogType DialogType `json:"dialog_type,omitempty"`
	// DialogMultiple is true if a file dialog takes several files.
	DialogMultiple bool `json:"dialog_multiple,omitempty"`
	// DialogDefault is the initial text of a prompt dialog.
	DialogDefault string `json:"dialog_default,omitempty"`
	Crashed       bool   `json:"crashed,omitempty"`
	// Failure says why URL could not be opened, nil if it was.
	Failure *LoadFailure `json:"failure,omitempty"`
	// Device names the device that the tab emulates, "" for none.
	Device string `json:"device,omitempty"`
	// Zoom is the zoom of the page in percent, 0 for 100.
	Zoom int `json:"zoom,omitempty"`
}

// LoadFailure says why a page could not be opened: Head is a title without a full stop, Text the reason and what helps.
type LoadFailure struct {
	Head string `json:"head"`
	Text string `json:"text"`
}

// DialogType is the type of an open dialog of a tab.
type DialogType string

// The types of dialogs. DialogAuth asks for the user name and password of a site. DialogFile asks for a file; the page
// continues to run while it is open.
const (
	DialogAlert   DialogType = "alert"
	DialogConfirm DialogType = "confirm"
	DialogPrompt  DialogType = "prompt"
	DialogAuth    DialogType = "auth"
	DialogFile    DialogType = "file"
	// DialogBeforeUnload asks whether to leave the page.
	DialogBeforeUnload DialogType = "beforeunload"
)

// DownloadState is the state of a download.
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
	// Name is the name of the file. Path is its location, set when State is DownloadDone.
	Name string `json:"name"`
	Path string `json:"path,omitempty"`
	URL  string `json:"url"`
	// Received and Size are in bytes. Size is 0 while it is unknown.
	Received int64 `json:"received"`
	Size     int64 `json:"size"`
	// Reason says why the download failed.
	State  DownloadState `json:"state"`
	Reason string        `json:"why,omitempty"`
	// Tab is the tab that started the download.
	Tab int `json:"tab"`
}

// Marks contains the annotations of a tab's page after its latest observation.
type Marks struct {
	Page     annotation.Page      `json:"page"`
	Elements []annotation.Element `json:"elements"`
	Above    int                  `json:"above"`
	Below    int                  `json:"below"`
	// Width and Height are the size of the viewport in CSS pixels.
	Width     float64 `json:"width"`
	Height    float64 `json:"height"`
	SettledMS int     `json:"settled_ms"`
	// On is always true. The setting "marks" decides whether the window draws the annotations.
	On bool `json:"on"`
}

// Pointer is the position of the assistant's pointer, in CSS pixels of the viewport. Target is the annotation to which
// the pointer moves, 0 for none.
type Pointer struct {
	Tab    int     `json:"tab"`
	X      float64 `json:"x"`
	Y      float64 `json:"y"`
	Press  bool    `json:"press,omitempty"`
	Target int     `json:"target,omitempty"`
}

// PagePoint describes what is under the person's mouse on the page of a tab. The page determines all of it.
type PagePoint struct {
	Tab int `json:"tab"`
	// Cursor is the CSS cursor. Link and Image are addresses, "" for none.
	Cursor string `json:"cursor"`
	Link   string `json:"link,omitempty"`
	Image  string `json:"image,omitempty"`
	// Editable is true in a field that takes text.
	Editable bool `json:"editable,omitempty"`
}

// Picker is a list or picker that the person opened on the page of a tab. The browser would show it outside of the
// page, where the picture of the page does not show it.
type Picker struct {
	Tab int `json:"tab"`
	// ID identifies the opening of the picker; an earlier picker can no longer be used.
	ID   int        `json:"id"`
	Type PickerType `json:"type"`
	// Box is the field, in CSS pixels of the tab's viewport.
	Box annotation.Box `json:"box"`
	// Value, Min, Max and Step are those of the field, in the form that HTML gives them for its type.
	Value string `json:"value,omitempty"`
	Min   string `json:"min,omitempty"`
	Max   string `json:"max,omitempty"`
	Step  string `json:"step,omitempty"`
	// Options are the options of a list, Selected is the index of the chosen one.
	Options  []PickerOption `json:"options,omitempty"`
	Selected int            `json:"selected"`
}

// PickerType is the type of a picker: a list, or the type of the input.
type PickerType string

// The types of pickers.
const (
	PickerSelect   PickerType = "select"
	PickerDate     PickerType = "date"
	PickerMonth    PickerType = "month"
	PickerWeek     PickerType = "week"
	PickerTime     PickerType = "time"
	PickerDatetime PickerType = "datetime-local"
	PickerColor    PickerType = "color"
)

// PickerOption is an option of a list. Group is the label of its group, "" for none.
type PickerOption struct {
	Label    string `json:"label"`
	Group    string `json:"group,omitempty"`
	Disabled bool   `json:"disabled,omitempty"`
}
