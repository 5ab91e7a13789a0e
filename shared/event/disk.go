package event

// Disk is how much room there is where things are kept.
type Disk struct {
	Level DiskLevel `json:"level"`
	// Folder is the data folder, Free how many bytes its disk has left.
	Folder string `json:"folder"`
	Free   int64  `json:"free"`
}

// DiskLevel says whether there is room.
type DiskLevel string

// The levels. On a full disk nothing new can be kept.
const (
	DiskEnough DiskLevel = "enough"
	DiskLow    DiskLevel = "low"
	DiskFull   DiskLevel = "full"
)
