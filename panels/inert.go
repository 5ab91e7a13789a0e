package panels

// Inert are the tools of built-in panels that change nothing by themselves: they make calls of other tools, end what
// their caller began, or narrow what it may do.
func Inert() []string {
	return []string{"terminal_run", "terminal_stop", "tool_switch", "mcp_server_toggle"}
}
