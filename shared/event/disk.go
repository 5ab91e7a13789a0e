package event

// Disk describes whether the data folder can be written, and the free space on its disk.
type Disk struct {
	Level DiskLevel `json:"level"`
	// Folder is the data folder. Free is the free space on its disk in bytes.
	Folder string `json:"folder"`
	Free   int64  `json:"free"`
}

// DiskLevel says whether there is enough free space on the disk.
type DiskLevel string

// The levels of free space. At DiskFull nothing new can be stored, and at DiskGone neither, because the data folder was
// deleted, moved or replaced.
const (
	DiskEnough DiskLevel = "enough"
	DiskLow    DiskLevel = "low"
	DiskFull   DiskLevel = "full"
	DiskGone   DiskLevel = "gone"
)
