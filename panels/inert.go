package panels

// InertTools returns the tools of built-in panels that have no effects of their own: they only make calls of other
// tools, stop a command, or switch a tool or server off. Only the user can switch one on with them.
func InertTools() []string {
	return []string{"terminal_run", "terminal_stop", "tool_switch", "mcp_server_toggle"}
}
