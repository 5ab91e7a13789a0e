package programs

import "strings"

// Role is what a word of a command stands for.
type Role byte

// The roles. A role that asks for more than reading is a heavy one.
const (
	RoleNone    Role = 0
	RoleText    Role = 't' // plain text
	RoleRead    Role = 'r' // a path that is read
	RoleWrite   Role = 'w' // a path that is made or changed
	RoleDelete  Role = 'd' // a path that is deleted or moved away
	RoleFolder  Role = 'D' // the folder it works in from then on
	RoleProgram Role = 'x' // a command line for a shell
	RoleHost    Role = 'h' // an address or a host
	RoleWarn    Role = '!' // something a person should know of
	RoleNetwork Role = 'n' // it reaches the network
)

func (r Role) BeyondReading() bool { return strings.IndexByte("wdxD!n", byte(r)) >= 0 }
