package event

// Disk is the free space on the disk of the data folder.
type Disk struct {
	Level DiskLevel `json:"level"`
	// Folder is the data folder, Free the free bytes of its disk.
	Folder string `json:"folder"`
	Free   int64  `json:"free"`
}

// DiskLevel says whether there is enough free space.
type DiskLevel string

// The levels. On a full disk nothing new can be stored.
const (
	DiskEnough DiskLevel = "enough"
	DiskLow    DiskLevel = "low"
	DiskFull   DiskLevel = "full"
)
