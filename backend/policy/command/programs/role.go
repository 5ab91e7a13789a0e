package programs

import "strings"

// Role is what a program does with a word.
type Role byte

// The roles.
const (
	RoleNone    Role = 0
	RoleText    Role = 't' // plain text
	RoleRead    Role = 'r' // a path that is read
	RoleWrite   Role = 'w' // a path that is created or changed
	RoleDelete  Role = 'd' // a path that is deleted or moved away
	RoleFolder  Role = 'D' // the folder that it changes to
	RoleProgram Role = 'x' // a command line for a shell
	RoleHost    Role = 'h' // an address or a host
	RoleWarn    Role = '!' // an option that a person should know of
	RoleNetwork Role = 'n' // it reaches the network
)

// BeyondReading reports whether the role does more than read.
func (r Role) BeyondReading() bool { return strings.IndexByte("wdxD!n", byte(r)) >= 0 }
