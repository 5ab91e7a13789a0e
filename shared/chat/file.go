package chat

// FileKind says how a File is sent to models.
type FileKind string

// The kinds of files. FilePDF and FileDocument (docx, xlsx) are sent as text.
const (
	FileText     FileKind = "text"
	FilePicture  FileKind = "picture"
	FilePDF      FileKind = "pdf"
	FileDocument FileKind = "document"
)

// File is a stored file: one that a person attached to a message, or a picture in the result of a call.
type File struct {
	// Blob is the id of the content. Name is for display only; it is outside text.
	Blob string   `json:"blob"`
	Name string   `json:"name"`
	Kind FileKind `json:"kind"`
	MIME string   `json:"mime"`
	Size int64    `json:"size"`
	// Pages is the number of pages of a PDF, or of sheets of a spreadsheet.
	Pages int `json:"pages,omitempty"`
	// Picture is the id of the picture that models are sent, a PNG or JPEG of bounded size. Width and Height are those
	// of the original.
	Picture string `json:"picture,omitempty"`
	Width   int    `json:"width,omitempty"`
	Height  int    `json:"height,omitempty"`
	// Tokens estimates what a request with the file costs. Cut is true if only the beginning of the text is sent.
	Tokens int  `json:"tokens"`
	Cut    bool `json:"cut,omitempty"`
}
