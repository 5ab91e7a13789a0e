package event

// Disk describes the free space on the disk that contains the data folder.
type Disk struct {
	Level DiskLevel `json:"level"`
	// Folder is the data folder. Free is the free space on its disk in bytes.
	Folder string `json:"folder"`
	Free   int64  `json:"free"`
}

// DiskLevel says whether there is enough free space on a disk.
type DiskLevel string

// The levels of free space. At DiskFull nothing new can be stored.
const (
	DiskEnough DiskLevel = "enough"
	DiskLow    DiskLevel = "low"
	DiskFull   DiskLevel = "full"
)
