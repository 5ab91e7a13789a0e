package programs

import "strings"

// Role says how a program uses a word.
type Role byte

// The roles, as the tables write them.
const (
	RoleNone    Role = 0
	RoleText    Role = 't' // plain text
	RoleRead    Role = 'r' // a path that is read
	RoleWrite   Role = 'w' // a path that is created or changed
	RoleDelete  Role = 'd' // a path that is deleted or moved away
	RoleFolder  Role = 'D' // the folder that the program changes to
	RoleProgram Role = 'x' // a command line for a shell
	RoleHost    Role = 'h' // an address or a host
	RoleWarn    Role = '!' // an option that the person is warned of
	RoleNetwork Role = 'n' // a value that makes the program use the network
)

// HasEffects reports whether a word with this role makes a program do more than read. A host alone does not count.
func (r Role) HasEffects() bool { return strings.IndexByte("wdxD!n", byte(r)) >= 0 }
